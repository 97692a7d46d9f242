"""Where a stream goes, and what of that may be said aloud: the last part of such an address is a secret key."""

from __future__ import annotations

import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from engine_sim.core.errors import UserError

SCHEMES = ("rtmp", "rtmps")
EXAMPLE = "rtmp://HOST/APPLICATION/KEY"
LONGEST = 1024


class StreamAddress(NamedTuple):
    """A stream's address.

    Args:
        url: whole, with its key; goes to FFmpeg and nowhere else.
        shown: what people are told.
    """

    url: str
    shown: str

    def hide(self, text: str) -> str:
        """A line without the key, which a library may have put into it."""
        return text.replace(self.url, self.shown)


def parse_address(text: str) -> StreamAddress:
    """``rtmp://host[:port]/application/key``, or ``rtmps``. Raises UserError, which never repeats the key."""
    refused = UserError(f"--rtmp takes an address such as {EXAMPLE}, as the service or server names it")
    if len(text) > LONGEST or not text.isascii() or not text.isprintable() or " " in text:
        raise refused
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise refused from None
    folders = [part for part in parts.path.split("/") if part]
    if parts.scheme not in SCHEMES or not parts.hostname or len(folders) < 2:
        raise refused
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    where = host if port is None else f"{host}:{port}"
    return StreamAddress(text, f"{parts.scheme}://{where}/{'/'.join(folders[:-1])}/…")


def unknown_host(url: str) -> str:
    """Words for a host that nobody knows, which FFmpeg calls an input/output error; nothing if its name is known."""
    host = urlsplit(url).hostname
    if not host:
        return ""
    try:
        socket.getaddrinfo(host, None)
    except OSError:
        return f"no machine is known as {host}"
    return ""
