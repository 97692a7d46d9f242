"""The start screen in the window: what is chosen there becomes the options of a race, or a recording to play back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pygame
from numpy.typing import NDArray

from demos.options import looks_from, parse_size
from engine_sim.core.errors import UserError
from engine_sim.tracks.catalogue import load_track, summary, track_names
from engine_sim.views.look import look_names, named_look

from .front import Front
from .game import PlayOptions
from .hud import Minimap
from .keyboard import Command
from .letterbox import Rect, scaled
from .loading import Loading
from .paint_plan import PaintPlan
from .screens.backdrop import Backdrop, Motif
from .screens.overlay import ScreensOverlay
from .screens.replays import ReplaysScreen
from .screens.settings import SettingsScreen
from .screens.stack import Stack
from .screens.start import Card, Doors, StartScreen
from .sessions import Shelf

BACKDROP_SIZE = (896, 512)
NAP = 1 / 60


class Painters(NamedTuple):
    """Who can paint: words for the player, and the plan behind each."""

    names: tuple[str, ...]
    plans: tuple[PaintPlan | None, ...]


@dataclass(frozen=True)
class Chosen:
    """What the player wants: a race with these options, or a recording."""

    options: PlayOptions
    recording: Path | None = None


def card_of(name: str) -> Card:
    """Map and facts of a circuit. UserError if it cannot be read."""
    track = load_track(name)
    facts = summary(track)
    minutes, seconds = divmod(facts.lap_seconds, 60)
    lines = (
        f"{facts.length / 1000:.1f} km, {facts.corners} corners, {facts.climb:.0f} m of climb",
        f"a good lap: {minutes:.0f}:{seconds:04.1f}",
        facts.about,
    )
    return Card(name, tuple(line for line in lines if line), Minimap(track).outline)


class StartRoom:
    """Shows the start screen until something is chosen.

    Args:
        front: the window.
        options: what the command line said; the choices come on top of it.
        painters: who can paint, the default first.
        shelf: where recordings are looked for.
        backdrop: draws the picture behind.
    """

    def __init__(
        self, front: Front, options: PlayOptions, painters: Painters, shelf: Shelf, backdrop: Backdrop | None = None
    ) -> None:
        self._front, self._options, self._painters, self._shelf = front, options, painters, shelf
        self._backdrop = backdrop or Backdrop(BACKDROP_SIZE)
        self._chosen: Chosen | None = None
        self._left = False
        self._card: Loading[Card] | None = None
        self._card_of = ""
        self._look = ""
        self._motif_look: object = None
        self.stack: Stack
        doors = Doors(self._race, self._settings, self._recordings, self._leave)
        self.screen = StartScreen(
            _tracks(front.settings.race.track), look_names(), front.settings.race, doors, painters.names
        )

    def run(self) -> Chosen | None:
        """Until the player has chosen; None if he leaves the game."""
        front = self._front
        pygame.display.set_caption("Paintover")
        overlay = self._open()
        try:
            while self._chosen is None and not self._left:
                commands = front.pump().commands
                if Command.QUIT in commands:
                    return None
                if Command.FULL_SCREEN in commands:
                    front.full_screen()
                if front.events.overlay is None:  # its last screen was left
                    overlay = self._open()
                now = time.monotonic()
                self._look_after_card()
                self._backdrop.want(Motif(self.screen.choices.track, self._look_of(self.screen.choices.look)), now)
                if self._backdrop.poll(now) or front.due:
                    front.show(self._compose, self._paint, front.screen.size)
                time.sleep(NAP)
            return self._chosen
        finally:
            self._backdrop.close()
            overlay.close()
            front.events.overlay = None

    def _open(self) -> ScreensOverlay:
        self.stack = Stack(self.screen)
        return self._front.open(self.stack)

    def _race(self) -> None:
        choices = self.screen.choices
        try:
            width, height = parse_size(choices.size)
            options = replace(
                self._options,
                setup=replace(self._options.setup, track=choices.track, rivals=choices.rivals, laps=choices.laps),
                looks=looks_from(choices.look), width=width, height=height,
                paint=self._painters.plans[self.screen.painter],
            )  # fmt: skip
        except UserError as error:
            self._front.say(str(error))
            return
        self._front.change(replace(self._front.settings, race=choices))
        self._chosen = Chosen(options)

    def _settings(self) -> None:
        self.stack.push(SettingsScreen(self.stack, self._front))

    def _recordings(self) -> None:
        self.stack.push(ReplaysScreen(self._shelf, self._play_back))

    def _play_back(self, folder: Path) -> None:
        plan = self._painters.plans[self.screen.painter]
        self._chosen = Chosen(replace(self._options, paint=plan), folder)

    def _leave(self) -> None:
        self._left = True

    def _look_of(self, name: str) -> object:
        if name != self._look:
            self._look, self._motif_look = name, named_look(name)
        return self._motif_look

    def _look_after_card(self) -> None:
        """Facts of the chosen circuit are found on a thread, one at a time."""
        if self._card is not None and not self._card.running:
            try:
                self.screen.card = self._card.result()
            except UserError as error:
                self._front.say(str(error))
            self._card = None
            self._front.touch()
        wanted = self.screen.choices.track
        if self._card is None and wanted != self._card_of:
            self._card_of = wanted
            self._card = Loading(lambda _: card_of(wanted))

    def _compose(self, width: int, height: int) -> NDArray[np.uint8]:
        picture = self._backdrop.picture
        if picture is None:
            return np.zeros((height, width, 3), np.uint8)
        return filled(picture, width, height)

    def _paint(self, surface: pygame.Surface, _picture: Rect) -> None:
        place = Rect(0, 0, *surface.get_size())
        overlay = self._front.events.overlay
        if overlay is not None:
            overlay.paint(surface, place, self._front.painter)
        lines = self._front.notices.lines()
        if lines:
            self._front.pages.notice(surface, place, lines, max(12, place.height // 26), 0.88)


def filled(picture: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """The picture scaled until it covers (width, height), what stands over cut off evenly."""
    tall, wide = picture.shape[:2]
    scale = max(width / wide, height / tall)
    across, down = max(width, round(wide * scale)), max(height, round(tall * scale))
    left, top = (across - width) // 2, (down - height) // 2
    big = scaled(picture, across, down, smooth=True)
    return np.ascontiguousarray(big[top : top + height, left : left + width])


def _tracks(first: str) -> Sequence[str]:
    """Our own circuits, and the one played last, which may be somebody else's."""
    own = track_names("built-in")
    return own if first in own or first not in track_names("torcs") else [*own, first]
