"""The real window with a race and views that start at once; writes down what happened."""

from __future__ import annotations

import itertools
import json
import threading
import time
from pathlib import Path
from typing import Any

from demos.ends import guarded, leave_at_once
from demos.options import NamedLook
from demos.play import renderer_process, start, studio
from demos.play.evening import Evening
from demos.play.front import Front
from demos.play.game import Game, Loader, PlayOptions
from demos.play.paint_plan import PaintPlan
from demos.play.painter import Painter
from demos.play.screens import navigate
from demos.play.screens.backdrop import Backdrop
from demos.play.sessions import Shelf
from demos.play.window import PlayWindow
from demos.streaming.address import parse_address
from demos.streaming.stream import StreamPlan
from engine_sim.racing.world import RaceSetup
from engine_sim.views.look import named_look

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


def wiggle(window: WatchedWindow) -> None:
    """Once the race runs, plug in a pad, steer right at full throttle, pull the plug when the car has felt it."""
    while not window.ready.exists():
        time.sleep(0.02)
    pad = VirtualPad()
    while not window.desk.inputs.pads.names():
        time.sleep(0.02)
    pad.axis(0, 32767)
    pad.axis(5, 32767)
    while window.last_controls() != [1.0, -1.0, False]:
        time.sleep(0.02)
    pad.unplug()
    window.ready.with_suffix(".unplugged").touch()


class WatchedWindow(PlayWindow):
    """The window, keeping the times at which it emptied its event queue."""

    def __init__(self, *args: Any, **words: Any) -> None:
        self.pumped: list[float] = []
        self.note: dict[str, Any] = {}
        self.ready = Path()
        self.game: Game | None = None
        super().__init__(*args, **words)
        self.said: list[str] = []
        self._pump, say = self.desk.pump, self.desk.notices.say
        self.desk.pump = self._watched_pump
        self.desk.notices.say = lambda text: (self.said.append(text), say(text))[1]

    def so_far(self) -> dict[str, Any]:
        """What the player was told, how many painted pictures were shown, and how the race stands."""
        return {
            "said": self.said,
            "painted": self.desk.studio.link.pictures if self.desk.studio else 0,
            "raced": len(self.game.world.controls) if self.game else 0,
            "controls": self.last_controls(),
            "menu": self.desk.events.overlay is not None,
        }

    def last_controls(self) -> list[float]:
        """Throttle, steering and whether they are digital, of the last tick; nothing before it."""
        return as_words(self.game)[-1] if self.game and self.game.world.controls else []

    def _watched_pump(self):
        now = time.monotonic()
        if self.ready.exists() and (not self.pumped or int(10 * now) != int(10 * self.pumped[-1])):
            partial = self.ready.with_suffix(".partial")
            partial.write_text(json.dumps(self.so_far()))
            partial.replace(self.ready.with_suffix(".live"))
        self.pumped.append(now)
        return self._pump()

    def _drive(self, game):
        self.note["loading_gaps"] = sorted(b - a for a, b in itertools.pairwise(self.pumped))
        process = self.desk.studio and self.desk.studio._renderer.process
        self.game = game
        self.ready.write_text(str(process.pid if process else ""))
        return super()._drive(game)


def as_words(game: Game | None) -> list[list[Any]]:
    """Throttle, steering and whether they are digital, for each tick of a race."""
    return [] if game is None else [[c.throttle, c.steer, c.digital] for c in game.world.controls]


def paint_of(words: list[str]) -> PaintPlan | None:
    """The renderer that the words name."""
    if "unserved" in words:
        renderer_process.serve_words = lambda plan: ["--planes", "smell"]
    if "palette" in words or "unserved" in words:
        return PaintPlan(preset="palette")
    addresses = [word.removeprefix("renderer=") for word in words if word.startswith("renderer=")]
    return PaintPlan(address=addresses[0]) if addresses else None


