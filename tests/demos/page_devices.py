"""Hands on the browser page: keyboard alone, pad alone, fingers alone; each reaches every control in its own way."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

from .browser import MIDDLE, Page

MOST_STEPS = 14
"""From the looks to any other control of the studio."""
PAD_KEYS = {"up": 12, "down": 13, "left": 14, "right": 15, "take": 0, "leave": 1, "studio": 8}


class Hand(ABC):
    """What every device can do with a page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @abstractmethod
    def hold(self, what: str) -> None:
        """Hold what drives: ``gas``, ``left`` or ``handbrake``."""

    @abstractmethod
    def let_go(self) -> None:
        """Hold nothing any more."""

    @abstractmethod
    def take(self, selector: str, way: str = "up") -> None:
        """Press a control of the studio; it lies that ``way`` from the looks."""

    @abstractmethod
    def write(self, text: str) -> None:
        """Paint this prompt, of the letters q and w."""

    @abstractmethod
    def leave(self) -> None:
        """Back to the race."""

    def _at(self, selector: str) -> bool:
        return bool(self.page.eval(f"document.activeElement.matches({json.dumps(selector)})"))


class Keyboard(Hand):
    """Keys, and nothing else."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._held: list[str] = []

    def hold(self, what: str) -> None:
        self._held.append({"gas": "ArrowUp", "left": "ArrowLeft", "handbrake": "Space"}[what])
        self.page.key(self._held[-1], down=True)

    def let_go(self) -> None:
        while self._held:
            self.page.key(self._held.pop(), down=False)

    def press(self, code: str) -> None:
        """A key that means something by itself."""
        self.page.key(code)

    def take(self, selector: str, way: str = "up") -> None:
        self.page.key("KeyL")
        for _ in range(MOST_STEPS):
            if self._at(selector):
                break
            self.page.key({"up": "ArrowUp", "down": "ArrowDown", "right": "ArrowRight"}[way])
        assert self._at(selector), f"no way to {selector}"
        self.page.key("Enter")

    def write(self, text: str) -> None:
        self.page.key("KeyT")
        self.page.eval("document.activeElement.select()")
        self.page.call("Input.insertText", {"text": text})
        self.page.call("Input.dispatchKeyEvent", {"type": "keyDown", "key": "Enter", "code": "Enter", "modifiers": 2})

    def leave(self) -> None:
        self.page.key("Escape")


class Pad(Hand):
    """A standard pad, which ``browser.PAD`` has brought to the page."""

    def hold(self, what: str) -> None:
        self.page.eval({"gas": "press(7, 1)", "left": "pad.axes[0] = -1", "handbrake": "press(0, 1)"}[what])

    def let_go(self) -> None:
        self.page.eval("press(7, 0), press(0, 0), pad.axes[0] = 0")

    def press(self, *buttons: int) -> None:
        """Buttons that mean something by themselves."""
        self.page.tap(*buttons)

    def take(self, selector: str, way: str = "up") -> None:
        if self._at("#panel *"):
            self.leave()
        self.page.tap(PAD_KEYS["studio"])
        for _ in range(MOST_STEPS):
            if self._at(selector):
                break
            self.page.tap(PAD_KEYS[way])
        assert self._at(selector), f"no way to {selector}"
        self.page.tap(PAD_KEYS["take"])

    def write(self, text: str) -> None:
        self.take("#prompt", "down")
        self.page.until("document.getElementById('letters').open")
        while self.page.text("#letters-line") != "_":
            self.page.tap(2)
        for letter in text:
            self.page.tap(*({"q": (), "w": (15,)}[letter]), 0, *({"q": (), "w": (14,)}[letter]))
        self.page.tap(12, 12, 14, 0)  # over the digits to the last row, whose last key paints

    def leave(self) -> None:
        self.page.tap(PAD_KEYS["leave"])


class Fingers(Hand):
    """A touch screen."""

    def hold(self, what: str) -> None:
        place = {"gas": "#pedal-gas", "left": "#steer", "handbrake": "#pedal-hand"}[what]
        self._touch("touchStart", self._middle(place))
        if what == "left":
            x, y = self._middle(place)
            self._touch("touchMove", (x - 60, y))

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._down = False
        if page.eval("document.getElementById('touch').hidden"):
            self.press("#video")  # the first finger on the picture brings what drives

    def let_go(self) -> None:
        if self._down:
            self._touch("touchEnd")

    def press(self, selector: str) -> None:
        """A control that lies in the open."""
        self._touch("touchStart", self._middle(selector))
        self._touch("touchEnd")

    def take(self, selector: str, way: str = "up") -> None:
        self.press(selector)

    def write(self, text: str) -> None:
        self.press("#prompt")
        self.page.until("document.activeElement.id === 'prompt'")
        self.page.eval("document.activeElement.select()")
        self.page.call("Input.insertText", {"text": text})  # the screen's own keyboard
        self.press("#paint")

    def leave(self) -> None:
        """Fingers are never away from the race."""

    def _middle(self, selector: str) -> tuple[float, float]:
        x, y = self.page.eval(MIDDLE % json.dumps(selector))
        return x, y

    def _touch(self, kind: str, *points: tuple[float, float]) -> None:
        values: dict[str, Any] = {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        self.page.call("Input.dispatchTouchEvent", values)
        self._down = kind != "touchEnd"


HANDS = {"keyboard": Keyboard, "pad": Pad, "fingers": Fingers}
