"""Streams of held-out drives against the teacher view of the same drive: numbers per second, and pictures.

Two references: the drive's own first frame, and one from another place of the same look. Drift is read from the second:
with the first, the scene leaving the reference looks like drift.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from render_bridge.palette import RACING

from ..model.encoder import FRAMES
from ..model.renderer import Renderer
from ..stream.schedule import Schedule
from ..stream.session import SessionConfig, StreamSession
from .detail import DetailSums, measure_detail
from .fidelity import class_colour_error, psnr
from .sheets import picture_bytes, write_sheet


@dataclass(frozen=True)
class StreamScores:
    """Means over drives. Lists have one entry per second of stream.

    Args:
        psnr: dB against the teacher.
        colour: mean absolute difference of mean class colours, 0–255, classes over 500 pixels, equal weight.
        detail, detail_correlation: see ``detail``.
        border, inside: mean absolute frame difference at unit borders and inside units, over the teacher's.
    """

    psnr: list[float]
    colour: list[float]
    detail: float
    detail_correlation: float
    border: float
    inside: float


class Drive(NamedTuple):
    """One drive to score.

    ``class_maps`` uint8 ``[F, H, W]`` and the ``teacher`` view of them, uint8 ``[F, 3, H, W]``; the ``reference``
    picture uint8 ``[3, H, W]`` that fixes the look, and its own ``reference_map`` uint8 ``[H, W]``.
    """

    class_maps: Tensor
    teacher: Tensor
    reference: Tensor
    reference_map: Tensor


def stream_drive(renderer: Renderer, schedule: Schedule, drive: Drive, seed: int) -> Tensor:
    """Pictures uint8 ``[F, 3, H, W]`` of the whole windows of a drive, without a prompt."""
    height, width = drive.class_maps.shape[1:]
    config = SessionConfig(seed=seed, width=width, height=height, schedule=schedule)
    sizes = renderer.config.generator
    text = torch.zeros(sizes.text_tokens, sizes.text)
    session = StreamSession(renderer, config, _unit(drive.reference), drive.reference_map, text)
    return torch.stack(session.push(drive.class_maps))


def score_streams(
    renderer: Renderer, schedule: Schedule, drives: Sequence[Drive], sheet: Path | None = None, fps: int = 24
) -> StreamScores:
    """Stream every drive; write a sheet of map, teacher and stream at five moments of the first four if asked."""
    classes = len(RACING)
    samples: list[list[tuple[float, float]]] = []
    detail: list[DetailSums] = []
    rows: list[list[np.ndarray]] = []
    steps = []
    for seed, drive in enumerate(drives):
        made = stream_drive(renderer, schedule, drive, seed)
        wanted, maps = drive.teacher[: len(made)], drive.class_maps[: len(made)]
        samples.append([_score_frame(made[k], wanted[k], maps[k]) for k in range(0, len(made), fps // 4)])
        detail.append(measure_detail(made[::6], wanted[::6], maps[::6], classes))
        steps.append(_steps(made, wanted))
        if seed < 4:
            rows += _sheet_rows(maps, wanted, made)
    if sheet:
        write_sheet(sheet, rows)
    table = np.array([drive[: min(map(len, samples))] for drive in samples])  # [drives, samples, 2]
    by_second = [table[:, k : k + 4].mean((0, 1)) for k in range(0, table.shape[1], 4)]
    whole = reduce(operator.add, detail)
    border, inside = np.mean(steps, 0)
    return StreamScores(
        [round(float(v[0]), 2) for v in by_second],
        [round(float(v[1]), 2) for v in by_second],
        whole.ratio(),
        whole.correlation(),
        float(border),
        float(inside),
    )


def _sheet_rows(maps: Tensor, wanted: Tensor, made: Tensor) -> list[list[np.ndarray]]:
    moments = np.linspace(0, len(made) - 1, 5).round().astype(int)
    colors = [RACING.colorize(maps[m].cpu().numpy()) for m in moments]
    return [colors, *([picture_bytes(_unit(source[m])) for m in moments] for source in (wanted, made))]


def _score_frame(made: Tensor, wanted: Tensor, class_map: Tensor) -> tuple[float, float]:
    colour = class_colour_error(made, wanted, class_map, len(RACING))
    return float(psnr(_unit(made), _unit(wanted))), colour


def _steps(made: Tensor, wanted: Tensor) -> tuple[float, float]:
    """Mean |frame − frame before| of the stream over the teacher's, at unit borders and inside."""
    ours, theirs = ((x[1:].float() - x[:-1].float()).abs().mean((1, 2, 3)) for x in (made, wanted))
    border = torch.arange(1, len(made), device=made.device) % FRAMES == 0
    at_border, inside = (float(ours[side].mean() / theirs[side].mean()) for side in (border, ~border))
    return at_border, inside


def _unit(picture: Tensor) -> Tensor:
    """uint8 → [−1, 1], float32."""
    return picture.float() / 127.5 - 1.0
