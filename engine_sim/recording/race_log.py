"""Race logs: where every car and camera was at each video frame of a race, simulated once and drawn many times.

A container of kind ``paintover-race-1``. Its meta holds the race's job, ``state_hash`` after the last tick, and
``events`` as ``[tick, kind, car, other, value]``. Arrays, F frames, C cars: ``cars`` float64 ``[F, C, 10]`` in the
order of CarPose, and for each camera kind ``camera/KIND`` float64 ``[F, 12]``: position, forward, up, fov_y, near, far.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import UserError
from ..core.ticks import TICK_RATE, ticks_per_frame
from ..racing.controls import Controls
from ..racing.world import World
from ..tracks.catalogue import load_track
from ..views.camera import CameraRig
from ..views.frame import FrameState
from .clip_plan import RaceJob
from .container import Container, ContainerWriter
from .fields import Fields
from .reader import open_session
from .records import pack_camera, pack_car, unpack_camera, unpack_car
from .restless import RestlessDriver
from .timeline import Timeline, TimelineEvent, build_timeline, plain_event

KIND = "paintover-race-1"
_IDLE = Controls()


@dataclass(frozen=True)
class RaceLog:
    """One simulated race, ready to draw.

    Args:
        cars: float64 ``[F, C, 10]``.
        cameras: by kind, float64 ``[F, 12]``.
        fps: video frames a second.
        events: as the world reported them.
    """

    cars: NDArray[np.float64]
    cameras: dict[str, NDArray[np.float64]]
    fps: int
    events: tuple[TimelineEvent, ...]

    def frames(self, start: int, count: int, camera: str) -> list[FrameState]:
        """Frame states of ``count`` video frames from ``start``, as ``camera`` sees them."""
        step = TICK_RATE // self.fps
        cars = self.cars[start : start + count].tolist()
        views = self.cameras[camera][start : start + count].tolist()
        return [
            FrameState(
                (start + k) * step,
                unpack_camera(view),
                tuple(unpack_car(row) for row in rows),
                hide_player=camera == "cockpit",
            )
            for k, (view, rows) in enumerate(zip(views, cars, strict=True))
        ]

    def timeline(self, start: int, count: int) -> Timeline:
        """What happens to the player in those frames, on their own clock."""
        whole = build_timeline(self.events, len(self.cars) * TICK_RATE // self.fps)
        return whole.about(0).spans(start / self.fps, (start + count) / self.fps)


def simulate_race(job: RaceJob, path: Path, stopped: Callable[[], bool] = lambda: False) -> bool:
    """Run a race and write its log; False if ``stopped`` said so before the end (nothing is written then).

    Raises:
        UserError: the track or the session is not there, or the disk refuses.
    """
    track = load_track(job.setup.track)
    world = World(job.setup, track)
    rigs = {kind: CameraRig(kind, track) for kind in job.cameras}
    pose = world.pose(0)
    for rig in rigs.values():
        rig.reset(pose)
    controls_at = _controller(job)
    step = ticks_per_frame(job.fps)
    cars = np.empty((job.frames, world.cars, 10))
    cameras = {kind: np.empty((job.frames, 12)) for kind in rigs}
    for frame in range(job.frames):
        if stopped():
            return False
        cars[frame] = [pack_car(car) for car in world.poses()]
        for kind, rig in rigs.items():
            cameras[kind][frame] = pack_camera(rig.camera())
        for _ in range(step):
            world.step(controls_at(world))
            pose = world.pose(0)
            for rig in rigs.values():
                rig.step(pose)
    with ContainerWriter(path, KIND) as writer:
        writer.add("cars", cars, "zstd")
        for kind, values in cameras.items():
            writer.add(f"camera/{kind}", values, "zstd")
        events = [list(plain_event(event)) for event in world.events]
        writer.commit({"job": race_json(job), "state_hash": world.hash(), "events": events})
    return True


def _controller(job: RaceJob) -> Callable[[World], Controls]:
    if job.session:
        inputs = open_session(job.session).inputs
        return lambda world: inputs[world.tick] if world.tick < len(inputs) else _IDLE
    if job.restless >= 0:
        return RestlessDriver(job.restless).controls
    return lambda world: _IDLE


def race_json(job: RaceJob) -> dict[str, Any]:
    """A race's job as JSON values; equal only for the same race."""
    return {**dataclasses.asdict(job), "cameras": list(job.cameras)}


def open_race(path: Path, job: RaceJob) -> RaceLog:
    """Read the log of a race. UserError if it is missing, broken, or that of another race."""
    box = Container(path, KIND)
    if box.meta.get("job") != race_json(job):
        raise UserError(f"{path} is the log of another race; remove it")
    cars = box.read("cars")
    cameras = {kind: box.read(f"camera/{kind}") for kind in job.cameras}
    shapes = [cars.shape[:1] + cars.shape[2:], *(values.shape for values in cameras.values())]
    if shapes != [(job.frames, 10), *((job.frames, 12) for _ in cameras)]:
        raise UserError(f"{path}: arrays do not have {job.frames} frames; remove it")
    return RaceLog(cars, cameras, job.fps, _events(box))


def has_race(path: Path, job: RaceJob) -> bool:
    """True if the log of this very race is there, whole."""
    try:
        open_race(path, job)
    except UserError:
        return False
    return True


def _events(box: Container) -> tuple[TimelineEvent, ...]:
    rows = box.meta.get("events")
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == 5 for row in rows):
        raise UserError(f"{box.path}: events must be a list of [tick, kind, car, other, value]")
    events = []
    for number, row in enumerate(rows):
        fields = Fields(dict(zip(TimelineEvent._fields, row, strict=True)), f"{box.path}: event {number}")
        events.append(
            TimelineEvent(
                fields.integer("tick", 0, 1 << 40), fields.text("kind", longest=40), fields.integer("car", -1, 255),
                fields.integer("other", -1, 255), fields.number("value"),
            )
        )  # fmt: skip
    return tuple(events)
