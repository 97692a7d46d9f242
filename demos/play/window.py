"""The game's window: loads races behind a loading screen and runs them, until the player leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
import pygame
from numpy.typing import NDArray

from demos.ends import guarded, leave_at_once
from engine_sim.core.ticks import TICK_RATE

from .desk import Desk
from .front import Front
from .game import Game, Loader, PlayOptions
from .keyboard import Command
from .letterbox import Rect
from .loading import Loading
from .painter import Painter
from .race import Next, Race
from .stage import Make

T = TypeVar("T")


class PlayWindow:
    """Loads, drives, shows, until the player leaves.

    Args:
        options: what to play.
        make_painter, loader: how views and races are opened; tests put stand-ins here.
        front: the window, if it is open already: there is a start screen to go back to then.

    Attributes:
        left_for: what the player wants next.
    """

    def __init__(
        self,
        options: PlayOptions,
        make_painter: Make = Painter,
        loader: Loader | None = None,
        front: Front | None = None,
    ) -> None:
        self.options = options
        self.desk = Desk(options, make_painter, front)
        pygame.display.set_caption(f"Paintover: {options.setup.track}")
        self.left_for = Next.LEAVE
        self._home = front is not None
        self._loader = loader or Loader()
        self._loading: Loading | None = None

    def run(self) -> Game | None:
        """Play until the player leaves; returns the last race, or None if he left while it was loading."""
        try:
            self.desk.start_renderer()
            while True:
                game = self._open_race()
                if game is None:
                    return None
                game.begin()
                try:
                    self.left_for = self._drive(game)
                finally:
                    self.desk.close_overlay()
                    game.close()
                if self.left_for is not Next.AGAIN:
                    return game
                self.options = self._loader.again(self.options)
        finally:
            self.desk.close()

    def _drive(self, game: Game) -> Next:
        return Race(self.desk, game, self._home).run()

    def _open_race(self) -> Game | None:
        """Wait for race, views and renderer behind a loading screen; None if the player leaves."""
        options, loader, stage, studio = self.options, self._loader, self.desk.stage, self.desk.studio
        place = self._load(lambda say: loader.place(options, say))
        if place is None:
            return None
        stage.open(place)
        game = self._load(lambda say: loader.game(options, place, say))
        if game is None or not self._wait(list, lambda: stage.ready and stage.idle):
            return None
        stage.forget()
        stage.submit(game.frame(), self.desk.pumped_at)
        first = ["drawing the first picture"]  # compiles and uploads; the countdown must not run meanwhile
        if not self._wait(lambda: first, lambda: stage.idle):
            return None
        if studio is not None:
            studio.begin(options.looks[self.desk.look], game.frame(), self.desk.prompt)
            if not self._wait(studio.progress, studio.ready):
                return None
        return game

    def _load(self, work: Callable[[Callable[[str], None]], T]) -> T | None:
        """Run slow work on another thread behind the loading screen; None if the player leaves."""
        loading = self._loading = Loading(work)
        if not self._wait(lambda: [loading.progress], lambda: not loading.running):
            return None
        return loading.result()

    def _wait(self, lines: Callable[[], list[str]], done: Callable[[], bool]) -> bool:
        """Loading screen until ``done``. False if the player leaves."""
        shown: list[str] = []
        while not done():
            commands = self.desk.pump().commands
            if Command.QUIT in commands or Command.MENU in commands:
                self.left_for = Next.LEAVE if Command.QUIT in commands or not self._home else Next.HOME
                return False
            self.desk.stage.poll()
            if self.desk.studio is not None:
                self.desk.studio.look_after()
            wanted = [line for line in (*lines(), *self.desk.stage.progress) if line]
            if wanted != shown or self.desk.due:  # drawing fights the loading thread for Python's lock: not too often
                self._show_loading(wanted)
                shown = wanted
            time.sleep(1 / 60)
        return True

    def _show_loading(self, lines: list[str]) -> None:
        def black(width: int, height: int) -> NDArray[np.uint8]:
            return np.zeros((height, width, 3), np.uint8)

        def overlay(surface: pygame.Surface, place: Rect) -> None:
            self.desk.painter.loading(surface, place, self.options.setup.track.replace("-", " "), lines)

        self.desk.show(black, overlay, self.desk.screen.size)

    @property
    def lost_ticks(self) -> int:
        """Ticks of wall time that were not played."""
        return self.desk.lost_ticks

    @property
    def loading(self) -> bool:
        """True while a thread is still busy loading; the process cannot end in order then."""
        return self._loading is not None and self._loading.running


class Playing(Protocol):
    """A window with one race after the other in it."""

    def run(self) -> Game | None:
        """Until the player leaves."""

    @property
    def loading(self) -> bool:
        """True while a thread is still busy loading."""

    @property
    def lost_ticks(self) -> int:
        """Ticks of wall time that were not played."""


def played(window: Playing) -> int:
    """Play until the player leaves; prints how it went. Returns the exit code, or ends the process itself."""

    def play() -> int:
        game = window.run()
        if game is not None:
            hud = game.hud()
            print(f"{game.world.tick / TICK_RATE:.0f} s of game time, position {hud.position}, lap {hud.lap}")
        if window.lost_ticks:
            print(f"the machine was late: {window.lost_ticks / TICK_RATE:.1f} s of wall time were left out")
        return 0

    code = guarded("play", play)
    if window.loading:
        leave_at_once(code)
    return code


def play_in_window(options: PlayOptions) -> int:
    """Race with these options; see ``played``."""
    return played(PlayWindow(options))
