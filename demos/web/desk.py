"""What the races of one session share: views, the renderer, devices, and what the player has chosen. No window."""

from __future__ import annotations

import itertools
import queue
import shutil
import tempfile
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from demos.options import NamedLook
from demos.play.game import Game, PlayOptions
from demos.play.hud import Hud
from demos.play.inputs import Inputs
from demos.play.painter import PaintJob
from demos.play.stage import Make, Stage
from demos.play.studio import Studio
from engine_sim.views.frame import FrameState

from .actions import Action
from .devices import Devices
from .feed import Shown

MOMENTS = 240
"""Video frames whose display is remembered until their picture comes: ten seconds at 24 fps."""
MOST_ACTIONS = 2048


def hud_note(hud: Hud) -> dict[str, Any]:
    """The display as JSON would have it."""
    return {**vars(hud), "dots": [(round(x, 4), round(y, 4), player) for x, y, player in hud.dots]}


class Outlet(Protocol):
    """Where a game's news go. Every method returns at once and may be called from any thread."""

    def picture(self, shown: Shown) -> None:
        """Another picture is on show."""

    def state(self, state: dict[str, Any]) -> None:
        """Something that pages show has changed."""

    def notice(self, text: str) -> None:
        """A line that the player should read."""

    def opened(self, place: Any, frame: FrameState) -> None:
        """A race is ready; ``place`` is its Track."""

    def recorded(self, folder: Path) -> None:
        """A recording is complete."""

    def failed(self, text: str) -> None:
        """The game is over, and cannot go on."""


class Moment(NamedTuple):
    """What belonged to a video frame when it was due: the display, and when the newest input was read."""

    hud: dict[str, Any]
    pressed: int


class WebDesk:
    """Opens the views; the renderer starts with ``start_renderer``.

    Args:
        options: what to play.
        outlet: where news go.
        make_painter: opens a view.
    """

    def __init__(self, options: PlayOptions, outlet: Outlet, make_painter: Make) -> None:
        self.options, self.outlet = options, outlet
        self.inputs = Inputs()
        self.devices = Devices(self.inputs)
        self.actions: queue.Queue[Action] = queue.Queue(MOST_ACTIONS)
        job = PaintJob("", options.width, options.height, options.looks[0].look)
        paints = options.paint is not None
        view = options.view or ("paint" if paints else "teacher")
        self.stage = Stage(job, view, options.view is not None, make_painter, paints)
        self.studio: Studio | None = None
        self.look = 0
        self.prompt = (options.paint.prompt or "") if options.paint is not None else ""
        given = options.paint.reference if options.paint is not None else None
        self.reference = given.name if given is not None else ""
        self.watched = False
        self.paused = False
        self.recording: Path | None = None
        """The session folder of the race that runs, or is being loaded; None for one that is not recorded."""
        self.moments: OrderedDict[int, Moment] = OrderedDict()
        self._folder = Path(tempfile.mkdtemp(prefix="paintover-web-"))
        self._told: dict[str, Any] = {}

    def start_renderer(self) -> None:
        """Start or greet the renderer, if there is to be one. UserError: bad address, size or reference."""
        if self.options.paint is not None:
            size = self.options.width, self.options.height
            self.studio = Studio(self.options.paint, self.stage, size, self.options.fps, self.outlet.notice)

    def take(self) -> list[Action]:
        """What pages have asked for since the last call."""
        taken = []
        while not self.actions.empty():
            taken.append(self.actions.get_nowait())
        return taken

    @property
    def named_look(self) -> NamedLook:
        """The look in force."""
        return self.options.looks[self.look]

    def remember(self, game: Game, frame: FrameState, pressed: int) -> None:
        """Keep what the display says at this frame, until its picture is shown."""
        self.moments[frame.tick] = Moment(hud_note(game.hud()), pressed)
        while len(self.moments) > MOMENTS:
            self.moments.popitem(last=False)

    def place_for_recording(self) -> Path:
        """The name of a new session folder; whoever is told that it is complete may take it away."""
        name = f"{self.options.setup.track.replace(':', '-')}-{time.strftime('%Y%m%d-%H%M%S')}"
        names = (self._folder / f"{name}{'' if number == 1 else f'-{number}'}" for number in itertools.count(1))
        return next(path for path in names if not path.exists())

    def tell(self, phase: str, lines: list[str], camera: str = "", outline: Any = None) -> None:
        """Tell all pages how things stand, if that has changed."""
        stage, studio = self.stage, self.studio
        if stage.notice:  # a view was given up for another
            self.outlet.notice(stage.notice)
            stage.notice = ""
        state = {
            "phase": phase, "lines": [line for line in lines if line], "look": self.look, "prompt": self.prompt,
            "reference": self.reference, "view": stage.view, "views": stage.views, "camera": camera,
            "paused": self.paused, "recording": self.recording is not None, "paints": studio is not None,
            "renderer": studio.link.renderer if studio is not None else "",
        }  # fmt: skip
        if outline is not None:
            state["outline"] = outline
        elif "outline" in self._told:
            state["outline"] = self._told["outline"]
        if state != self._told:
            self._told = state
            self.outlet.state(state)

    def close(self) -> None:
        """End the renderer and the views; recordings that nobody has fetched are gone."""
        try:
            if self.studio is not None:
                self.studio.close()
        finally:
            self.stage.close()
            shutil.rmtree(self._folder, ignore_errors=True)
