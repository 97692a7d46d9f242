"""Small sessions made by hand: every part of the format without a race."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine_sim.racing.controls import Controls
from engine_sim.recording import records
from engine_sim.recording.session_format import SessionHeader, package_version
from engine_sim.recording.timeline import TimelineEvent
from engine_sim.recording.writer import SessionWriter
from engine_sim.views.frame import Camera, CarPose, FrameState

WIDTH, HEIGHT, CARS, FPS = 96, 64, 2, 24
STEP = 120 // FPS


def header(teacher: str = "none", **changes) -> SessionHeader:
    fields = dict(
        setup={"track": "none", "seed": 3, "rivals": 1}, track_hash="11" * 8, scene_hash="22" * 8,
        look=None if teacher == "none" else {"seed": 4}, camera="chase", fps=FPS, width=WIDTH, height=HEIGHT,
        backend="cpu", renderer="CPU z-buffer", cars=CARS,
        teacher=teacher, teacher_codec="libx264" if teacher == "mp4" else "",
        state_fields=records.field_names(state(0)), package=package_version(),
    )  # fmt: skip
    return SessionHeader(**{**fields, **changes})


def controls(tick: int) -> Controls:
    return Controls(
        steer=((tick * 37) % 200 - 100) / 101.0,
        throttle=(tick % 7) / 7.0,
        brake=(tick % 3) / 3.0,
        gear_shift=tick % 3 - 1,
        reset=tick % 50 == 49,
        digital=tick % 2 == 0,
    )


def state(tick: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.array([tick / 3.0]), np.array([tick / 7.0, 1.0])


def state_digest(tick: int) -> str:
    return records.digest8(b"".join(a.tobytes() for a in state(tick)))


def class_map(index: int, width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.uint8]:
    rows, cols = np.mgrid[0:height, 0:width]
    return ((rows // 8 + cols // 8 + index) % 13).astype(np.uint8)


def teacher(index: int, width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.uint8]:
    rows, cols = np.mgrid[0:height, 0:width]
    return np.stack((rows + index, cols, rows + cols), axis=2).astype(np.uint8)


def frame(tick: int, cars: int = CARS) -> FrameState:
    camera = Camera((tick / 3.0, -1.5, 2.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.9, 0.3, 2500.0)
    poses = tuple(CarPose(tick + c / 3.0, c, 0.1, 0.2, 0.0, -0.1, 0.3, 9.0, c == 1, 30.0) for c in range(cars))
    return FrameState(tick, camera, poses)


def write(path: Path, frames: int, teacher_kind: str = "none", finish: bool = True, **changes) -> SessionWriter:
    """A session of ``frames`` video frames and the ticks between them, with an event a second."""
    writer = SessionWriter(path, header(teacher_kind, **changes))
    writer.hash(0, state_digest(0), records.field_sums(state(0)))
    for index in range(frames):
        add_frame(writer, index, teacher_kind)
        add_ticks(writer)
    if finish:
        writer.finish()
    return writer


def add_frame(writer: SessionWriter, index: int, teacher_kind: str) -> None:
    maps = class_map(index)
    record = records.FrameRecord(frame(writer.ticks), records.map_hash(maps), "ab" * 8)
    writer.frame(record, maps, None if teacher_kind == "none" else teacher(index))


def add_ticks(writer: SessionWriter, count: int = STEP) -> None:
    for _ in range(count):
        writer.controls(controls(writer.ticks))
        writer.hash(writer.ticks, state_digest(writer.ticks), records.field_sums(state(writer.ticks)))
        if writer.ticks % 120 == 60:
            writer.event(TimelineEvent(writer.ticks, "contact", 0, 1, writer.ticks / 3.0))
