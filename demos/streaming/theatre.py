"""A page on which anybody may watch: its files, the way in, and the picture. Lives in the process of its stream.

The way in is WHEP: a browser, or a player that speaks it, posts its session description to ``/whep``, is answered with
ours, and deletes what ``Location`` names when it goes. Our page also asks for what ``Location`` names, and is answered
when the visit is over: 200 if the stream has ended in order, which a broken connection could not say.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from pathlib import Path

import av
import numpy as np
from aiohttp import web
from numpy.typing import NDArray

from demos.web.files import guarded_by, page_file
from demos.web.gate import Gate
from demos.web.plan import WebPlan, tls_of

from .audience import Audience, FullHouse
from .encoders import PictureEncoder
from .output import OutputConfig

PAGE = Path(__file__).parent / "page"
LONGEST_OFFER = 100_000
GUESS_S = 1.0
OPEN_S, CLOSE_S = 10.0, 2.0


class Theatre:
    """Serves from a thread of its own while the block lasts.

    Args:
        plan: of the door, checked, its port free.

    Raises:
        OSError: the port is taken.
    """

    def __init__(self, plan: WebPlan) -> None:
        self._plan, self._gate = plan, Gate(plan, plan.port)
        self._begun = time.monotonic()
        self._ready = threading.Event()
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="theatre", daemon=True)

    def __enter__(self) -> Theatre:
        self._thread.start()
        if not self._ready.wait(OPEN_S):
            raise OSError("the page did not open in time")
        if self._error is not None:
            raise self._error
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(CLOSE_S)

    @property
    def visits(self) -> int:
        """Viewers so far."""
        return self._audience.visits

    @property
    def watching(self) -> int:
        """Viewers who are there, or are expected."""
        return self._audience.watching

    def open(self, _url: str, width: int, height: int, config: OutputConfig) -> Showing:
        """Pictures of a size from now on; those who watch stay. See ``sender.OpenOutput``."""
        return Showing(self._audience, width, height, config, self._begun)

    # --- in the thread of the event loop

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception as error:
            self._error = error if isinstance(error, OSError) else OSError(str(error))
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._audience = Audience(self._plan.viewers)
        runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            site = web.TCPSite(runner, self._plan.host, self._plan.port, ssl_context=tls_of(self._plan))
            await site.start()
            self._ready.set()
            await self._over.wait()
        finally:
            await self._audience.close()
            await runner.cleanup()

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[guarded_by(lambda: self._gate)], client_max_size=LONGEST_OFFER)
        app.router.add_get("/", self._page)
        app.router.add_get("/page/{name}", self._page)
        app.router.add_post("/whep", self._admit)
        app.router.add_get("/whep/{ticket}", self._tell_end, allow_head=False)
        app.router.add_delete("/whep/{ticket}", self._dismiss)
        return app

    async def _page(self, request: web.Request) -> web.StreamResponse:
        return page_file(PAGE, request.match_info.get("name", "index.html"))

    async def _admit(self, request: web.Request) -> web.StreamResponse:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if not self._gate.knows(token.strip() if scheme.lower() == "bearer" else ""):
            await asyncio.sleep(GUESS_S)  # whoever guesses shall not guess fast
            said = "this token is wrong" if token else "this page needs the token in the link that was printed"
            return web.Response(status=401, text=said, headers={"WWW-Authenticate": "Bearer"})
        try:
            ticket, answer = await self._audience.admit((await request.read()).decode())
        except FullHouse:
            return web.Response(status=503, text=f"all {self._plan.viewers} places are taken")
        except ValueError as error:  # among them, bytes that are no text
            return web.Response(status=400, text=str(error))
        headers = {"Location": f"/whep/{ticket}", "Cache-Control": "no-store"}
        return web.Response(status=201, text=answer, content_type="application/sdp", headers=headers)

    async def _tell_end(self, request: web.Request) -> web.StreamResponse:
        known = await self._audience.until_left(request.match_info["ticket"])
        return web.Response(status=(200 if self._over.is_set() else 410) if known else 404)

    async def _dismiss(self, request: web.Request) -> web.StreamResponse:
        known = await self._audience.dismiss(request.match_info["ticket"])
        return web.Response(status=200 if known else 404)


class Showing:
    """Pictures of one size, on their way to the audience. Implements ``sender.Output``.

    Args:
        audience: of the theatre.
        begun: when the theatre opened, by the monotonic clock: its media time is the clock's, across all sizes.
    """

    def __init__(self, audience: Audience, width: int, height: int, config: OutputConfig, begun: float) -> None:
        self._audience, self._size, self._config = audience, (width, height), config
        self._first = round((time.monotonic() - begun) * config.fps)
        self._encoders: dict[str, PictureEncoder] = {}

    def write(self, rgb: NDArray[np.uint8], slot: int) -> None:
        """Send a picture; without anybody there nothing is encoded. av.FFmpegError: the encoder fails."""
        wanted = self._audience.wanted()
        for codec in [*self._encoders]:
            if codec not in wanted:
                del self._encoders[codec]
        for codec, key in wanted.items():
            if codec not in self._encoders:
                self._encoders[codec] = PictureEncoder(codec, *self._size, self._config)
            packets: list[av.Packet] = self._encoders[codec].encode(rgb, self._first + slot, key)
            self._audience.hand_out(codec, packets)

    def close(self) -> None:
        """Another size follows, or the end."""
        self._encoders.clear()
