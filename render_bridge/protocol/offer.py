"""What a renderer offers, and the checks of a greeting against it (PROTOCOL.md section 5, R-13 … R-18)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..palette import RACING, ClassTable
from .encodings import ENCODINGS
from .faults import Fault, LocalProtocolError, RemoteProtocolError
from .message_base import MAX_PIXELS, MAX_SIDE
from .messages import Hello
from .planes import choose_planes
from .tables import close_colors, table_from_wire, translation

FASTEST = 1000
"""Most frames a second."""


@dataclass(frozen=True)
class Sizes:
    """Sizes that a renderer serves: those of ``only``, or every multiple of ``step`` up to ``largest``."""

    step: int = 32
    largest: tuple[int, int] = (2048, 2048)
    only: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        width, height = self.largest
        if not 1 <= self.step <= min(width, height) or max(width, height) > MAX_SIDE or width * height > MAX_PIXELS:
            raise ValueError(f"step {self.step} and largest {width}x{height} make no legal size")

    def nearest(self, width: int, height: int) -> tuple[int, int]:
        """The served size nearest to the one asked for, which is itself if it is served."""
        if self.only:
            return min(self.only, key=lambda s: (abs(s[0] - width) + abs(s[1] - height), s))
        sides = []
        for side, most in zip((width, height), self.largest, strict=True):
            top = most // self.step * self.step
            sides.append(min(max(self.step, (2 * side + self.step) // (2 * self.step) * self.step), top))
        return sides[0], sides[1]


@dataclass(frozen=True)
class Offer:
    """What a renderer offers to every engine.

    Args:
        planes: names of the guide planes that it wants.
        notes: lines for people, in every WELCOME; at most 56, of at most 256 bytes of UTF-8 each.
        run, first_run: frames of a chunk, and of the first after a start or reset.
        window: most frames granted and not settled; at least two runs keep a fast renderer busy.
        park_s: how long a session outlives its engine.
    """

    renderer: str
    table: ClassTable = RACING
    sizes: Sizes = field(default_factory=Sizes)
    encodings: tuple[str, ...] = ENCODINGS
    planes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    run: int = 1
    first_run: int = 1
    window: int = 4
    max_sessions: int = 8
    heartbeat_ms: int = 250
    dead_ms: int = 1000
    park_s: float = 60.0

    def __post_init__(self) -> None:
        if self.window < max(self.run, self.first_run) or min(self.run, self.first_run) < 1:
            raise LocalProtocolError(
                Fault.OUT_OF_RANGE, f"window {self.window} must hold runs of {self.first_run} and {self.run} frames"
            )
        if len(self.notes) > 56 or any(len(note.encode()) > 256 for note in self.notes):
            raise LocalProtocolError(Fault.TOO_LARGE, "notes: expected at most 56 lines of at most 256 bytes each")


class Terms(NamedTuple):
    """What a greeting led to."""

    table: ClassTable  # the engine's
    lookup: NDArray[np.uint8] | None  # their id → ours
    encoding: str
    planes: tuple[str, ...]
    notes: tuple[str, ...]


def negotiate(offer: Offer, hello: Hello) -> Terms:
    """Check a greeting in the order of the specification. RemoteProtocolError is the refusal to send."""
    theirs = table_from_wire(hello.table)
    lookup = translation(offer.table, theirs, hello.mapping, hello.otherwise)
    nearest = offer.sizes.nearest(hello.width, hello.height)
    if nearest != (hello.width, hello.height):
        text = f"{hello.width}x{hello.height} is not served; the nearest size that is: {nearest[0]}x{nearest[1]}"
        raise RemoteProtocolError(Fault.SIZE_NOT_SERVED, text, {"nearest": list(nearest)})
    frames, seconds = hello.rate
    if frames < 1 or seconds < 1 or frames > FASTEST * seconds:
        text = f"rate {frames}/{seconds} is not served; expected more than 0 and at most {FASTEST} frames a second"
        raise RemoteProtocolError(Fault.RATE_NOT_SERVED, text)
    read = [e for e in offer.encodings if not (e == "rle" and hello.form == "colors")]
    known = [e for e in hello.encodings if e in read]
    if not known:
        which = "" if hello.form == "ids" else " for colour-coded frames (rle holds ids only)"
        text = f"no common encoding{which}: you write {', '.join(hello.encodings)}; we read {', '.join(read)}"
        raise RemoteProtocolError(Fault.NO_COMMON_ENCODING, text, {"encodings": read})
    planes = choose_planes(hello.planes, offer.planes)
    notes = tuple(note[:250] for note in close_colors(theirs)[:8]) if hello.form == "colors" else ()
    return Terms(theirs, lookup, known[0], planes, (*offer.notes, *notes))
