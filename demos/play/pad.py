"""Pad state → controls: which pad is whose, dead zones, triggers at rest. Plain numbers in, no device, no SDL.

Sticks and triggers are told apart by the mapping of the controller database, never guessed from their values. A
device without a mapping steers with its first axis and drives with its buttons, since nothing says which of its other
axes rest at −1 and which at 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine_sim.racing.controls import Controls

from .keyboard import BRAKE, HANDBRAKE, STEER_LEFT, STEER_RIGHT, THROTTLE, Command

AXES = ("leftx", "lefty", "rightx", "righty", "lefttrigger", "righttrigger")
"""Axis numbers of SDL's game controller events."""
BUTTONS = (
    "a", "b", "x", "y", "back", "guide", "start", "leftstick", "rightstick", "leftshoulder", "rightshoulder",
    "dpup", "dpdown", "dpleft", "dpright",
)  # fmt: skip
"""Button numbers of SDL's game controller events."""
TRIGGERS = AXES[4:]
HALVES = tuple(f"{stick}{way}" for stick in AXES[:4] for way in "-+")
"""Half a stick's axis: ``lefty-`` is the left stick pushed away."""
PAD_STEER = "steer"
ACTION_CONTROLS = {
    PAD_STEER: "leftx", THROTTLE: "righttrigger", BRAKE: "lefttrigger", HANDBRAKE: "a", STEER_LEFT: "dpleft",
    STEER_RIGHT: "dpright",
}  # fmt: skip
"""Driving action → the control that does it, as a pad comes."""
COMMAND_BUTTONS = {
    "y": Command.CAMERA,
    "x": Command.VIEW,
    "b": Command.RESET,
    "start": Command.MENU,
    "back": Command.LOOK,
    "rightshoulder": Command.SHIFT_UP,
    "leftshoulder": Command.SHIFT_DOWN,
    "rightstick": Command.PHOTO,
    "dpup": Command.WIPE_RIGHT,
    "dpdown": Command.WIPE_LEFT,
}
PLAIN_STEER = "plain steer"
PLAIN_AXES = {0: PLAIN_STEER}
PLAIN_BUTTONS = {
    0: f"plain {THROTTLE}", 1: f"plain {BRAKE}", 2: f"plain {HANDBRAKE}", 3: "start", 4: "leftshoulder",
    5: "rightshoulder",
}  # fmt: skip
"""What a device without a mapping has: its first controls are their own names, whatever the bindings say; the fourth
button opens the menu, from which everything else is reached."""
FULL_SCALE = 32767


@dataclass(frozen=True)
class PadConfig:
    """Feel of a pad.

    Args:
        dead_zone: share of the stick's travel that counts as centred; worn sticks rest at up to 0.09.
        curve: 0 answers evenly, 1 is gentle around the middle; the ends stay what they are.
        wake: how far an axis must move before its pad takes over from the keyboard.
    """

    dead_zone: float = 0.10
    curve: float = 0.0
    wake: float = 0.2


def stick_value(raw: int | float, dead_zone: float, curve: float = 0.0) -> float:
    """Axis of SDL, −32768 … 32767, → −1 … 1: 0 inside the dead zone, the rest re-scaled and bent, nothing quantised.

    The curve mixes v with its cube, so it is odd and monotone for any share of 0 … 1.
    """
    value = max(-1.0, min(1.0, raw / FULL_SCALE))
    size = abs(value)
    if size <= dead_zone:
        return 0.0
    scaled = (size - dead_zone) / (1.0 - dead_zone)
    if curve:
        scaled = (1.0 - curve) * scaled + curve * scaled**3
    return scaled if value > 0 else -scaled


def trigger_value(raw: int | float) -> float:
    """Trigger of SDL's mapping, 0 … 32767 with 0 at rest, → force 0 … 1."""
    return max(0.0, min(1.0, raw / FULL_SCALE))


