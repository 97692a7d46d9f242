"""Text of a page → a message, every value checked; and nothing else gets through."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from demos.play.keyboard import Command
from demos.play.textbox import LONGEST, printable

from . import actions as act

LONGEST_SDP = 100_000
LONGEST_HELLO = 4096
"""A token that is too long is as wrong as any other, and is told so."""
MOST_PADS = 8
SCANCODES = {
    "ArrowLeft": 80, "KeyA": 4, "ArrowRight": 79, "KeyD": 7, "ArrowUp": 82, "KeyW": 26, "ArrowDown": 81, "KeyS": 22,
    "Space": 44,
}  # fmt: skip
"""Driving keys by the names that browsers give to places on the keyboard."""
COMMANDS = {
    command.value: command
    for command in (
        Command.PAUSE, Command.CAMERA, Command.RESTART, Command.RESET, Command.SHIFT_UP, Command.SHIFT_DOWN,
    )
}  # fmt: skip
PAD_BUTTONS = ("a", "dpleft", "dpright")
"""Buttons that drive; the page turns others into commands."""


class BadMessage(ValueError):
    """A message that cannot be; the text says what was expected, ``about`` its type if it is known."""

    about = ""


class Fields:
    """The fields of one message. Every method raises BadMessage for one that is missing or cannot be."""

    def __init__(self, kind: str, values: dict[str, Any]) -> None:
        self._kind, self._values = kind, values

    def text(self, name: str, longest: int) -> str:
        """A text of at most ``longest`` characters."""
        value = self._values.get(name)
        if not isinstance(value, str):
            raise BadMessage(f"{self._kind}.{name} must be a text, got {type(value).__name__}")
        if len(value) > longest:
            raise BadMessage(f"the {name} has {len(value)} characters; at most {longest} can be used")
        return value

    def number(self, name: str, low: float, high: float) -> float:
        """A finite number in ``[low, high]``."""
        value = self._values.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise BadMessage(f"{self._kind}.{name} must be a number, got {str(value)[:40]!r}")
        if not low <= value <= high:
            raise BadMessage(f"{self._kind}.{name} must lie in [{low:g}, {high:g}], got {value:g}")
        return float(value)

    def whole(self, name: str, low: int, high: int) -> int:
        """A whole number in ``[low, high]``."""
        value = self.number(name, low, high)
        if value != int(value):
            raise BadMessage(f"{self._kind}.{name} must be a whole number, got {value:g}")
        return int(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._values.get(name)
        if not isinstance(value, bool):
            raise BadMessage(f"{self._kind}.{name} must be true or false, got {type(value).__name__}")
        return value

    def one_of(self, name: str, choices: Any) -> str:
        """One of several words."""
        value = self.text(name, 60)
        if value not in choices:
            raise BadMessage(f"{self._kind}.{name} must be one of {', '.join(choices)}; got {value!r}")
        return value

    def words(self, name: str, choices: tuple[str, ...]) -> tuple[str, ...]:
        """Some of several words."""
        value = self._values.get(name)
        if not isinstance(value, list) or len(value) > len(choices) or any(word not in choices for word in value):
            raise BadMessage(f"{self._kind}.{name} must be a list of {', '.join(choices)}")
        return tuple(value)


def parse(text: str) -> act.Message:
    """A message of a page. Raises BadMessage."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("a message must be JSON") from None
    kind = values.get("type") if isinstance(values, dict) else None
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise BadMessage(f"unknown type of message: {str(kind)[:40]!r}; there are {', '.join(READERS)}")
    try:
        return reader(Fields(str(kind), values))
    except BadMessage as error:
        error.about = str(kind)
        raise


def _pad(fields: Fields) -> act.PadState:
    return act.PadState(
        fields.whole("id", 0, MOST_PADS - 1),
        printable(fields.text("name", 200)) or "pad",
        fields.number("steer", -1.0, 1.0),
        fields.number("throttle", 0.0, 1.0),
        fields.number("brake", 0.0, 1.0),
        fields.words("buttons", PAD_BUTTONS),
    )


READERS: dict[str, Callable[[Fields], act.Message]] = {
    "hello": lambda f: act.Hello(f.text("token", LONGEST_HELLO)),
    "offer": lambda f: act.Offer(f.text("sdp", LONGEST_SDP)),
    "ping": lambda f: act.Ping(f.number("at", -1e15, 1e15)),
    "ask": lambda f: act.Ask(f.flag("on")),
    "give": lambda f: act.Give(f.whole("to", 0, 2**31), f.flag("yes")),
    "key": lambda f: act.Key(SCANCODES[f.one_of("code", SCANCODES)], f.flag("down")),
    "pad": _pad,
    "pad gone": lambda f: act.PadGone(f.whole("id", 0, MOST_PADS - 1)),
    "release": lambda f: act.Release(),
    "command": lambda f: act.Do(COMMANDS[f.one_of("name", COMMANDS)]),
    "look": lambda f: act.TakeLook(f.whole("number", 0, 10_000)),
    "prompt": lambda f: act.TakePrompt(printable(f.text("text", LONGEST)).strip()),
    "view": lambda f: act.TakeView(f.text("name", 20)),
    "record": lambda f: act.Record(f.flag("on")),
    "call off": lambda f: act.CallOff(),
}
"""Type of message → what reads it."""
