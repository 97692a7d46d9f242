"""What the two state machines tell their owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .faults import Fault
from .messages import Control, Hello, Receipt, Welcome

Planes = Mapping[str, NDArray[np.generic]]


@dataclass(frozen=True)
class Opened:
    """Engine: a renderer took us in."""

    welcome: Welcome


@dataclass(frozen=True)
class PictureTaken:
    """Engine: a rendered frame, RGB uint8 [H, W, 3], writable and ours."""

    seq: int
    tick: int
    chunk: int
    pixels: NDArray[np.uint8]
    stamps: Mapping[str, int]
    renderer_stamps: Mapping[str, int]


@dataclass(frozen=True)
class ReceiptTaken:
    """Engine: what became of a control."""

    receipt: Receipt


@dataclass(frozen=True)
class Refused:
    """Either end: the peer sent ERROR."""

    code: int
    name: str
    text: str
    fatal: bool
    details: Mapping[str, object] = field(default_factory=dict)
    session: bytes = b""


@dataclass(frozen=True)
class PeerBroke:
    """Either end: the peer sent something illegal, and was told so."""

    fault: Fault
    text: str
    session: bytes = b""


@dataclass(frozen=True)
class Lost:
    """Engine: no renderer at present; greeting goes on by itself."""

    reason: str


@dataclass(frozen=True)
class Closed:
    """Engine: over, by our BYE or a fatal refusal."""

    reason: str


@dataclass(frozen=True)
class SessionOpened:
    """Renderer: a new session, or an old one that is back.

    Args:
        flushed: True when nothing of an earlier stream may be used any more.
    """

    session: bytes
    hello: Hello
    planes: tuple[str, ...]
    resumed: bool
    flushed: bool
    generation: int


@dataclass(frozen=True)
class FrameTaken:
    """Renderer: one class map, in our ids, uint8 [H, W], with its guide planes; arrays are writable and ours."""

    session: bytes
    generation: int
    grant: int
    seq: int
    tick: int
    class_map: NDArray[np.uint8]
    planes: Planes
    stamps: Mapping[str, int]
    received: int
    last: bool
    ends_run: bool
    view: tuple[float, ...] | None
    projection: tuple[float, ...] | None


@dataclass(frozen=True)
class ControlTaken:
    """Renderer: a control to put in force at the next chunk border; its first receipt has gone out."""

    session: bytes
    control: Control


@dataclass(frozen=True)
class RunGivenUp:
    """Renderer: forget the frames of this grant, ask again."""

    session: bytes
    grant: int


@dataclass(frozen=True)
class SessionParked:
    """Renderer: the engine is gone for now; unfinished runs are void."""

    session: bytes


@dataclass(frozen=True)
class TurnedAway:
    """Renderer: somebody did not get past the transport's handshake; ``who`` in words for people."""

    who: str


@dataclass(frozen=True)
class SessionEnded:
    """Renderer: drop everything of this session."""

    session: bytes
    reason: str


EngineEvent = Opened | PictureTaken | ReceiptTaken | Refused | PeerBroke | Lost | Closed
RendererEvent = (
    SessionOpened
    | FrameTaken
    | ControlTaken
    | RunGivenUp
    | SessionParked
    | SessionEnded
    | Refused
    | PeerBroke
    | TurnedAway
)
