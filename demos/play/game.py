"""One race as the player's program sees it: world, camera and, on request, its recording. No window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from demos.options import CAMERAS, NamedLook
from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup, World
from engine_sim.tracks.catalogue import load_track
from engine_sim.views.camera import CameraRig, frame_state
from engine_sim.views.frame import FrameState

from .hud import PLAYER, Hud, Minimap, read_hud


@dataclass(frozen=True)
class PlayOptions:
    """What a session plays.

    Args:
        setup: the race.
        looks: looks to go through, the first one first.
        camera: kind of camera to start with.
        width, height: render size of one view, pixels.
        fps: video rate.
        view: ``class``, ``teacher``, ``both``, or None for the best that this machine can open.
        record: session folder to write, or None.
        shots: folder of the screenshots.
    """

    setup: RaceSetup
    looks: tuple[NamedLook, ...]
    camera: str = "chase"
    width: int = 448
    height: int = 256
    fps: int = 24
    view: str | None = None
    record: Path | None = None
    shots: Path = Path("screenshots")


class Game:
    """A race and its camera, one tick at a time.

    Args:
        world: the race, at its start.
        camera: kind of camera.
    """

    def __init__(self, world: World, camera: str) -> None:
        self.world = world
        self.plan = Minimap(world.track)
        self.started_tick: int | None = None
        self._aim(camera)

    @property
    def camera(self) -> str:
        """Kind of the camera in use."""
        return self._kind

    def tick(self, controls: Controls) -> None:
        """One tick of the race and of its camera."""
        before = self.world.phase
        self.world.step(controls)
        self._rig.step(self.world.poses()[PLAYER])
        if before != "race" and self.world.phase == "race":
            self.started_tick = self.world.tick

    def frame(self) -> FrameState:
        """What the camera sees now, copied out of the world."""
        return frame_state(self.world, self._rig)

    def hud(self) -> Hud:
        """What the display says now."""
        return read_hud(self.world, self.plan, self.started_tick)

    def next_camera(self) -> str:
        """Look through the next kind of camera and return its name."""
        self._aim(CAMERAS[(CAMERAS.index(self._kind) + 1) % len(CAMERAS)])
        return self._kind

    def _aim(self, kind: str) -> None:
        self._kind = kind
        self._rig = CameraRig(kind, self.world.track)
        self._rig.reset(self.world.poses()[PLAYER])


def load_game(options: PlayOptions, progress: Callable[[str], None]) -> Game:
    """Everything slow before a race: the circuit, and the compiled rules.

    Raises:
        UserError: if the track is unknown or the setup is out of range.
    """
    progress(f"loading {options.setup.track}")
    track = load_track(options.setup.track)
    progress("compiling the rules (once on this machine; later starts take seconds)")
    Game(World(options.setup, track), options.camera).tick(Controls())  # a spare one takes the compiler's time
    return Game(World(options.setup, track), options.camera)
