"""What devices do → what it means on a screen. Plain names and numbers in, presses out; a clock for what is held."""

from __future__ import annotations

from .page import Press

KEYS = {
    "up": Press.UP, "down": Press.DOWN, "left": Press.LEFT, "right": Press.RIGHT,
    "w": Press.UP, "s": Press.DOWN, "a": Press.LEFT, "d": Press.RIGHT,
    "return": Press.CHOOSE, "enter": Press.CHOOSE, "space": Press.CHOOSE, "escape": Press.BACK,
    "delete": Press.CLEAR, "backspace": Press.CLEAR, "tab": Press.DOWN,
}  # fmt: skip
BUTTONS = {
    "dpup": Press.UP, "dpdown": Press.DOWN, "dpleft": Press.LEFT, "dpright": Press.RIGHT,
    "a": Press.CHOOSE, "b": Press.BACK, "x": Press.CLEAR, "start": Press.BACK,
}  # fmt: skip
"""Menus keep their own buttons, whatever the race's are: nobody can lock himself out."""
PLAIN_BUTTONS = {0: Press.CHOOSE, 1: Press.BACK, 2: Press.CLEAR}
AXES = {"leftx": (Press.LEFT, Press.RIGHT), "lefty": (Press.UP, Press.DOWN)}
PUSHED, LET_GO = 0.6, 0.35
"""A stick counts as pushed from the first share of its way on, until it is below the second."""
DELAY_S, REPEAT_S = 0.4, 0.09
TURNING = (Press.UP, Press.DOWN, Press.LEFT, Press.RIGHT)


class Navigator:
    """Buttons, sticks and hats as presses; a direction that is held comes again and again."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[Press, float]] = {}

    def axis(self, source: str, value: float, ways: tuple[Press, Press], now: float) -> Press | None:
        """An axis moved to −1 … 1; the press that this begins, if any. ``source`` tells one axis from another."""
        held = self._held.get(source)
        way = ways[0] if value < 0 else ways[1]
        if held is not None and (abs(value) < LET_GO or held[0] is not way):
            del self._held[source]
            held = None
        if held is None and abs(value) > PUSHED:
            return self.down(source, way, now)
        return None

    def down(self, source: str, press: Press, now: float) -> Press:
        """A button went down."""
        if press in TURNING:
            self._held[source] = press, now + DELAY_S
        return press

    def up(self, source: str) -> None:
        """A button came up."""
        self._held.pop(source, None)

    def repeats(self, now: float) -> list[Press]:
        """Presses that are due again because something is held."""
        due = [(source, press) for source, (press, at) in self._held.items() if now >= at]
        for source, press in due:
            self._held[source] = press, now + REPEAT_S
        return [press for _, press in due]

    def release_all(self) -> None:
        """The window lost the focus, or another screen came."""
        self._held.clear()
