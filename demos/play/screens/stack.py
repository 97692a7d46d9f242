"""Screens upon screens: the topmost has the player's ear; one that is done uncovers the one below."""

from __future__ import annotations

from .page import Page, Press, Screen, Touched


class Stack:
    """At least one screen at first; done when the last one is.

    Args:
        first: the lowest screen.
    """

    def __init__(self, first: Screen) -> None:
        self._screens = [first]

    @property
    def done(self) -> bool:
        """True once no screen is left."""
        self._settle()
        return not self._screens

    @property
    def top(self) -> Screen | None:
        """The screen that is seen."""
        self._settle()
        return self._screens[-1] if self._screens else None

    def push(self, screen: Screen) -> None:
        """Open another screen over the present one."""
        self._screens.append(screen)

    def leave(self) -> None:
        """Close them all."""
        self._screens.clear()

    def press(self, press: Press) -> None:
        """To the topmost screen."""
        if self.top is not None:
            self.top.press(press)

    def touch(self, touched: Touched) -> None:
        """To the topmost screen."""
        if self.top is not None:
            self.top.touch(touched)

    def page(self) -> Page | None:
        """Of the topmost screen."""
        return None if self.top is None else self.top.page()

    def _settle(self) -> None:
        while self._screens and self._screens[-1].done:
            self._screens.pop()
