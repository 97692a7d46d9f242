"""The game of a page, in a thread of its own: loads races and runs them until the server ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from demos.play.game import Game, Loader, PlayOptions
from demos.play.loading import Loading
from demos.play.painter import Painter
from demos.play.stage import Make
from engine_sim.core.errors import UserError
from engine_sim.views.frame import FrameState

from . import actions as act
from .choices import choose
from .desk import Outlet, WebDesk
from .race import WebRace, obey_device

T = TypeVar("T")
WAIT_TURN_S = 1 / 60


class Leaving(Exception):
    """The server ends while a race is being loaded."""


class Show:
    """Owner of the game's thread.

    Args:
        options: what to play.
        outlet: where news go.
        make_painter, loader: how views and races are opened; tests put stand-ins here.
    """

    def __init__(
        self, options: PlayOptions, outlet: Outlet, make_painter: Make = Painter, loader: Loader | None = None
    ) -> None:
        self._options, self._outlet = options, outlet
        self._make, self._loader = make_painter, loader or Loader()
        self._leave = threading.Event()
        self._loading: Loading[Any] | None = None
        self._opening: FrameState | None = None
        self.error: BaseException | None = None
        self.desk = WebDesk(options, outlet, make_painter)
        self._thread = threading.Thread(target=self._run, name="game", daemon=True)
        self._thread.start()

    @property
    def loading(self) -> bool:
        """True while a thread is still busy loading; the process cannot end in order then."""
        return self._loading is not None and self._loading.running

    def post(self, action: act.Action) -> bool:
        """Hand an action to the game; False if it is too far behind to take any more."""
        if self.desk.actions.full():
            return False
        self.desk.actions.put_nowait(action)
        return True

    def close(self, patience: float = 10.0) -> None:
        """End the game, its views and its renderer."""
        self._leave.set()
        self._thread.join(patience)

    def _run(self) -> None:
        try:
            self.desk.start_renderer()
            self._play()
        except Leaving:
            pass
        except BaseException as error:  # whoever owns the server raises it again
            self.error = error
            self._outlet.failed(str(error) if isinstance(error, UserError) else f"a fault of the game: {error!r}")
        finally:
            self.desk.close()

    def _play(self) -> None:
        record: Path | None = None
        while True:
            self.desk.recording = record
            game = self._open_race(record)
            game.begin()
            wants = WebRace(self.desk, game, record).run(self._leave.is_set)
            if wants is None:
                return
            record = self.desk.place_for_recording() if wants == "record" else None
            if record is None:
                self._options = replace(
                    self._options, setup=replace(self._options.setup, seed=self._options.setup.seed + 1)
                )

    def _open_race(self, record: Path | None) -> Game:
        """Load a race, wait for views and renderer. Raises Leaving, UserError."""
        desk, stage, studio = self.desk, self.desk.stage, self.desk.studio
        self._opening = None
        place = self._load(lambda say: self._loader.place(self._options, say))
        stage.open(place)
        options = replace(self._options, record=record, looks=(desk.named_look,))
        game = self._load(lambda say: self._loader.game(options, place, say))
        self._wait(list, lambda: stage.ready and stage.idle)
        stage.forget()
        desk.moments.clear()
        desk.paused = False
        desk.remember(game, game.frame(), time.monotonic_ns())
        stage.submit(game.frame(), time.monotonic_ns())
        self._wait(lambda: ["drawing the first picture"], lambda: stage.idle)
        self._outlet.opened(place, game.frame())
        if studio is not None:
            self._opening = game.frame()
            studio.begin(desk.named_look, game.frame(), desk.prompt)
            self._wait(studio.progress, studio.ready)
        return game

    def _load(self, work: Callable[[Callable[[str], None]], T]) -> T:
        """Run slow work on another thread while pages are answered."""
        loading = self._loading = Loading(work)
        self._wait(lambda: [loading.progress], lambda: not loading.running)
        return loading.result()

    def _wait(self, lines: Callable[[], list[str]], done: Callable[[], bool]) -> None:
        desk = self.desk
        while not done():
            if self._leave.is_set():
                raise Leaving
            for action in desk.take():
                if isinstance(action, act.Do | act.Record):
                    desk.outlet.notice("the race is still loading")
                elif not choose(desk, action, self._opening):
                    obey_device(desk, action)
            desk.stage.poll()
            if desk.studio is not None:
                desk.studio.look_after()
            desk.tell("loading", [*lines(), *desk.stage.progress])
            time.sleep(WAIT_TURN_S)
