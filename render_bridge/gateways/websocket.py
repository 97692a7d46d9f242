"""A WebSocket gateway: browsers speak the frame protocol to a renderer that listens on ZeroMQ.

A relay and nothing more: each WebSocket gets a DEALER of its own, and messages pass unread (``framing``). The same port
serves the browser client's files. Only pages of the gateway's own origin, or of listed ones, may connect: otherwise any
web site that a user visits could drive the renderer on his machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import http
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import zmq
import zmq.asyncio
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from ..errors import BridgeError
from ..protocol.codec import encode
from ..protocol.message_base import MAX_BUFFER
from ..protocol.messages import Bye
from ..talk import NOBODY, Talk
from ..zmq.address import bracketed, check_address, is_loopback, set_family
from ..zmq.curve import use_keys
from ..zmq.keys import Keys
from .framing import pack, unpack
from .outbox import Outbox

BROWSER = Path(__file__).parent / "browser"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
START_S = 10.0
PROTOCOL_ERROR = 1002
TRY_LATER = 1013


@dataclass(frozen=True)
class GatewayPlan:
    """Where a gateway listens and whom it serves.

    Args:
        host, port: for browsers; a loopback host unless ``open_to_all``; port 0 takes a free one.
        renderer: address of the renderer.
        origins: pages of other origins that may connect, such as ``http://localhost:3000``.
        connections: most browsers at once.
        pages: folders of a game's own files, served by their bare names; they go before the client's.
    """

    renderer: str
    host: str = "127.0.0.1"
    port: int = 8080
    origins: tuple[str, ...] = ()
    connections: int = 8
    open_to_all: bool = False
    pages: tuple[Path, ...] = ()


class Gateway:
    """A running gateway, in a thread of its own that owns every socket.

    Raises:
        BridgeError: the host is not this machine, or the port is taken.
    """

    def __init__(
        self, plan: GatewayPlan, keys: Keys | None = None, say: Callable[[str], None] = lambda _: None
    ) -> None:
        if not is_loopback(plan.host) and not plan.open_to_all:
            raise BridgeError(f"host {plan.host!r} is not this machine: WebSockets are not encrypted here")
        self._plan, self._keys, self._talk = plan, keys, Talk(say, nobody="browsers")
        self._renderer = check_address(plan.renderer, keys is not None)
        self._open = 0
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._started = threading.Event()
        self._failure: Exception | None = None
        self.port = plan.port
        self._thread = threading.Thread(target=self._run, name="bridge-gateway", daemon=True)
        self._thread.start()
        self._started.wait(START_S)
        if self._failure is not None:
            raise BridgeError(f"cannot listen at {plan.host}:{plan.port}: {self._failure}")

    @property
    def url(self) -> str:
        """The page of the browser client."""
        return f"http://{bracketed(self._plan.host)}:{self.port}/"

    def close(self) -> None:
        """Close every connection and end."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(5)

    def __enter__(self) -> Gateway:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._context = zmq.asyncio.Context()
        plan = self._plan
        try:
            server: Server = await serve(
                self._relay, plan.host.strip("[]"), plan.port, process_request=self._answer, max_size=MAX_BUFFER,
                compression=None, ping_interval=None, close_timeout=1,
            )  # fmt: skip
        except OSError as error:
            self._failure = error
            self._context.destroy(linger=0)
            self._started.set()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        async with server:
            await self._stop.wait()
        self._context.destroy(linger=200)

    # --- http

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Files of the client, a refusal, or None to go on with the WebSocket."""
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return _file(request.path, (*self._plan.pages, BROWSER))
        origin = request.headers.get("Origin")
        hosts = (bracketed(self._plan.host), "127.0.0.1", "[::1]", "localhost")
        own = {f"http://{host}:{self.port}" for host in hosts}
        if origin is not None and origin not in own | set(self._plan.origins):
            return connection.respond(http.HTTPStatus.FORBIDDEN, f"pages of {origin} may not connect\n")
        if self._open >= self._plan.connections:
            return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "all connections are in use\n")
        return None

    # --- relay

    async def _relay(self, browser: ServerConnection) -> None:
        socket = self._dealer()
        self._open += 1
        self._talk.line(NOBODY, f"browser {browser.remote_address[0]} connects")
        outbox = Outbox()
        ways = (_read(browser, outbox), _write(outbox, socket), _inward(browser, socket))
        tasks = [asyncio.ensure_future(way) for way in ways]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._open -= 1
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with contextlib.suppress(zmq.ZMQError):
                await socket.send_multipart(encode(Bye(text="the browser went away")), flags=zmq.NOBLOCK)
            socket.close(linger=200)
            self._talk.line(NOBODY, "browser gone")

    def _dealer(self) -> zmq.asyncio.Socket:
        socket = self._context.socket(zmq.DEALER)
        socket.setsockopt(zmq.IMMEDIATE, 1)
        socket.setsockopt(zmq.RECONNECT_IVL, 20)
        socket.setsockopt(zmq.RECONNECT_IVL_MAX, 200)
        socket.setsockopt(zmq.MAXMSGSIZE, MAX_BUFFER)
        set_family(socket, self._renderer)
        use_keys(socket, self._keys)
        socket.connect(self._renderer)
        return socket


async def _read(browser: ServerConnection, outbox: Outbox) -> None:
    """Browser → outbox."""
    try:
        async for message in browser:
            if isinstance(message, str):
                await browser.close(PROTOCOL_ERROR, "messages are binary")
                return
            outbox.put(unpack(message))
    except ValueError as error:
        await browser.close(PROTOCOL_ERROR, str(error)[:100])
    except ConnectionClosed:
        return


async def _write(outbox: Outbox, socket: zmq.asyncio.Socket) -> None:
    """Outbox → renderer, as soon as there is one."""
    while True:
        await socket.send_multipart(await outbox.get())


async def _inward(browser: ServerConnection, socket: zmq.asyncio.Socket) -> None:
    """Renderer → browser; a browser that does not read stops us here, and credit stops the renderer."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await browser.send(pack(await socket.recv_multipart()))


def _file(path: str, folders: tuple[Path, ...]) -> Response:
    """A file of these folders by its bare name, so that no path can lead out of them; the first folder wins."""
    name = path.split("?")[0].lstrip("/") or "index.html"
    known = {p.name: p for folder in reversed(folders) for p in folder.iterdir() if p.suffix in TYPES}
    if name not in known:
        return Response(404, "Not Found", Headers({"Content-Length": "0", "Connection": "close"}), b"")
    body = known[name].read_bytes()
    headers = Headers(
        {
            "Content-Type": TYPES[known[name].suffix],
            "Content-Length": str(len(body)),
            "Cache-Control": "no-cache",
            "Connection": "close",
        }
    )
    return Response(200, "OK", headers, body)
