"""Screens with something to show, and what they lead to kept in lists."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from demos.play.screens.keys import KeysScreen
from demos.play.screens.page import Press
from demos.play.screens.pause import Acts, Moment, PauseScreen
from demos.play.screens.replays import Book, Preview
from demos.play.screens.start import Doors, StartScreen
from demos.play.settings.bindings import Bindings
from demos.play.settings.values import Choices, Settings
from demos.play.views import VIEWS

TRACKS, LOOKS = ["acorn-loop", "kestrel-valley", "plum-oval"], ["golden-hour", "storm"]
SQUARE = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]])


def nothing(*_: object) -> None:
    pass


def press(screen, *presses: Press) -> None:
    for each in presses:
        screen.press(each)


class House:
    """Settings that are kept in memory."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.said: list[str] = []
        self.full = 0
        self.at: float | None = None

    def change(self, settings: Settings) -> None:
        self.settings = settings

    def say(self, text: str) -> None:
        self.said.append(text)

    def full_screen(self) -> None:
        self.full += 1

    def stick(self) -> float | None:
        return self.at


def start(choices: Choices = Choices("kestrel-valley", "storm"), painters=()) -> tuple[StartScreen, list[str]]:  # noqa: B008
    went: list[str] = []
    doors = Doors(*(lambda name=name: went.append(name) for name in ("race", "settings", "recordings", "leave")))
    return StartScreen(TRACKS, LOOKS, choices, doors, painters), went


def paused(**words) -> tuple[PauseScreen, list]:
    did: list = []
    acts = Acts(
        *(lambda *what, name=n: did.append((name, *what)) for n in ("ask", "view", "look", "prompt", "set", "up"))
    )
    moment = Moment(**{"views": VIEWS, "view": "both", "looks": LOOKS, "look": 1, **words})
    return PauseScreen(moment, acts), did


def keys() -> tuple[KeysScreen, list[Bindings], list[str]]:
    changed: list[Bindings] = []
    said: list[str] = []
    return KeysScreen(Bindings(), changed.append, said.append), changed, said


class Books:
    folder = Path("sessions")

    def __init__(self, *names: str) -> None:
        self.names = names
        self.read: dict[str, Preview] = {}

    def books(self) -> list[Book]:
        return [Book(Path(name), name, "today", "acorn-loop") for name in self.names]

    def preview(self, path: Path) -> Preview | None:
        return self.read.get(str(path))
