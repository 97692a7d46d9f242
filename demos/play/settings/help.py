"""The page of keys in words, made from the bindings in force."""

from __future__ import annotations

from typing import NamedTuple

from ..keyboard import BRAKE, HANDBRAKE, STEER_LEFT, STEER_RIGHT, THROTTLE, Command
from ..pad import PAD_STEER
from .bindings import Bindings


class HelpLine(NamedTuple):
    """One line of the page."""

    keys: str
    pad: str
    words: str


TOPICS: tuple[tuple[tuple[str, ...], str], ...] = (
    ((STEER_LEFT, STEER_RIGHT, PAD_STEER), "steer"),
    ((THROTTLE, BRAKE), "throttle, brake (at a standstill: reverse)"),
    ((HANDBRAKE,), "handbrake"),
    ((Command.SHIFT_UP.value, Command.SHIFT_DOWN.value), "gear up, gear down (with --manual)"),
    ((Command.RESET.value,), "put the car back on the track"),
    ((Command.CAMERA.value, Command.VIEW.value), "next camera, next view"),
    ((Command.WIPE_LEFT.value, Command.WIPE_RIGHT.value), "move the line of a wiped view"),
    ((Command.LOOK.value, Command.PROMPT.value), "looks, type a prompt for the renderer"),
    ((Command.PHOTO.value, Command.SCREENSHOT.value), "photo mode, screenshot"),
    ((Command.RESTART.value, Command.FULL_SCREEN.value), "race again, full screen"),
    ((Command.PAUSE.value, Command.HELP.value), "pause, this help"),
    ((Command.MENU.value,), "menu: all of this, settings, leave"),
)
"""Actions that share a line, and what they do."""
NOBODY = "–"


def help_lines(bindings: Bindings) -> list[HelpLine]:
    """The page."""
    return [HelpLine(_keys(bindings, actions), _pad(bindings, actions), words) for actions, words in TOPICS]


def _keys(bindings: Bindings, actions: tuple[str, ...]) -> str:
    held = [bindings.keys(action) for action in actions if action != PAD_STEER]
    columns = [[keys[i] for keys in held if i < len(keys)] for i in range(max(map(len, held), default=0))]
    return " or ".join("  ".join(short(key) for key in column) for column in columns) or NOBODY


def _pad(bindings: Bindings, actions: tuple[str, ...]) -> str:
    stick = [bindings.control(PAD_STEER)] if PAD_STEER in actions and bindings.control(PAD_STEER) else []
    return "  ".join(stick or [c for c in map(bindings.control, actions) if c]) or NOBODY


def short(key: str) -> str:
    """A key's name as it is printed: ``,`` without its name; letters large, words small."""
    key = key.split(" (")[0]
    return key.upper() if len(key) == 1 or key[1:].isdigit() else {"escape": "Esc"}.get(key, key)
