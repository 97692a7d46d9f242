"""Drawn frames → FRAME messages, and the check that they can be sent at all."""

from __future__ import annotations

from typing import Any

from .codec import Wire, assemble
from .encodings import PLANE_ENCODINGS, encode_plane
from .engine_flow import Drawn, Due
from .kinds import Kind
from .message_base import Buffer, header_fields
from .messages import Frame, Welcome

_OFFERED: dict[str, Kind] = {
    name: kind for name, kind, _ in header_fields(Frame) if name in ("tick", "view", "projection", "last")
}
_STAMPS = next(kind for name, kind, _ in header_fields(Frame) if name == "stamps")


def frame_wire(due: Due, welcome: Welcome, generation: int, skipped: int, now: int) -> Wire:
    """A frame that was checked when it was offered, ready to send: the bytes of ``encode(frame_message(…))``, without a
    message that checks it all again."""
    drawn, chosen = due.drawn, welcome.planes
    plane_encoding, buffers = _pack(drawn, welcome)
    fields: dict[str, Any] = {
        "generation": generation, "grant": due.grant, "seq": due.seq, "tick": drawn.tick, "skipped": skipped,
        "encoding": welcome.encoding, "planes": chosen, "plane_encodings": (plane_encoding,) * len(chosen),
        "stamps": _stamps(drawn, now), "last": drawn.last,
    }  # fmt: skip
    if drawn.view is not None:
        fields["view"] = drawn.view
    if drawn.projection is not None:
        fields["projection"] = drawn.projection
    return assemble(Frame.type_byte, fields, buffers)


def frame_message(due: Due, welcome: Welcome, generation: int, skipped: int, now: int) -> Frame:
    """The message, encoded as WELCOME chose; the plain twin of ``frame_wire``."""
    drawn, chosen = due.drawn, welcome.planes
    plane_encoding, buffers = _pack(drawn, welcome)
    return Frame(
        generation=generation, grant=due.grant, seq=due.seq, tick=drawn.tick, skipped=skipped,
        encoding=welcome.encoding, planes=chosen, plane_encodings=(plane_encoding,) * len(chosen),
        stamps=_stamps(drawn, now), last=drawn.last, view=drawn.view, projection=drawn.projection,
        buffers=tuple(buffers),
    )  # fmt: skip


def _pack(drawn: Drawn, welcome: Welcome) -> tuple[str, list[Buffer]]:
    """Encoding of the planes, and all buffers."""
    plane_encoding = welcome.encoding if welcome.encoding in PLANE_ENCODINGS else "raw"
    buffers = [encode_plane(drawn.class_map, welcome.encoding)]
    buffers += [encode_plane(drawn.planes[name], plane_encoding) for name in welcome.planes]
    return plane_encoding, buffers


def check_fields(drawn: Drawn, seq: int) -> None:
    """LocalProtocolError if a field of the frame is not legal: where it is offered, not where it is sent."""
    if not _fits(drawn):
        _build(drawn, seq)


def _fits(drawn: Drawn) -> bool:
    """True if ``_build`` cannot object."""
    for name, kind in _OFFERED.items():
        value = getattr(drawn, name)
        if not (kind.fits(value) or (value is None and name in ("view", "projection"))):
            return False
    return "drawn" in drawn.stamps and _STAMPS.fits(_stamps(drawn, 0))


def _build(drawn: Drawn, seq: int) -> Frame:
    """A FRAME with what is known of it before it is sent; it finds the words for what is wrong."""
    return Frame(
        generation=0, grant=0, seq=seq, tick=drawn.tick, skipped=0, encoding="raw", planes=(), plane_encodings=(),
        stamps=_stamps(drawn, 0), last=drawn.last, view=drawn.view, projection=drawn.projection, buffers=(b"",),
    )  # fmt: skip


def _stamps(drawn: Drawn, now: int) -> dict[str, int]:
    return {**drawn.stamps, "sent": now}
