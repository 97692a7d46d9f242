"""Which key and which control of a pad asks for what. Plain values: no device, no file, no window.

Driving keys are kept by their place on the keyboard, command keys by the name that is printed on them (see
``keyboard``). An action has at most two keys and one control of a pad; a key or a control belongs to one action.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..keyboard import (
    BRAKE,
    COMMAND_KEYS,
    DRIVING_KEYS,
    HANDBRAKE,
    STEER_LEFT,
    STEER_RIGHT,
    THROTTLE,
    Command,
)
from ..pad import ACTION_CONTROLS, AXES, BUTTONS, COMMAND_BUTTONS, HALVES, PAD_STEER

MOST_KEYS = 2
RESERVED, RESERVED_CONTROLS = ("escape",), ("start",)
"""Keys and controls that always open the menu, so that no choice can lock a player out."""
LONGEST_NAME = 32


class Action(NamedTuple):
    """Something that keys and pads can ask for: its name in files, and in words for people."""

    name: str
    title: str


DRIVING = (
    Action(STEER_LEFT, "steer left"), Action(STEER_RIGHT, "steer right"), Action(PAD_STEER, "steer (stick)"),
    Action(THROTTLE, "throttle"), Action(BRAKE, "brake, reverse"), Action(HANDBRAKE, "handbrake"),
)  # fmt: skip
UNBOUND = (Command.QUIT, Command.HOME)
"""Asked for by the window and by menus alone."""
ACTIONS = (*DRIVING, *(Action(command.value, command.value) for command in Command if command not in UNBOUND))
"""Everything that can be bound, in the order of the list."""
BY_NAME = {command.value: command for command in Command}
NAMED_PLACES = {
    **{4 + i: chr(ord("a") + i) for i in range(26)},
    **{30 + i: str((i + 1) % 10) for i in range(10)},
    40: "return", 42: "backspace", 43: "tab", 44: "space", 79: "right", 80: "left", 81: "down", 82: "up",
}  # fmt: skip
"""USB usage number of a key → what a US keyboard prints there."""
SHOWN = {"left": "←", "right": "→", "up": "↑", "down": "↓", "return": "enter", ",": "comma", ".": "period"}
PAD_WORDS = {
    "leftx": "left stick ↔", "lefty": "left stick ↕", "rightx": "right stick ↔", "righty": "right stick ↕",
    "lefttrigger": "left trigger", "righttrigger": "right trigger", "leftshoulder": "left shoulder",
    "rightshoulder": "right shoulder", "leftstick": "left stick pressed", "rightstick": "right stick pressed",
    "dpup": "cross ↑", "dpdown": "cross ↓", "dpleft": "cross ←", "dpright": "cross →",
    "leftx-": "left stick ←", "leftx+": "left stick →", "lefty-": "left stick ↑", "lefty+": "left stick ↓",
    "rightx-": "right stick ←", "rightx+": "right stick →", "righty-": "right stick ↑", "righty+": "right stick ↓",
    "a": "A", "b": "B", "x": "X", "y": "Y",
}  # fmt: skip
STICKS = AXES[:4]


@dataclass(frozen=True)
class Bindings:
    """The whole map.

    Args:
        driving: place of a key (USB usage number) → driving action, in the order in which they were given.
        commands: name of a key, as pygame says it → command.
        pad: action → control: one of ``pad.BUTTONS`` or ``pad.AXES``, or half a stick such as ``lefty-``.
        printed: place of a key → what is printed on it, for the list.
    """

    driving: Mapping[int, str] = field(default_factory=lambda: dict(DRIVING_KEYS))
    commands: Mapping[str, Command] = field(default_factory=lambda: dict(COMMAND_KEYS))
    pad: Mapping[str, str] = field(default_factory=lambda: default_pad())
    printed: Mapping[int, str] = field(default_factory=lambda: dict(NAMED_PLACES))

    def keys(self, action: str) -> list[str]:
        """What is printed on the keys of an action, in words for people."""
        if action in BY_NAME:
            names = [name for name, command in self.commands.items() if command.value == action]
        else:
            names = [self.printed.get(place, f"key {place}") for place, a in self.driving.items() if a == action]
        return [SHOWN.get(name, name) for name in names]

    def control(self, action: str) -> str:
        """The pad's control of an action in words, or nothing."""
        control = self.pad.get(action, "")
        return PAD_WORDS.get(control, control)

    def pad_commands(self) -> dict[str, Command]:
        """Button of a pad → command."""
        bound = {control: BY_NAME[action] for action, control in self.pad.items() if action in BY_NAME}
        return bound | dict.fromkeys(RESERVED_CONTROLS, Command.MENU)


