"""Who holds the wheel, and who asks for it. Plain state: no socket, no clock."""

from __future__ import annotations


class Wheel:
    """One wheel among several people, known by their numbers. The first to come drives; it is given, never taken."""

    def __init__(self) -> None:
        self.driver: int | None = None
        self.asking: list[int] = []
        self._here: list[int] = []

    def join(self, who: int) -> None:
        """Somebody comes. He drives if nobody does and nobody asks."""
        self._here.append(who)
        if self.driver is None and not self.asking:
            self.driver = who

    def leave(self, who: int) -> None:
        """Somebody goes; whoever asked first drives then, else nobody does."""
        self._here.remove(who)
        if who in self.asking:
            self.asking.remove(who)
        if self.driver == who:
            self.driver = self.asking.pop(0) if self.asking else None

    def ask(self, who: int, on: bool = True) -> None:
        """Ask for the wheel: a free one is had at once, another waits for its driver. ``on`` False takes it back."""
        if who == self.driver or who not in self._here:
            return
        if who in self.asking:
            self.asking.remove(who)
        if on and self.driver is None:
            self.driver = who
        elif on:
            self.asking.append(who)

    def answer(self, driver: int, to: int, yes: bool) -> bool:
        """The driver says yes or no to somebody who asks. False if he is not the driver, or nobody asks any more."""
        if driver != self.driver or to not in self.asking:
            return False
        self.asking.remove(to)
        if yes:
            self.driver = to
        return True
