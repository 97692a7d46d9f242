"""What a browser may ask for, as plain values: the words between page and game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from demos.play.keyboard import Command


class Hello(NamedTuple):
    """The first message of a page."""

    token: str


class Offer(NamedTuple):
    """A page asks for the picture: its WebRTC session description."""

    sdp: str


class Ping(NamedTuple):
    """A page compares clocks: ``at`` comes back as it was."""

    at: float


class Ask(NamedTuple):
    """A viewer asks for the wheel, or takes the question back."""

    on: bool


class Give(NamedTuple):
    """The driver gives the wheel to a viewer, or tells him no."""

    to: int
    yes: bool


class Key(NamedTuple):
    """A driving key went down or up; by its place on the keyboard, as a USB usage number."""

    scancode: int
    down: bool


class PadState(NamedTuple):
    """All that drives on a pad or a touch screen: steering −1 left … 1 right, pedals 0 … 1."""

    instance: int
    name: str
    steer: float
    throttle: float
    brake: float
    buttons: tuple[str, ...]


class PadGone(NamedTuple):
    """A pad was pulled out."""

    instance: int


class Release(NamedTuple):
    """The page lost the focus: nothing is held any more."""


class Do(NamedTuple):
    """A command of the game."""

    command: Command


class TakeLook(NamedTuple):
    """Another look, by its number."""

    number: int


class TakePrompt(NamedTuple):
    """Another prompt; an empty one is the look's own."""

    text: str


class TakeView(NamedTuple):
    """Another choice of view."""

    view: str


class TakeReference(NamedTuple):
    """Paint after a picture, RGB uint8 ``[H, W, 3]`` of the game's size."""

    picture: NDArray[np.uint8]
    name: str


class Record(NamedTuple):
    """Start a race that is recorded, or end the recording; before that race has begun, call it off."""

    on: bool


class CallOff(NamedTuple):
    """Give up the recording that is being packed."""


class Watch(NamedTuple):
    """Somebody watches, or nobody does any more."""

    on: bool


Driving = (
    Key | PadState | PadGone | Release | Do | TakeLook | TakePrompt | TakeView | TakeReference | Record
)  # fmt: skip
"""What only the one at the wheel may ask for."""
Action = Driving | Watch
"""What reaches the game."""
Message = Driving | Hello | Offer | Ping | Ask | Give | CallOff
"""What a page may send."""
