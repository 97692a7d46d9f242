"""One running game on an X server: its window, its keys, its report, and the pixels that a person would see."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from demos.play.letterbox import letterbox
from render_bridge.palette import RACING

from .conftest import Desktop, wait_for
from .play_standins import CLASS_CORNERS

ROOT = Path(__file__).resolve().parents[2]
CLASS_COLORS = [list(RACING.classes[i].color) for i in CLASS_CORNERS]


class Play:
    """One running game in a process group of its own."""

    def __init__(self, desktop: Desktop, folder: Path, *words: str) -> None:
        self.desktop = desktop
        self.report = folder / "report.json"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.demos.window_under_test", str(self.report), *words],
            cwd=ROOT, env=desktop.environment(), start_new_session=True,
        )  # fmt: skip

    def window(self) -> str:
        """X id of the game's window."""
        wait_for(lambda: self._search() or self.process.poll() is not None)
        return self._search()

    def started(self) -> Play:
        """Wait until the race runs."""
        wait_for(lambda: self.report.with_suffix(".ready").exists() or self.process.poll() is not None, 120)
        assert self.process.poll() is None, "the game ended before its race began"
        time.sleep(0.3)
        return self

    def press(self, *keys: str) -> None:
        """Press keys one after the other, as a person would."""
        for key in keys:
            self.desktop.xdotool("key", key)
            time.sleep(0.1)

    def renderer(self) -> int:
        """Process id of the game's own renderer."""
        return int(self.report.with_suffix(".ready").read_text())

    def so_far(self) -> dict:
        """See ``WatchedWindow.so_far``; a tenth of a second old."""
        live = self.report.with_suffix(".live")
        return json.loads(live.read_text()) if live.exists() else {"said": [], "painted": 0, "raced": 0, "controls": []}

    def felt(self, throttle: float, steer: float = 0.0) -> None:
        """Wait until the car has got these controls from the keys."""
        wait_for(lambda: self.so_far()["controls"] == [throttle, steer, True], 30)

    def race_on(self, ticks: int) -> None:
        """Wait until the race is that many ticks further."""
        goal = self.so_far()["raced"] + ticks
        wait_for(lambda: self.so_far()["raced"] >= goal, 30)

    def waits(self, seconds: float = 0.5) -> bool:
        """True if the race does not go on for that long."""
        before = self.so_far()["raced"]
        time.sleep(seconds)
        return self.so_far()["raced"] == before

    def leave(self) -> dict:
        """Leave by the menu, whose last entry it is, and read the report."""
        self.press("Escape", "Up", "Return")
        return self.ended()

    def ended(self, seconds: float = 10.0) -> dict:
        """Wait for the end and read the report."""
        assert self.process.wait(seconds) == 0
        return json.loads(self.report.read_text())

    def alone(self) -> bool:
        """True if no process of the game's group is left."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    def place(self) -> tuple[int, int, int, int]:
        """x, y, width, height of the window on the screen; zeros while it is being made anew."""
        facts = dict(line.split("=") for line in self._asked("getwindowgeometry", "--shell", self.window()))
        return tuple(int(facts.get(k, 0)) for k in ("X", "Y", "WIDTH", "HEIGHT"))

    def focused(self) -> bool:
        """True if keys go to the window."""
        return self._asked("getwindowfocus") == [self.window()]

    def picture(self) -> np.ndarray:
        """What the screen shows where the window is."""
        x, y, width, height = self.place()
        return self.desktop.pixels()[y : y + height, x : x + width]

    def _search(self) -> str:
        return next(iter(self._asked("search", "--onlyvisible", "--class", ".")), "")

    def _asked(self, *words: str) -> list[str]:
        """What xdotool answers; nothing if it finds none."""
        done = subprocess.run(
            ["xdotool", *words], env=self.desktop.environment(), capture_output=True, text=True, timeout=20
        )
        return done.stdout.split()


def panels(seen: np.ndarray, count: int = 1) -> list[np.ndarray]:
    """The views of a window, without the bars around them."""
    place = letterbox((96 * count, 64), (seen.shape[1], seen.shape[0]))
    inner = seen[place.top : place.top + place.height, place.left : place.left + place.width]
    return [inner[:, place.width * k // count : place.width * (k + 1) // count] for k in range(count)]


def corners(view: np.ndarray) -> list[list[int]]:
    """Top left, top right, bottom left, bottom right of one view, where the display leaves it free."""
    h, w = view.shape[:2]
    left, right, top, bottom = int(0.35 * h), w - int(0.35 * h), int(0.22 * h), int(0.78 * h)
    return [view[y, x].tolist() for y, x in ((top, left), (top, right), (bottom, left), (bottom, right))]
