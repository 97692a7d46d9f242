"""Keys and a pad as motion of the free camera. Names and numbers in, a ``Motion`` out."""

from __future__ import annotations

from ..pad import PadConfig, stick_value, trigger_value
from .camera import Motion

KEYS: dict[str, tuple[str, float]] = {
    "w": ("ahead", 1.0), "s": ("ahead", -1.0), "d": ("aside", 1.0), "a": ("aside", -1.0),
    "e": ("up", 1.0), "q": ("up", -1.0), "left": ("turn", 1.0), "right": ("turn", -1.0),
    "up": ("tilt", 1.0), "down": ("tilt", -1.0), "x": ("zoom", 1.0), "z": ("zoom", -1.0),
    "page up": ("zoom", 1.0), "page down": ("zoom", -1.0), "left shift": ("fast", 1.0), "right shift": ("fast", 1.0),
}  # fmt: skip
BUTTONS: dict[str, tuple[str, float]] = {
    "dpup": ("up", 1.0), "dpdown": ("up", -1.0), "rightshoulder": ("zoom", 1.0), "leftshoulder": ("zoom", -1.0),
    "y": ("fast", 1.0),
}  # fmt: skip
AXES: dict[str, tuple[str, float]] = {
    "leftx": ("aside", 1.0), "lefty": ("ahead", -1.0), "rightx": ("turn", -1.0), "righty": ("tilt", -1.0),
    "righttrigger": ("up", 1.0), "lefttrigger": ("up", -1.0),
}  # fmt: skip


class Hands:
    """What is held.

    Args:
        config: feel of the pad.
    """

    def __init__(self, config: PadConfig) -> None:
        self._config = config
        self._held: dict[str, tuple[str, float]] = {}

    def key(self, name: str, down: bool) -> None:
        """A key, by its printed name."""
        self._hold(f"key {name}", KEYS.get(name), down)

    def button(self, name: str, down: bool) -> None:
        """A pad's button."""
        self._hold(f"button {name}", BUTTONS.get(name), down)

    def axis(self, name: str, raw: float) -> None:
        """A pad's axis in SDL's numbers."""
        if name in AXES:
            way, sign = AXES[name]
            value = trigger_value(raw) if name.endswith("trigger") else stick_value(raw, self._config.dead_zone)
            self._held[f"axis {name}"] = way, sign * value

    def hat(self, right: int, up: int) -> None:
        """The cross of a device without mapping looks around; −1, 0 or 1 each."""
        self._held["hat right"] = "turn", -float(right)
        self._held["hat up"] = "tilt", float(up)

    def release_all(self) -> None:
        """The window lost the focus."""
        self._held.clear()

    def motion(self) -> Motion:
        """What all of it together asks for."""
        sums = dict.fromkeys(Motion._fields, 0.0)
        for way, value in self._held.values():
            sums[way] += value
        return Motion(**{way: max(-1.0, min(1.0, value)) for way, value in sums.items()})

    def _hold(self, source: str, what: tuple[str, float] | None, down: bool) -> None:
        if what is not None and down:
            self._held[source] = what
        else:
            self._held.pop(source, None)
