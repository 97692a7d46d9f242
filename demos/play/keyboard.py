"""Key state → controls. Driving keys go by place on the keyboard, commands by the letter printed on the key.

So W A S D sit in the same place on every layout, and H is the key that says H. Places are USB usage numbers, which SDL
calls scancodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from engine_sim.racing.controls import Controls


class Command(Enum):
    """What a key or a pad's button asks of the program, once per press."""

    QUIT = "quit"
    HOME = "start screen"
    MENU = "menu"
    PAUSE = "pause"
    CAMERA = "next camera"
    VIEW = "next view"
    LOOK = "looks"
    PROMPT = "prompt"
    PHOTO = "photo mode"
    WIPE_LEFT = "wipe to the left"
    WIPE_RIGHT = "wipe to the right"
    SCREENSHOT = "screenshot"
    HELP = "help"
    FULL_SCREEN = "full screen"
    RESTART = "race again"
    RESET = "back to the track"
    SHIFT_UP = "gear up"
    SHIFT_DOWN = "gear down"


STEER_LEFT, STEER_RIGHT, THROTTLE, BRAKE, HANDBRAKE = "left", "right", "throttle", "brake", "handbrake"

DRIVING_KEYS = {
    80: STEER_LEFT,  # ←
    4: STEER_LEFT,  # A
    79: STEER_RIGHT,  # →
    7: STEER_RIGHT,  # D
    82: THROTTLE,  # ↑
    26: THROTTLE,  # W
    81: BRAKE,  # ↓
    22: BRAKE,  # S
    44: HANDBRAKE,  # space
}
COMMAND_KEYS = {
    "escape": Command.MENU,
    "p": Command.PAUSE,
    "c": Command.CAMERA,
    "v": Command.VIEW,
    "l": Command.LOOK,
    "t": Command.PROMPT,
    "f": Command.PHOTO,
    ",": Command.WIPE_LEFT,
    ".": Command.WIPE_RIGHT,
    "f12": Command.SCREENSHOT,
    "h": Command.HELP,
    "f1": Command.HELP,
    "f11": Command.FULL_SCREEN,
    "return": Command.RESTART,
    "r": Command.RESET,
    "e": Command.SHIFT_UP,
    "q": Command.SHIFT_DOWN,
}


class Keyboard:
    """Which driving keys are down, in the order in which they went down.

    Args:
        driving: place of a key → driving action.
    """

    def __init__(self, driving: Mapping[int, str] = DRIVING_KEYS) -> None:
        self.driving = driving
        self._down: dict[int, str] = {}

    def press(self, scancode: int) -> bool:
        """A key went down; True if it is a driving key. A repeated press changes nothing."""
        action = self.driving.get(scancode)
        if action is not None:
            self._down.setdefault(scancode, action)
        return action is not None

    def release(self, scancode: int) -> None:
        """A key came up; unknown or already released keys change nothing."""
        self._down.pop(scancode, None)

    def release_all(self) -> None:
        """The window lost the focus: key-up events will not come any more."""
        self._down.clear()

    @property
    def idle(self) -> bool:
        """True while no driving key is down."""
        return not self._down

    def controls(self) -> Controls:
        """Controls of this moment; with both directions held, the newer key wins."""
        held = set(self._down.values())
        turns = [a for a in self._down.values() if a in (STEER_LEFT, STEER_RIGHT)]
        steer = 0.0 if not turns else (1.0 if turns[-1] == STEER_LEFT else -1.0)
        return Controls(
            steer=steer,
            throttle=float(THROTTLE in held),
            brake=float(BRAKE in held),
            handbrake=float(HANDBRAKE in held),
            digital=True,
        )
