"""The web server: the page's files, its WebSocket, thumbnails, references and recordings."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import signal
from collections.abc import Callable
from pathlib import Path

from aiohttp import WSMessageTypeError, WSMsgType, web

from demos.ends import guarded, leave_at_once
from demos.play.game import Loader, PlayOptions
from demos.play.painter import Painter
from demos.play.references import picture_of
from demos.play.stage import Make
from demos.play.textbox import printable
from engine_sim.core.errors import UserError

from .actions import Hello, TakeReference
from .choices import FOR_A_RENDERER
from .files import guarded_by, page_file
from .gate import Gate
from .hub import Hub
from .messages import BadMessage, parse
from .plan import WebPlan, tls_of
from .show import Show
from .thumbnails import Thumbnails
from .track import set_bit_rate
from .viewer import Viewer

PAGE = Path(__file__).parent / "page"
MOST_MESSAGE, MOST_REFERENCE = 256 * 1024, 16 * 1024 * 1024
PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF")
"""How files of PNG, JPEG and WebP begin; nothing else reaches a decoder."""
HELLO_S, GUESS_S = 10.0, 1.0
Say = Callable[[str], None]


class WebServer:
    """Serves one game.

    Args:
        plan: checked.
        options: what is played.
        say: takes lines for the terminal.
        make_painter, loader, thumbnails: tests put stand-ins here.
    """

    def __init__(
        self,
        plan: WebPlan,
        options: PlayOptions,
        say: Say,
        make_painter: Make = Painter,
        loader: Loader | None = None,
        thumbnails: Thumbnails | None = None,
    ) -> None:
        self.plan, self.options = plan, options
        self.port = plan.port
        self._say = say
        self.show: Show | None = None
        self._parts = make_painter, loader, thumbnails
        self._stop = asyncio.Event()

    async def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until ``stop``; ``ready`` is called when pages can come.

        Raises:
            UserError: TLS files, the port, or a game that cannot be played.
        """
        tls = tls_of(self.plan)
        make_painter, loader, thumbnails = self._parts
        self.hub = Hub(self.options, self.plan, thumbnails or Thumbnails(self.options.looks))
        set_bit_rate(self.options.width, self.options.height, self.options.fps)
        runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await self._listen(web.TCPSite(runner, self.plan.host, self.plan.port, ssl_context=tls), runner)
            self.show = show = Show(self.options, self.hub, make_painter, loader)
            self.hub.post = show.post
            try:
                ready()
                await self._until_over()
            finally:
                await asyncio.get_running_loop().run_in_executor(None, show.close)
        finally:
            await self.hub.close()
            await runner.cleanup()
        if show.error is not None:
            raise show.error

    def stop(self) -> None:
        """End; from the server's own thread."""
        self._stop.set()

    @property
    def link(self) -> str:
        """What to open in a browser; with the token, which a browser keeps to itself behind the ``#``."""
        origin = self.gate.main
        return f"{origin}/#token={self.plan.token}" if self.plan.token else f"{origin}/"

    async def _listen(self, site: web.TCPSite, runner: web.AppRunner) -> None:
        try:
            await site.start()
        except OSError as error:
            where = f"{self.plan.host}:{self.plan.port}"
            raise UserError(f"cannot listen at {where}: {error.strerror or error}; try another --port") from None
        self.port = runner.addresses[0][1]
        self.gate = Gate(self.plan, self.port)

    async def _until_over(self) -> None:
        waits = [asyncio.create_task(event.wait()) for event in (self._stop, self.hub.over)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if self.hub.over.is_set():
                await asyncio.sleep(0.2)  # pages hear why
        finally:
            for wait in waits:
                wait.cancel()

    # --- requests

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[guarded_by(lambda: self.gate)], client_max_size=MOST_REFERENCE)
        app.router.add_get("/", self._page)
        app.router.add_get("/ws", self._visit)
        app.router.add_get("/page/{name}", self._page)
        app.router.add_get("/looks/{number}.jpg", self._thumbnail)
        app.router.add_post("/reference", self._reference)
        app.router.add_get("/recordings/{secret}.zip", self._recording)
        return app

    async def _page(self, request: web.Request) -> web.StreamResponse:
        return page_file(PAGE, request.match_info.get("name", "index.html"))

    async def _thumbnail(self, request: web.Request) -> web.StreamResponse:
        number = request.match_info["number"]
        if self._viewer(request) is None:
            return web.Response(status=403, text="open the page first\n")
        jpeg = self.hub.thumbnails.find(int(number)) if number.isascii() and number.isdigit() else None
        if jpeg is None:
            return web.Response(status=404, text="no picture of this look\n")
        return web.Response(body=jpeg, content_type="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})

    async def _recording(self, request: web.Request) -> web.StreamResponse:
        try:
            path = self.hub.archives.find(request.match_info["secret"])
        except KeyError:
            return web.Response(status=404, text="no recording here any more; the last three are kept\n")
        return web.FileResponse(path, headers={"Content-Disposition": f'attachment; filename="{path.name}"'})

    async def _reference(self, request: web.Request) -> web.StreamResponse:
        viewer = self._viewer(request)
        if viewer is None:
            return web.json_response({"text": "open the page first"}, status=403)
        name = printable(request.query.get("name", ""))[:80] or "picture"
        announced = request.content_length or 0
        try:
            if announced > MOST_REFERENCE:
                raise web.HTTPRequestEntityTooLarge(max_size=MOST_REFERENCE, actual_size=announced)
            data = await request.read()
            if not data.startswith(PICTURES):
                raise UserError("this is no picture; drop a PNG, JPEG or WebP file")
            size = self.options.width, self.options.height
            picture = await asyncio.get_running_loop().run_in_executor(None, picture_of, data, name, *size)
            if self.options.paint is None:
                raise UserError(f"a reference {FOR_A_RENDERER}")
            self.hub.drive(viewer, TakeReference(picture, name))
        except web.HTTPRequestEntityTooLarge:
            most = MOST_REFERENCE // 1024**2
            return web.json_response({"text": f"this file is too large; at most {most} MB can be used"}, status=413)
        except (UserError, BadMessage) as error:
            return web.json_response({"text": str(error)}, status=400)
        return web.json_response({"text": f"reference: {name}"})

    def _viewer(self, request: web.Request) -> Viewer | None:
        return self.hub.find(request.query.get("ticket", ""))

    # --- a visit

    async def _visit(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(max_msg_size=MOST_MESSAGE, heartbeat=10.0)
        await socket.prepare(request)
        refusal = await self._greet(socket)
        if refusal:
            with contextlib.suppress(ConnectionError):
                await socket.send_json(refusal)
                await socket.close()
            return socket
        transport = request.transport
        cut = transport.abort if isinstance(transport, asyncio.Transport) else lambda: None
        viewer = Viewer(self.hub.next_number(), socket, self.hub.feed, cut)
        sender = asyncio.create_task(viewer.deliver())
        self.hub.enter(viewer)
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self.hub.hear(viewer, message.data)
                elif message.type is WSMsgType.BINARY:
                    viewer.send({"type": "refused", "text": "a message must be JSON text"})
        finally:
            sender.cancel()
            await self.hub.leave(viewer)
        return socket

    async def _greet(self, socket: web.WebSocketResponse) -> dict[str, str]:
        """Wait for the first message; the refusal, if whoever sends it may not come in."""
        try:
            hello = parse(await socket.receive_str(timeout=HELLO_S))
        except (TimeoutError, WSMessageTypeError, BadMessage):
            hello = None
        if not isinstance(hello, Hello):
            return {"type": "refused", "why": "hello", "text": "the first message must be a hello"}
        if not self.gate.knows(hello.token):
            await asyncio.sleep(GUESS_S)  # whoever guesses shall not guess fast
            if hello.token:
                return {"type": "refused", "why": "wrong token", "text": "this token is wrong"}
            return {"type": "refused", "why": "token", "text": "this page needs the token that the server printed"}
        if len(self.hub.viewers) >= self.plan.viewers:
            return {"type": "refused", "why": "full", "text": f"all {self.plan.viewers} places are taken"}
        return {}


def serve_web(plan: WebPlan, options: PlayOptions, say: Say) -> int:
    """Serve until Ctrl-C or SIGTERM. Returns the exit code, or ends the process itself."""
    server: WebServer | None = None

    async def main() -> None:
        nonlocal server
        server = WebServer(plan, options, say)
        with contextlib.suppress(NotImplementedError):  # Windows has Ctrl-C alone
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.stop)
        await server.run(functools.partial(announce, server, say))

    def serve() -> int:
        asyncio.run(main())
        return 0

    code = guarded("web", serve)
    if server is not None and server.show is not None and server.show.loading:
        leave_at_once(code)
    return code


def announce(server: WebServer, say: Say) -> None:
    """Tell the terminal where the page is, and who can open it."""
    say(f"open {server.link}")
    if server.plan.local:
        say("only this machine can open it; see --host for others")
    else:
        say("whoever has this link can watch, and drive when the wheel is given to him; keep it as a password")
