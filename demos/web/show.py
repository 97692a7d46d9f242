"""The game of a page, in a thread of its own: loads races and runs them until the server ends."""

from __future__ import annotations

import shutil
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
        self._loadings: list[Loading[Any]] = []
        self._opening: FrameState | None = None
        self.error: BaseException | None = None
        self.desk = WebDesk(options, outlet, make_painter)
        self._thread = threading.Thread(target=self._run, name="game", daemon=True)
        self._thread.start()

    @property
    def loading(self) -> bool:
        """True while a thread is still busy loading; the process cannot end in order then."""
        return any(loading.running for loading in self._loadings)

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
        while True:
            game = self._begun(self._open_race())
            wants = WebRace(self.desk, game).run(self._leave.is_set)
            if wants is None:
                return
            if wants == "record":
                self.desk.recording = self.desk.place_for_recording()
            else:
                self._options = self._loader.again(self._options)

    def _begun(self, game: Game) -> Game:
        """A race that begins: with its recording, or without one that was called off or that the disk refuses."""
        try:
            if self.desk.recording is not None:
                game.begin()
                return game
        except UserError as error:
            self._give_up_recording(error)
        game.close()
        return Game(game.drive)

    def _give_up_recording(self, error: UserError) -> None:
        folder, self.desk.recording = self.desk.recording, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        self._outlet.notice(f"nothing is recorded: {error}")

    def _open_race(self) -> Game:
        """Load a race, wait for views and renderer. Raises Leaving, UserError."""
        desk, stage, studio = self.desk, self.desk.stage, self.desk.studio
        self._opening = None
        place = self._load(lambda say: self._loader.place(self._options, say))
        stage.open(place)
        game = self._load_game(place)
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

    def _load_game(self, place: Any) -> Game:
        """A race, and its recording if one is wanted still."""
        while (game := self._try_game(place, self.desk.recording)) is None:
            pass
        return game

    def _try_game(self, place: Any, record: Path | None) -> Game | None:
        """A race; None if its recording was called off meanwhile, which is not waited for any longer, or cannot be."""
        options = replace(self._options, record=record, looks=(self.desk.named_look,))
        try:
            return self._load(
                lambda say: self._loader.game(options, place, say), lambda: self.desk.recording != record
            )  # fmt: skip
        except UserError as error:
            if record is None:
                raise
            self._give_up_recording(error)
            return None

    def _load(self, work: Callable[[Callable[[str], None]], T], over: Callable[[], bool] = lambda: False) -> T | None:
        """Run slow work on another thread while pages are answered; None if it is ``over`` before it has ended."""
        loading = Loading(work)
        self._loadings = [one for one in self._loadings if one.running] + [loading]
        self._wait(lambda: [loading.progress], lambda: not loading.running or over())
        return None if over() else loading.result()

    def _wait(self, lines: Callable[[], list[str]], done: Callable[[], bool]) -> None:
        desk = self.desk
        while not done():
            if self._leave.is_set():
                raise Leaving
            for action in desk.take():
                if isinstance(action, act.Record) and not action.on and desk.recording is not None:
                    desk.recording = None
                    desk.outlet.notice("recording called off: the race begins without it")
                elif isinstance(action, act.Do | act.Record):
                    desk.outlet.notice("the race is still loading")
                elif not choose(desk, action, self._opening):
                    obey_device(desk, action)
            desk.stage.poll()
            if desk.studio is not None:
                desk.studio.look_after()
            desk.tell("loading", [*lines(), *desk.stage.progress])
            time.sleep(WAIT_TURN_S)