@dataclass
class Pad:
    """State of one connected device. Axes that have not reported yet are at rest."""

    instance: int
    name: str
    mapped: bool
    sticks: dict[str, int | float] = field(default_factory=dict)
    triggers: dict[str, float] = field(default_factory=dict)
    buttons: set[str] = field(default_factory=set)

    def controls(self, config: PadConfig, bound: Mapping[str, str] = ACTION_CONTROLS) -> Controls:
        """Controls of this moment, analogue.

        Args:
            bound: driving action → control.
        """
        if not self.mapped:
            bound = {PAD_STEER: PLAIN_STEER, **{a: f"plain {a}" for a in (THROTTLE, BRAKE, HANDBRAKE)}}
        steer = -self.stick(bound.get(PAD_STEER, ""), config)
        if steer == 0.0:
            steer = self._force(bound, STEER_LEFT, config) - self._force(bound, STEER_RIGHT, config)
        return Controls(
            steer=steer,
            throttle=self._force(bound, THROTTLE, config),
            brake=self._force(bound, BRAKE, config),
            handbrake=self._force(bound, HANDBRAKE, config),
        )

    def stick(self, axis: str, config: PadConfig) -> float:
        """A stick's axis as it counts, −1 … 1."""
        return stick_value(self.sticks.get(axis, 0), config.dead_zone, config.curve)

    def release_all(self) -> None:
        """Forget everything held, as if the hands had left the pad."""
        self.sticks.clear()
        self.triggers.clear()
        self.buttons.clear()

    def _force(self, bound: Mapping[str, str], action: str, config: PadConfig) -> float:
        """How hard a control is pressed, 0 … 1."""
        control = bound.get(action, "")
        if control in HALVES:
            value = self.stick(control[:-1], config)
            return max(0.0, value if control[-1] == "+" else -value)
        return max(self.triggers.get(control, 0.0), float(control in self.buttons))


class Pads:
    """All connected pads by instance id, each on the lowest free seat; device numbers are never used."""

    def __init__(self, config: PadConfig | None = None) -> None:
        self.config = config or PadConfig()
        self.bound: Mapping[str, str] = ACTION_CONTROLS
        self.commands: Mapping[str, Command] = COMMAND_BUTTONS
        self._seats: list[Pad | None] = []

    def add(self, instance: int, name: str, mapped: bool = True) -> None:
        """A pad was plugged in; adding it twice changes nothing."""
        if self.find(instance) is not None:
            return
        pad = Pad(instance, name, mapped)
        if None in self._seats:
            self._seats[self._seats.index(None)] = pad
        else:
            self._seats.append(pad)

    def remove(self, instance: int) -> None:
        """A pad was pulled out; its seat becomes free and whatever it held is released."""
        self._seats = [None if pad is not None and pad.instance == instance else pad for pad in self._seats]

    def find(self, instance: int) -> Pad | None:
        """The pad of an instance id, or None."""
        return next((p for p in self._seats if p is not None and p.instance == instance), None)

    def players(self) -> list[int | None]:
        """Instance id of each seat: element 0 is player 1."""
        return [None if pad is None else pad.instance for pad in self._seats]

    def axis(self, instance: int, number: int, raw: int | float) -> bool:
        """An axis moved; True if it moved far enough to say that this pad is in somebody's hands."""
        pad = self.find(instance)
        if pad is None:
            return False
        name = axis_name(number) if pad.mapped else PLAIN_AXES.get(number)
        if name in TRIGGERS:
            pad.triggers[name] = trigger_value(raw)
            return pad.triggers[name] > self.config.wake
        if name is not None:
            pad.sticks[name] = raw
        return self._drives(name) and abs(raw) / FULL_SCALE > self.config.wake

    def button(self, instance: int, number: int, down: bool) -> Command | None:
        """A button went down or up; the command that the press asks for, if any."""
        pad = self.find(instance)
        if pad is None:
            return None
        name = button_name(number) if pad.mapped else PLAIN_BUTTONS.get(number)
        if name is None:
            return None
        (pad.buttons.add if down else pad.buttons.discard)(name)
        return self.commands.get(name) if down else None

    def release_all(self) -> None:
        """The window lost the focus."""
        for pad in self._seats:
            if pad is not None:
                pad.release_all()

    def names(self) -> list[str]:
        """Names of the connected pads, in the order of the seats."""
        return [pad.name for pad in self._seats if pad is not None]

    def _drives(self, axis: str | None) -> bool:
        """True if a stick's axis, or half of it, is bound to something."""
        return axis == PLAIN_STEER or any(control.rstrip("+-") == axis for control in self.bound.values())


def axis_name(number: int) -> str | None:
    """Name of an axis of a mapped pad."""
    return AXES[number] if 0 <= number < len(AXES) else None


def button_name(number: int) -> str | None:
    """Name of a button of a mapped pad."""
    return BUTTONS[number] if 0 <= number < len(BUTTONS) else None
