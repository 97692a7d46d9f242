"""The start screen: what to race, under which look, against how many. Its first entry starts with one press."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..settings.values import Choices
from .menu import Choice, Entry, Item, Menu
from .page import Page, Side

SIZES = ("256x160", "448x256", "640x352", "672x384", "1344x768")
LAPS = (1, 2, 3, 5, 10, 20)
MOST_RIVALS = 15


class Card(NamedTuple):
    """What is known of a circuit.

    Args:
        outline: centreline ``[n, 2]`` in the unit square, y down.
    """

    track: str
    lines: tuple[str, ...]
    outline: NDArray[np.float64]


@dataclass(frozen=True)
class Doors:
    """Where the start screen leads."""

    race: Callable[[], None]
    settings: Callable[[], None]
    recordings: Callable[[], None]
    leave: Callable[[], None]


class StartScreen(Menu):
    """The first screen.

    Args:
        tracks, looks: names to choose from.
        choices: what is offered first; a name that is not known any more gives way to the first.
        doors: where it leads.
        painters: who can paint, the default first.
    """

    def __init__(
        self,
        tracks: Sequence[str],
        looks: Sequence[str],
        choices: Choices,
        doors: Doors,
        painters: Sequence[str] = (),
    ) -> None:
        self._tracks, self._looks = tuple(tracks), tuple(looks)
        sizes = SIZES if choices.size in SIZES else (*SIZES, choices.size)
        laps = LAPS if choices.laps in LAPS else tuple(sorted((*LAPS, choices.laps)))
        self.choices = replace(
            choices,
            track=choices.track if choices.track in tracks else self._tracks[0],
            look=choices.look if choices.look in looks else self._looks[0],
        )
        self.painter = 0
        self.card: Card | None = None
        rivals = tuple(range(MOST_RIVALS + 1))
        rows: list[Item] = [
            Entry("Race", doors.race, "Enter or A starts the race"),
            self._turn("Track", "track", self._tracks, [t.replace("-", " ") for t in self._tracks]),
            self._turn("Look", "look", self._looks, [name.replace("-", " ") for name in self._looks]),
            self._turn("Rivals", "rivals", rivals, ["none", *map(str, rivals[1:])]),
            self._turn("Laps", "laps", laps, [str(n) for n in laps]),
            self._turn("Picture size", "size", sizes, [s.replace("x", " × ") for s in sizes]),
        ]
        if len(painters) > 1:
            rows.append(Choice("Picture", painters, 0, self._take_painter))
        rows += [
            Entry("Recordings", doors.recordings, "play a recorded drive again"),
            Entry("Settings", doors.settings, "keys, pad, sound, full screen"),
            Entry("Leave", doors.leave),
        ]
        super().__init__("Paintover", rows, doors.leave, "↔ turn   Enter or A starts   Esc or B leaves", 40)

    def back(self) -> None:
        """To the entry that leaves, and only from there out: who came here by Escape may press it once too often."""
        if self.cursor == len(self.items) - 1:
            super().back()
        self.cursor = len(self.items) - 1

    def page(self) -> Page:
        """The list under the game's name."""
        return replace(super().page(), brand=True)

    def side(self) -> Side:
        """Map and facts of the circuit, once they are known."""
        if self.card is None or self.card.track != self.choices.track:
            return Side((self.choices.track.replace("-", " "),))
        return Side((self.card.track.replace("-", " "), *self.card.lines), self.card.outline)

    def _turn(self, label: str, name: str, values: Sequence[object], words: Sequence[str]) -> Choice:
        def changed(index: int) -> None:
            self.choices = replace(self.choices, **{name: values[index]})  # type: ignore[arg-type]

        return Choice(label, words, values.index(getattr(self.choices, name)), changed, "← and → choose")

    def _take_painter(self, index: int) -> None:
        self.painter = index