def play(report: Path, words: list[str]) -> int:
    """Play until the window closes, write the report, return the exit code.

    Args:
        report: JSON file; beside it ``.ready`` appears when the race runs, and ``.live`` says how far it is.
        words: habits to switch on: ``slow-load``, ``pad``, ``no-gl``, ``impatient``; ``palette`` for a renderer of the
            game's own, ``unserved`` for one that cannot start, ``renderer=ADDRESS`` for one that is there;
            ``rtmp=URL`` for a stream.
    """
    if "impatient" in words:
        studio.WAIT_S = 0.5
    opener = standins.open_class_only if "no-gl" in words else standins.open_pattern
    paint = paint_of(words)
    looks = (NamedLook("plain", None),)
    if paint is not None:
        looks = tuple(NamedLook(name, named_look(name)) for name in ("storm", "blue-hour", "overcast"))
    streams = [StreamPlan(parse_address(word.removeprefix("rtmp="))) for word in words if word.startswith("rtmp=")]
    options = PlayOptions(
        RaceSetup(track="ring", rivals=3), looks, width=96, height=64, shots=report.parent, paint=paint,
        streams=tuple(streams),
    )  # fmt: skip
    if "start" in words or "pad-start" in words:
        return evening(report, options, "pad-start" in words)
    loader = BusyLoader() if "slow-load" in words else QuickLoader()
    window = WatchedWindow(options, lambda job: Painter(job, opener), loader)
    window.ready = report.with_suffix(".ready")
    if "pad" in words:
        threading.Thread(target=wiggle, args=(window,), daemon=True).start()
    code = guarded("play", lambda: run(window, report))
    if window.loading:
        leave_at_once(code)
    return code


def evening(report: Path, options: PlayOptions, by_pad: bool) -> int:
    """The start screen and the races that come from it; the report is a list of what was raced and how it was left."""
    raced: list[dict[str, Any]] = []
    start.Backdrop = lambda size: Backdrop(size, lambda job: Painter(job, standins.open_pattern))

    def open_window(chosen: PlayOptions, loader: Any = None, front: Any = None) -> WatchedWindow:
        window = WatchedWindow(chosen, lambda job: Painter(job, standins.open_pattern), QuickLoader(), front=front)
        window.ready = report.with_suffix(".ready")
        setup = chosen.setup
        raced.append(
            {"track": setup.track, "rivals": setup.rivals, "look": chosen.looks[0].name, "width": chosen.width}
        )
        return window

    evening = Evening(options, start.Painters(("own",), (None,)), Shelf(report.parent), open_window)
    report.with_suffix(".open").write_text("")
    if by_pad:
        threading.Thread(target=press_pad, args=(report.with_suffix(".ready"), evening.front), daemon=True).start()
    game = evening.run()
    report.write_text(json.dumps({"raced": raced, "ticks": as_words(game)}))
    return 0


def press_pad(ready: Path, front: Front) -> None:
    """Plug in a pad, take one rival less and start; in the race: throttle, pause menu, leave by its last entry."""
    navigate.DELAY_S = 60.0  # a busy machine is no finger that rests on a button
    while front.events.overlay is None:
        time.sleep(0.02)
    pad = VirtualPad()
    while not front.inputs.pads.names():
        time.sleep(0.02)
    for button in (DOWN, DOWN, DOWN, LEFT, UP, UP, UP, A):
        tap(pad, button, front)
    while not ready.exists():
        time.sleep(0.02)
    heard(front)
    pad.axis(5, 32767)
    time.sleep(0.3)
    for button in (START, UP, A):
        tap(pad, button, front)


def tap(pad: VirtualPad, button: int, front: Front) -> None:
    """Press and release; both are heard."""
    for down in (True, False):
        pad.button(button, down)
        heard(front)


def heard(front: Front) -> None:
    """Wait until the events of this moment have been read: until the second emptying of the queue from now begins."""
    for _ in range(2):
        before = front.pumped_at
        while front.pumped_at == before:
            time.sleep(0.005)


A, START, UP, DOWN, LEFT = 0, 6, 11, 12, 13


def run(window: WatchedWindow, report: Path) -> int:
    """Play, then write the report."""
    game = None
    try:
        game = window.run()
    finally:
        note = {
            **window.note,
            "ticks": as_words(game),
            "lost_ticks": window.desk.lost_ticks,
            "view": window.desk.stage.view,
        }
        report.write_text(json.dumps({**note, **window.so_far(), "pads": window.desk.inputs.pads.names()}))
    return 0
