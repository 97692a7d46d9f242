"""The game's window: a thin shell that carries events to the loop and pictures to the screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pygame
from numpy.typing import NDArray

from demos.ends import guarded, leave_at_once
from engine_sim.core.ticks import TICK_RATE

from .events import EventPump, Pumped
from .game import Game, Loader, PlayOptions
from .hud_paint import HudPainter, Lettering
from .inputs import Inputs
from .keyboard import Command
from .letterbox import Rect
from .loading import Loading
from .loop import LoopConfig, PlayLoop
from .painter import Painter, PaintJob
from .screen import Screen
from .stage import Make, Stage

NOTICE_SECONDS = 3.0
STALL_SECONDS = 0.5  # a shorter one is seen, and needs no words
REFRESH_SECONDS = 0.2  # a paused or slow game still redraws its display this often
LONGEST_NAP = 0.004
T = TypeVar("T")


class PlayWindow:
    """Loads, drives, shows, until the player leaves.

    Args:
        options: what to play.
        make_painter, loader: how views and races are opened; tests put stand-ins here.
    """

    def __init__(self, options: PlayOptions, make_painter: Make = Painter, loader: Loader | None = None) -> None:
        self.options = options
        self._loader = loader or Loader()
        job = PaintJob("", options.width, options.height, options.looks[0].look)
        self.screen = Screen((options.width * (1 if options.view in ("class", "teacher") else 2), options.height),
                             f"Paintover: {options.setup.track}")  # fmt: skip
        self.inputs = Inputs()
        self.events = EventPump(self.inputs, self.screen.size)
        self.stage = Stage(job, options.view or "both", options.view is not None, make_painter)
        self._lettering = Lettering()
        self._loading: Loading | None = None
        self._look = 0
        self._notice, self._notice_until = "", 0.0
        self._help = False
        self._dirty = True
        self._shown_at = 0.0
        self._pace = Pace()
        self.lost_ticks = 0

    def run(self) -> Game | None:
        """Play until the window closes; returns the last race, or None if it was closed while loading."""
        try:
            while True:
                game = self._open_race()
                if game is None:
                    return None
                game.begin()
                try:
                    again = self._drive(game)
                finally:
                    game.close()
                if not again:
                    return game
                setup = replace(self.options.setup, seed=self.options.setup.seed + 1)
                self.options = replace(self.options, setup=setup)
        finally:
            self._close()

    def _open_race(self) -> Game | None:
        """Wait for race and views behind a loading screen; None if the player leaves."""
        options, loader = self.options, self._loader
        place = self._load(lambda say: loader.place(options, say))
        if place is None:
            return None
        self.stage.open(place)
        game = self._load(lambda say: loader.game(options, place, say))
        if game is None or not self._wait(list, lambda: self.stage.ready):
            return None
        before = sum(self.stage.drawn().values())
        self.stage.submit(game.frame())
        first = ["drawing the first picture"]  # compiles and uploads; the countdown must not run meanwhile
        if not self._wait(lambda: first, lambda: sum(self.stage.drawn().values()) - before >= len(self.stage.drawn())):
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
            if Command.QUIT in self._pump().commands:
                return False
            self.stage.poll()
            wanted = [line for line in (*lines(), *self.stage.progress) if line]
            if wanted != shown or self._due():  # drawing fights the loading thread for Python's lock: not too often
                self._show_loading(wanted)
                shown = wanted
            time.sleep(1 / 60)
        return True

    def _show_loading(self, lines: list[str]) -> None:
        def black(width: int, height: int) -> NDArray[np.uint8]:
            return np.zeros((height, width, 3), np.uint8)

        def overlay(surface: pygame.Surface, place: Rect) -> None:
            self._lettering.loading(surface, place, self.options.setup.track, lines)

        self.screen.show(self.stage.size, black, overlay)
        self._dirty, self._shown_at = False, time.monotonic()

    def _drive(self, game: Game) -> bool:
        """One race. True if the player wants another one."""
        painter = HudPainter(game.plan)
        loop = PlayLoop(
            LoopConfig(self.options.fps), time.perf_counter_ns, self.inputs.read, game.tick,
            lambda _, late: None if late or not self.events.window.visible else self.stage.submit(game.frame()),
        )  # fmt: skip
        while True:
            pumped = self._pump()
            if Command.QUIT in pumped.commands:
                return False
            if Command.RESTART in pumped.commands and self.options.record is None:
                return True
            for command in pumped.commands:
                self._obey(command, game, loop)
            turn = loop.turn()
            if turn.lost_ticks:
                self.lost_ticks += turn.lost_ticks
                game.lost(turn.lost_ticks)
                if turn.lost_ticks >= STALL_SECONDS * TICK_RATE:
                    self._say(f"stood still for {turn.lost_ticks / TICK_RATE:.1f} s")
            if self.stage.poll() or self._due():
                self._show(game, painter, loop)
            time.sleep(min(loop.seconds_to_next_tick(), LONGEST_NAP))

    def _obey(self, command: Command, game: Game, loop: PlayLoop) -> None:
        if command is Command.PAUSE:
            loop.paused = not loop.paused
        elif command is Command.CAMERA:
            self._say(f"camera: {game.next_camera()}")
            self.stage.submit(game.frame())
        elif command is Command.VIEW:
            self._say(f"view: {self.stage.next_view()}")
        elif command is Command.LOOK:
            self._look = (self._look + 1) % len(self.options.looks)
            chosen = self.options.looks[self._look]
            self.stage.set_look(chosen.look)
            self._say(f"look: {chosen.name}")
        elif command is Command.HELP:
            self._help = not self._help
        elif command is Command.FULL_SCREEN:
            self.screen.toggle_full_screen()
        elif command is Command.SCREENSHOT:
            name = f"{self.options.setup.track}-{game.world.tick}"
            self._say(f"saved {self.screen.screenshot(self.options.shots, name)}")
        self._dirty = True

    def _show(self, game: Game, painter: HudPainter, loop: PlayLoop) -> None:
        def overlay(surface: pygame.Surface, place: Rect) -> None:
            painter.draw(surface, place, game.hud(), self._pace.text(self.stage.drawn()))
            lines = self.stage.progress or ([self._notice] if time.monotonic() < self._notice_until else [])
            if self._help:
                painter.help(surface, place, [*(["Paused"] if loop.paused else []), *lines])
                return
            if loop.paused:
                painter.notice(surface, place, ["Paused"], place.height // 12, 0.5)
            if lines:
                painter.notice(surface, place, lines, max(12, place.height // 26))

        self.screen.show(self.stage.size, self.stage.compose, overlay)
        self._dirty, self._shown_at = False, time.monotonic()

    def _pump(self) -> Pumped:
        pumped = self.events.pump()
        self._dirty = self._dirty or pumped.redraw
        for text in pumped.notices:
            self._say(text)
        if self.stage.notice:  # a view was given up for another
            self._say(self.stage.notice)
            self.stage.notice = ""
        return pumped

    def _due(self) -> bool:
        return self.events.window.visible and (self._dirty or time.monotonic() - self._shown_at > REFRESH_SECONDS)

    def _say(self, text: str) -> None:
        self._notice, self._notice_until = text, time.monotonic() + NOTICE_SECONDS
        self._dirty = True

    @property
    def loading(self) -> bool:
        """True while a thread is still busy loading; the process cannot end in order then."""
        return self._loading is not None and self._loading.running

    def _close(self) -> None:
        self.stage.close()
        self.events.close()
        self.screen.close()


class Pace:
    """Pictures a second of each view, counted over the last second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since = clock()
        self._base: dict[str, int] = {}
        self._line = ""

    def text(self, drawn: dict[str, int]) -> str:
        """One line such as ``class 24 fps   teacher 8 fps``; changes once a second."""
        passed = self._clock() - self._since
        if passed >= 1.0:
            rates = {name: (count - self._base[name]) / passed for name, count in drawn.items() if name in self._base}
            self._line = "   ".join(f"{name} {rate:.0f} fps" for name, rate in rates.items())
            self._since, self._base = self._clock(), dict(drawn)
        elif not self._base:
            self._base = dict(drawn)
        return self._line


def play_in_window(options: PlayOptions) -> int:
    """Play until the player leaves; prints how it went. Returns the exit code, or ends the process itself."""
    window = PlayWindow(options)

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
