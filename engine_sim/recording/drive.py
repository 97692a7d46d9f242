"""A world and the camera that follows its player, stepped together: what is recorded, replayed and cut into clips."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.errors import UserError
from ..racing.controls import Controls
from ..racing.world import RaceSetup, World
from ..tracks.catalogue import load_track
from ..tracks.track import Track
from ..views.camera import CameraRig, frame_state
from ..views.frame import FrameState
from .fields import Fields
from .reader import Session

IDLE = Controls()


class Drive:
    """One race from its grid on.

    Args:
        setup: the race.
        camera: kind of the camera.
        track: the setup's track, if it is loaded already.

    Raises:
        UserError: unknown track or camera.
    """

    def __init__(self, setup: RaceSetup, camera: str = "chase", track: Track | None = None) -> None:
        self.track = load_track(setup.track) if track is None else track
        self.world = World(setup, self.track)
        self.rig = CameraRig(camera, self.track)
        self.rig.reset(self.world.pose(0))

    @property
    def tick(self) -> int:
        """Ticks since the grid."""
        return int(self.world.tick)

    def step(self, controls: Controls = IDLE) -> None:
        """One tick of world and camera."""
        self.world.step(controls)
        self.rig.step(self.world.pose(0))

    def frame(self) -> FrameState:
        """The present moment as views take it."""
        return frame_state(self.world, self.rig)


def setup_of(session: Session) -> RaceSetup:
    """The race of a session. UserError if its fields are not those of this version."""
    return setup_from_json(session.header.setup, f"{session.path}: setup")


def setup_from_json(value: dict[str, Any], where: str) -> RaceSetup:
    """RaceSetup from JSON values; every field must be there, with the type of its default."""
    default = RaceSetup(track="")
    known = vars(default)
    if unknown := sorted(set(value) - set(known)):
        raise UserError(f"{where}: unknown field {unknown[0]!r}; was it made by another version?")
    fields = Fields(value, where)
    taken: dict[str, Any] = {}
    for name, example in known.items():
        if isinstance(example, bool):
            taken[name] = fields.flag(name)
        elif isinstance(example, int):
            taken[name] = fields.integer(name, -(1 << 63), (1 << 63) - 1)
        elif isinstance(example, float):
            taken[name] = fields.number(name)
        else:
            taken[name] = fields.text(name)
    return RaceSetup(**taken)


class Interrupt:
    """Whether somebody asked to stop; for loops that end at a whole frame."""

    requested = False


@contextmanager
def polite_interrupt() -> Iterator[Interrupt]:
    """The first Ctrl-C or SIGTERM only asks to stop; the second one does what it always did.

    Outside the main thread, where signals cannot be caught, nothing changes.
    """
    flag = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return

    def ask(_signal: int, _frame: Any) -> None:
        flag.requested = True
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, ask)
    try:
        yield flag
    finally:
        restore()
