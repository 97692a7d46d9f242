"""What a player asks of the car in one tick."""

from __future__ import annotations

from typing import NamedTuple

from ..core.errors import UserError


class Controls(NamedTuple):
    """Controls of one car for one tick, as the device gave them; assists act inside the world.

    ``digital`` says that steering, throttle and brake come from keys: the world then smooths them. Analogue values
    pass unquantised.
    """

    steer: float = 0.0  # -1 full right … +1 full left
    throttle: float = 0.0  # 0 … 1
    brake: float = 0.0  # 0 … 1; held at a standstill it becomes reverse (automatic gears)
    handbrake: float = 0.0  # 0 … 1
    gear_shift: int = 0  # +1, 0, -1: an edge, only without automatic gears
    reset: bool = False  # put the car back on the track
    digital: bool = False

    def checked(self) -> Controls:
        """Self, if finite and in range. Raises UserError naming the field otherwise."""
        for name, low in (("steer", -1.0), ("throttle", 0.0), ("brake", 0.0), ("handbrake", 0.0)):
            value = getattr(self, name)
            if not low <= value <= 1.0:
                raise UserError(f"control {name!r} must lie in [{low:g}, 1], got {value!r}")
        if self.gear_shift not in (-1, 0, 1):
            raise UserError(f"control 'gear_shift' must be -1, 0 or 1, got {self.gear_shift!r}")
        return self
