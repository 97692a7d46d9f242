"""Pad state → controls: which pad is whose, dead zones, triggers at rest. Plain numbers in, no device, no SDL.

Sticks and triggers are told apart by the mapping of the controller database, never guessed from their values. A
device without a mapping steers with its first axis and drives with its buttons, since nothing says which of its other
axes rest at −1 and which at 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine_sim.racing.controls import Controls

from .keyboard import Command

STICK_STEER, TRIGGER_THROTTLE, TRIGGER_BRAKE = "leftx", "righttrigger", "lefttrigger"
BUTTON_HANDBRAKE, BUTTON_THROTTLE, BUTTON_BRAKE, PAD_LEFT, PAD_RIGHT = "a", "throttle", "brake", "dpleft", "dpright"
AXES = ("leftx", "lefty", "rightx", "righty", "lefttrigger", "righttrigger")
"""Axis numbers of SDL's game controller events."""
BUTTONS = (
    "a", "b", "x", "y", "back", "guide", "start", "leftstick", "rightstick", "leftshoulder", "rightshoulder",
    "dpup", "dpdown", "dpleft", "dpright",
)  # fmt: skip
"""Button numbers of SDL's game controller events."""
PLAIN_AXES = {0: STICK_STEER}
PLAIN_BUTTONS = {0: BUTTON_THROTTLE, 1: BUTTON_BRAKE, 2: BUTTON_HANDBRAKE}
COMMAND_BUTTONS = {
    "y": Command.CAMERA,
    "x": Command.VIEW,
    "b": Command.RESET,
    "start": Command.PAUSE,
    "back": Command.LOOK,
    "rightshoulder": Command.SHIFT_UP,
    "leftshoulder": Command.SHIFT_DOWN,
}
FULL_SCALE = 32767


@dataclass(frozen=True)
class PadConfig:
    """Feel of a pad.

    Args:
        dead_zone: share of the stick's travel that counts as centred; worn sticks rest at up to 0.09.
        wake: how far an axis must move before its pad takes over from the keyboard.
    """

    dead_zone: float = 0.10
    wake: float = 0.2


def stick_value(raw: int | float, dead_zone: float) -> float:
    """Axis of SDL, −32768 … 32767, → −1 … 1: 0 inside the dead zone, the rest re-scaled, nothing quantised."""
    value = max(-1.0, min(1.0, raw / FULL_SCALE))
    size = abs(value)
    if size <= dead_zone:
        return 0.0
    scaled = (size - dead_zone) / (1.0 - dead_zone)
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

    def controls(self, config: PadConfig) -> Controls:
        """Controls of this moment, analogue."""
        steer = -stick_value(self.sticks.get(STICK_STEER, 0), config.dead_zone)
        if steer == 0.0:
            steer = float(PAD_LEFT in self.buttons) - float(PAD_RIGHT in self.buttons)
        return Controls(
            steer=steer,
            throttle=max(self.triggers.get(TRIGGER_THROTTLE, 0.0), float(BUTTON_THROTTLE in self.buttons)),
            brake=max(self.triggers.get(TRIGGER_BRAKE, 0.0), float(BUTTON_BRAKE in self.buttons)),
            handbrake=float(BUTTON_HANDBRAKE in self.buttons),
        )

    def release_all(self) -> None:
        """Forget everything held, as if the hands had left the pad."""
        self.sticks.clear()
        self.triggers.clear()
        self.buttons.clear()


class Pads:
    """All connected pads by instance id, each on the lowest free seat; device numbers are never used."""

    def __init__(self, config: PadConfig | None = None) -> None:
        self.config = config or PadConfig()
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
        name = AXES[number] if pad.mapped and 0 <= number < len(AXES) else PLAIN_AXES.get(number)
        if name in (TRIGGER_THROTTLE, TRIGGER_BRAKE):
            pad.triggers[name] = trigger_value(raw)
            return pad.triggers[name] > self.config.wake
        if name is not None:
            pad.sticks[name] = raw
        return name == STICK_STEER and abs(raw) / FULL_SCALE > self.config.wake

    def button(self, instance: int, number: int, down: bool) -> Command | None:
        """A button went down or up; the command that the press asks for, if any."""
        pad = self.find(instance)
        if pad is None:
            return None
        name = BUTTONS[number] if pad.mapped and 0 <= number < len(BUTTONS) else PLAIN_BUTTONS.get(number)
        if name is None:
            return None
        (pad.buttons.add if down else pad.buttons.discard)(name)
        return COMMAND_BUTTONS.get(name) if down else None

    def release_all(self) -> None:
        """The window lost the focus."""
        for pad in self._seats:
            if pad is not None:
                pad.release_all()

    def names(self) -> list[str]:
        """Names of the connected pads, in the order of the seats."""
        return [pad.name for pad in self._seats if pad is not None]
