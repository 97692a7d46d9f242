"""The real window with a race and views that start at once; writes down what happened."""

from __future__ import annotations

import itertools
import json
import threading
import time
from pathlib import Path
from typing import Any

from demos.ends import leave_at_once
from demos.options import NamedLook
from demos.play.game import Game, Loader, PlayOptions
from demos.play.painter import Painter
from demos.play.window import PlayWindow
from engine_sim.racing.world import RaceSetup

from . import play_standins as standins
from .play_standins_race import RingDrive
from .virtual_pad import VirtualPad


class QuickLoader(Loader):
    """Nothing to load."""

    def place(self, options, progress):
        return "a ring"

    def game(self, options, place, progress):
        return Game(RingDrive(options.setup))


class BusyLoader(QuickLoader):
    """Three seconds of plain Python, the worst case for the thread that pumps events."""

    def game(self, options, place, progress):
        progress("thinking hard")
        end = time.monotonic() + 3.0
        while time.monotonic() < end:
            sum(range(1000))
        return super().game(options, place, progress)


def wiggle(ready: Path) -> None:
    """Once the race runs, plug in a pad, steer right at full throttle for half a second, pull the plug."""
    while not ready.exists():
        time.sleep(0.02)
    pad = VirtualPad()
    time.sleep(0.3)
    pad.axis(0, 32767)
    pad.axis(5, 32767)
    time.sleep(0.5)
    pad.unplug()


class WatchedWindow(PlayWindow):
    """The window, keeping the times at which it emptied its event queue."""

    def __init__(self, *args: Any) -> None:
        self.pumped: list[float] = []
        self.note: dict[str, Any] = {}
        self.ready = Path()
        super().__init__(*args)

    def _pump(self):
        self.pumped.append(time.monotonic())
        return super()._pump()

    def _drive(self, game):
        self.note["loading_gaps"] = sorted(b - a for a, b in itertools.pairwise(self.pumped))
        self.ready.touch()
        return super()._drive(game)


def play(report: Path, words: list[str]) -> None:
    """Play until the window closes, then write the report.

    Args:
        report: JSON file; beside it a file ``.ready`` appears when the race runs.
        words: habits to switch on: ``slow-load``, ``pad``, ``no-gl``.
    """
    opener = standins.open_class_only if "no-gl" in words else standins.open_pattern
    looks = (NamedLook("plain", None),)
    options = PlayOptions(RaceSetup(track="ring", rivals=3), looks, width=96, height=64, shots=report.parent)
    loader = BusyLoader() if "slow-load" in words else QuickLoader()
    window = WatchedWindow(options, lambda job: Painter(job, opener), loader)
    window.ready = report.with_suffix(".ready")
    if "pad" in words:
        threading.Thread(target=wiggle, args=(window.ready,), daemon=True).start()
    game = None
    try:
        game = window.run()
    finally:
        ticks = [] if game is None else [(c.throttle, c.steer, c.digital) for c in game.world.controls]
        note = {**window.note, "ticks": ticks, "lost_ticks": window.lost_ticks, "view": window.stage.view}
        report.write_text(json.dumps({**note, "pads": window.inputs.pads.names()}))
        if window.loading:
            leave_at_once(0)