def default_pad() -> dict[str, str]:
    """Action → control of a pad, as it comes."""
    return {**ACTION_CONTROLS, **{command.value: button for button, command in COMMAND_BUTTONS.items()}}


def with_key(bindings: Bindings, action: str, place: int, name: str) -> Bindings:
    """The action gets this key as well; of more than two, the oldest goes. Whoever had the key loses it.

    Raises:
        ValueError: if the key is reserved, or the action is a stick's.
    """
    if name in RESERVED or action == PAD_STEER:
        raise ValueError(f"{name} cannot be given to {action}")
    driving = {p: a for p, a in bindings.driving.items() if p != place}
    commands = {n: c for n, c in bindings.commands.items() if n != name}
    printed = {**bindings.printed, place: name}
    if action in BY_NAME:
        own = [n for n, c in commands.items() if c.value == action]
        own = [n for n in own if n in RESERVED] or own[: MOST_KEYS - 1]
        rest = {n: c for n, c in commands.items() if c.value != action}
        commands = {**rest, name: BY_NAME[action], **dict.fromkeys(own, BY_NAME[action])}
    else:
        places = [p for p, a in driving.items() if a == action][: MOST_KEYS - 1]
        driving = {**{p: a for p, a in driving.items() if a != action}, place: action, **dict.fromkeys(places, action)}
    return replace(bindings, driving=driving, commands=commands, printed=printed)


def with_control(bindings: Bindings, action: str, control: str) -> Bindings:
    """The action gets this control of a pad instead of its own; whoever had it loses it.

    Raises:
        ValueError: if the control cannot do this, see ``fitting``, or is reserved.
    """
    fitted = fitting(action, control)
    if fitted is None or (control in RESERVED_CONTROLS and action != Command.MENU.value):
        raise ValueError(f"{control} cannot be given to {action}")
    kept = {a: c for a, c in bindings.pad.items() if a != action and not _overlap(c, fitted)}
    return replace(bindings, pad={**kept, action: fitted})


def without(bindings: Bindings, action: str) -> Bindings:
    """The action has no key and no control any more, but for those that are reserved."""
    return replace(
        bindings,
        driving={p: a for p, a in bindings.driving.items() if a != action},
        commands={n: c for n, c in bindings.commands.items() if c.value != action or n in RESERVED},
        pad={a: c for a, c in bindings.pad.items() if a != action or c in RESERVED_CONTROLS},
    )


def fitting(action: str, control: str) -> str | None:
    """The control as this action uses it, or None: steering takes a whole stick, pedals half of one or a trigger,
    everything else a button.

    Args:
        control: a button, a trigger, or half a stick: what a hand has just moved.
    """
    if action == PAD_STEER:
        return control[:-1] if control in HALVES else control if control in STICKS else None
    analogue = action in (THROTTLE, BRAKE, HANDBRAKE) and (control in HALVES or control in AXES[4:])
    return control if analogue or control in BUTTONS else None


def _overlap(one: str, other: str) -> bool:
    """True if both are the same control, or the same stick's axis; its two halves may serve two pedals."""
    return one == other or (one.rstrip("+-") == other.rstrip("+-") and not (one in HALVES and other in HALVES))
