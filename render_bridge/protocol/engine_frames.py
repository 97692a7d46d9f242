"""Drawn frames → FRAME messages, and the check that they can be sent at all."""

from __future__ import annotations

from .encodings import PLANE_ENCODINGS, encode_plane
from .engine_flow import Drawn, Due
from .messages import Frame, Welcome


def frame_message(due: Due, welcome: Welcome, generation: int, skipped: int, now: int) -> Frame:
    """The message, encoded as WELCOME chose."""
    drawn, chosen = due.drawn, welcome.planes
    plane_encoding = welcome.encoding if welcome.encoding in PLANE_ENCODINGS else "raw"
    maps = [encode_plane(drawn.class_map, welcome.encoding)]
    maps += [encode_plane(drawn.planes[name], plane_encoding) for name in chosen]
    return Frame(
        generation=generation, grant=due.grant, seq=due.seq, tick=drawn.tick, skipped=skipped,
        encoding=welcome.encoding, planes=chosen, plane_encodings=(plane_encoding,) * len(chosen),
        stamps=_stamps(drawn, now), last=drawn.last, view=drawn.view, projection=drawn.projection,
        buffers=tuple(maps),
    )  # fmt: skip


def check_fields(drawn: Drawn, seq: int) -> None:
    """LocalProtocolError if a field of the frame is not legal: where it is offered, not where it is sent."""
    Frame(
        generation=0, grant=0, seq=seq, tick=drawn.tick, skipped=0, encoding="raw", planes=(), plane_encodings=(),
        stamps=_stamps(drawn, 0), last=drawn.last, view=drawn.view, projection=drawn.projection, buffers=(b"",),
    )  # fmt: skip


def _stamps(drawn: Drawn, now: int) -> dict[str, int]:
    return {**drawn.stamps, "sent": now}
