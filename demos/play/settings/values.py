"""The settings as one frozen record, and the record as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from demos.options import DEFAULT_LOOK, DEFAULT_TRACK
from engine_sim.core.errors import UserError
from engine_sim.recording.fields import Fields

from ..keyboard import Command
from ..pad import AXES, BUTTONS, HALVES, PadConfig
from .bindings import (
    ACTIONS,
    BY_NAME,
    DRIVING,
    LONGEST_NAME,
    RESERVED,
    RESERVED_CONTROLS,
    UNBOUND,
    Bindings,
    fitting,
)

FORMAT = "paintover-settings-1"
MOST_DEAD_ZONE = 0.5
MOST_PLACE = 511
"""The largest number that SDL gives to a key's place."""


@dataclass(frozen=True)
class Choices:
    """The race that the start screen offers first: the one that was started last."""

    track: str = DEFAULT_TRACK
    look: str = DEFAULT_LOOK
    rivals: int = 7
    laps: int = 2
    size: str = "448x256"


@dataclass(frozen=True)
class Settings:
    """All of it.

    Args:
        bindings: keys and pad.
        pad: dead zone and curve.
        sound: engine and tyres are heard. volume: 0 … 1.
        pause_unfocused: the race pauses while another window is used.
        race: what the start screen offers.
    """

    bindings: Bindings = field(default_factory=Bindings)
    pad: PadConfig = field(default_factory=PadConfig)
    sound: bool = False
    volume: float = 0.6
    pause_unfocused: bool = False
    race: Choices = field(default_factory=Choices)


def to_json(settings: Settings) -> dict[str, Any]:
    """The settings as JSON values."""
    bindings = settings.bindings
    used = {str(place): bindings.printed.get(place, "") for place in bindings.driving}
    return {
        "format": FORMAT,
        "driving": {str(place): action for place, action in bindings.driving.items()},
        "printed": {place: name for place, name in used.items() if name},
        "commands": {name: command.value for name, command in bindings.commands.items()},
        "pad": dict(bindings.pad),
        "dead_zone": settings.pad.dead_zone,
        "curve": settings.pad.curve,
        "sound": settings.sound,
        "volume": settings.volume,
        "pause_unfocused": settings.pause_unfocused,
        "race": vars(settings.race),
    }


def from_json(value: Any, where: str) -> Settings:
    """Settings from JSON values. UserError names the field, what was expected and what came."""
    fields = Fields(value, where)
    fields.text("format", (FORMAT,))
    race = fields.inner("race")
    return Settings(
        bindings=_bindings(fields),
        pad=PadConfig(fields.number("dead_zone", 0.0, MOST_DEAD_ZONE), fields.number("curve", 0.0, 1.0)),
        sound=fields.flag("sound"),
        volume=fields.number("volume", 0.0, 1.0),
        pause_unfocused=fields.flag("pause_unfocused"),
        race=Choices(
            track=race.text("track", longest=256),
            look=race.text("look", longest=256),
            rivals=race.integer("rivals", 0, 15),
            laps=race.integer("laps", 1, 200),
            size=race.text("size", longest=16),
        ),
    )


def _bindings(fields: Fields) -> Bindings:
    drives = tuple(action.name for action in DRIVING)
    driving, commands = fields.inner("driving"), fields.inner("commands")
    places = {_place(driving.where, key): driving.text(key, drives) for key in driving.value}
    names = tuple(name for name, command in BY_NAME.items() if command not in UNBOUND)
    chosen = {_name(commands.where, key): BY_NAME[commands.text(key, names)] for key in commands.value}
    if any(chosen.get(key) is not default for key, default in _kept().items()):
        raise UserError(f"{commands.where}: {', '.join(RESERVED)} must open the menu")
    printed = fields.inner("printed")
    words = {_place(printed.where, key): printed.text(key, longest=LONGEST_NAME) for key in printed.value}
    return Bindings(places, chosen, _pad(fields.inner("pad")), {**Bindings().printed, **words})


def _kept() -> Mapping[str, Any]:
    return {key: Bindings().commands[key] for key in RESERVED}


def _pad(fields: Fields) -> dict[str, str]:
    known = {action.name for action in ACTIONS}
    bound: dict[str, str] = {}
    for action in fields.value:
        control = fields.text(action, (*BUTTONS, *AXES, *HALVES))
        if action not in known or fitting(action, control) != control:
            raise UserError(f"{fields.where}: {control} cannot be given to {action[:40]!r}")
        if control in RESERVED_CONTROLS and action != Command.MENU.value:
            continue  # it opens the menu, whatever older settings say
        bound[action] = control
    return bound


def _place(where: str, key: str) -> int:
    if not (key.isascii() and key.isdigit() and len(key) < 5 and int(key) <= MOST_PLACE):
        raise UserError(f"{where}: expected the place of a key, 0 to {MOST_PLACE}, got {key[:40]!r}")
    return int(key)


def _name(where: str, key: str) -> str:
    if not 0 < len(key) <= LONGEST_NAME:
        raise UserError(f"{where}: expected the name of a key, got {key[:40]!r}")
    return key
