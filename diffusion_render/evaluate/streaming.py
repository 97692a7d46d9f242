"""Scores of held-out clips in memory while a generator is being trained: a few curves and a contact sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from render_bridge.palette import RACING

from ..model.renderer import Renderer
from ..stream.guides import Guides
from ..stream.schedule import Schedule
from ..stream.session import SessionConfig
from .footage import HeldFootage, Reference, Shots
from .lanes import SessionLane, run_lanes
from .pictures import from_bytes
from .scorer import Judges, StreamRecord, known_mean
from .sheets import picture_bytes, write_sheet

_NAME = "stream"


@dataclass(frozen=True)
class StreamScores:
    """Means over drives, for curves during training. Lists have one entry per second of stream.

    Args:
        psnr: dB against the teacher.
        look: ΔE₀₀ of mean class colours.
        detail, detail_correlation: see ``detail``.
        border, inside: flicker at unit borders and inside units, over the teacher's; see ``flicker``.
    """

    psnr: list[float]
    look: list[float]
    detail: float
    detail_correlation: float
    border: float
    inside: float


class Drive(NamedTuple):
    """One drive in memory with its reference.

    ``class_maps`` uint8 ``[F, H, W]`` and the ``teacher`` view of them, uint8 ``[F, 3, H, W]``; the ``reference``
    picture uint8 ``[3, H, W]`` that fixes the look, its own ``reference_map`` uint8 ``[H, W]`` and
    ``reference_camera`` ``[12]``; ``text``, ``motion`` and ``guides`` as in ``footage``, where there are any.
    """

    class_maps: Tensor
    teacher: Tensor
    reference: Tensor | None
    reference_map: Tensor
    text: Tensor | None = None
    motion: Tensor | None = None
    guides: Guides | None = None
    reference_camera: Tensor | None = None


def score_streams(
    renderer: Renderer, schedule: Schedule, drives: Sequence[Drive], sheet: Path | None = None, fps: int = 24
) -> StreamScores:
    """Stream every drive; write a sheet of map, teacher and stream at five moments of the first four if asked.

    Raises:
        ValueError: if not one stream could be scored: all of them too short, or broken by NaN.
    """
    records: list[StreamRecord] = []
    rows: list[list[np.ndarray]] = []
    for seed, drive in enumerate(drives):
        record, made = _stream(renderer, schedule, drive, seed, fps)
        records += record
        if seed < 4 and made is not None:
            rows += _sheet_rows(drive, made)
    if not records:
        raise ValueError(f"not one of {len(drives)} drives gave a stream that could be scored")
    if sheet:
        write_sheet(sheet, rows)
    mean = {name: known_mean([r.mean[name] for r in records]) for name in records[0].mean}
    psnr, look = (_curve(records, name) for name in ("psnr", "look"))
    steps = mean["flicker_border"], mean["flicker_inside"]
    return StreamScores(psnr, look, mean["detail"], mean["detail_correlation"], *steps)


def _stream(
    renderer: Renderer, schedule: Schedule, drive: Drive, seed: int, fps: int
) -> tuple[list[StreamRecord], Tensor | None]:
    """Its record, if there is one, and all of its pictures uint8 ``[F, 3, H, W]``."""
    height, width = drive.class_maps.shape[1:]
    config = SessionConfig(seed=seed, width=width, height=height, schedule=schedule)
    reference = Reference(drive.reference, drive.reference_map, drive.text, drive.reference_camera)
    lane = SessionLane(renderer, config, reference)
    footage = HeldFootage(Shots(drive.class_maps, drive.teacher, drive.motion, drive.guides), fps)
    made: list[Tensor] = []
    device = next(renderer.parameters()).device
    records = run_lanes({_NAME: lane}, footage, Judges(), device, lambda _, pictures: made.append(pictures[_NAME]))
    return list(records.values()), torch.cat(made) if made else None


def _curve(records: list[StreamRecord], score: str) -> list[float]:
    """Mean over records of each second that all of them have."""
    seconds = zip(*(r.per_second[score] for r in records))
    return [round(known_mean(values), 2) for values in seconds]


def _sheet_rows(drive: Drive, made: Tensor) -> list[list[np.ndarray]]:
    moments = np.linspace(0, len(made) - 1, 5).round().astype(int)
    colors = [RACING.colorize(drive.class_maps[m].cpu().numpy()) for m in moments]
    return [colors, *([picture_bytes(from_bytes(source[m])) for m in moments] for source in (drive.teacher, made))]
