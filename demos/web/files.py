"""Files of pages, and what their browser may do with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from .gate import Gate

TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' blob: data:; media-src 'self' blob: mediastream:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def page_file(folder: Path, name: str) -> web.Response:
    """A file of a page's own folder, by its bare name."""
    path = folder / name
    if path.parent != folder or path.suffix not in TYPES or not path.is_file():
        return web.Response(status=404, text=f"no file {name} here\n")
    return web.Response(body=path.read_bytes(), content_type=TYPES[path.suffix], charset="utf-8", headers=POLICY)


def guarded_by(gate: Callable[[], Gate]) -> Middleware:
    """A middleware that refuses foreign names and foreign pages, whatever they want."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        refusal = gate().refusal(request.headers.get("Host"), request.headers.get("Origin"))
        if refusal:
            return web.Response(status=403, text=refusal + "\n")
        return await handler(request)

    return guard
