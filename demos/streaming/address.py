"""Where a stream goes, and what of that may be said aloud: the last part of such an address is a secret key."""

from __future__ import annotations

import socket
from typing import NamedTuple
from urllib.parse import urlsplit

from engine_sim.core.errors import UserError

SCHEMES = ("rtmp", "rtmps")
FOREIGN = ("http", "https", "srt", "rtsp", "rtp", "udp", "tcp", "ws", "wss", "file")
"""Schemes that people try, and that may be repeated: nothing else of an address that cannot be is."""
EXAMPLE = "rtmp://HOST/APPLICATION/KEY"
LONGEST, LONGEST_LABEL = 1024, 63


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
    fault = fault_of(text)
    if fault:
        raise UserError(f"--rtmp takes an address such as {EXAMPLE}, as the service or server names it; {fault}")
    parts = urlsplit(text)
    host = str(parts.hostname)
    host = f"[{host}]" if ":" in host else host
    where = host if parts.port is None else f"{host}:{parts.port}"
    folders = [part for part in parts.path.split("/") if part]
    url = parts.scheme + text[len(parts.scheme) :]  # FFmpeg knows its protocols in small letters alone
    return StreamAddress(url, f"{parts.scheme}://{where}/{'/'.join(folders[:-1])}/…")


def fault_of(text: str) -> str:
    """The first part of an address that cannot be, without a word of it that could be secret; nothing if all can be."""
    if len(text) > LONGEST:
        return f"this one has {len(text)} characters, and at most {LONGEST} can be used"
    if " " in text or not (text.isascii() and text.isprintable()):
        return "this one holds a blank, a line break or a letter that no address holds: was too much copied?"
    scheme, mark, _ = text.partition("://")
    if not mark or scheme.lower() not in SCHEMES:
        named = f"begins with {scheme.lower()}://" if mark and scheme.lower() in FOREIGN else "does not begin so"
        return f"this one {named}: its scheme must be {' or '.join(SCHEMES)}"
    try:
        parts = urlsplit(text)
    except ValueError:
        return "its host cannot be read: numbers of IPv6 stand in brackets, such as [::1]"
    if not parts.hostname:
        return "it names no host behind its //"
    if ".." in parts.hostname or max(map(len, parts.hostname.split("."))) > LONGEST_LABEL:
        return f"its host has a part between dots that is empty or longer than {LONGEST_LABEL} characters"
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        return "its port, behind the host's colon, must be a number from 1 to 65535"
    missing = 2 - min(2, sum(bool(part) for part in parts.path.split("/")))
    return ("", "the stream key is missing behind the application", "application and stream key are missing")[missing]


def unknown_host(url: str) -> str:
    """Words for a host that nobody knows, which FFmpeg calls an input/output error; nothing if its name is known."""
    host = urlsplit(url).hostname
    if not host:
        return ""
    try:
        socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return f"no machine is known as {host}"
    return ""
