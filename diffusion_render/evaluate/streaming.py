"""Streams of held-out clips against the teacher view of the same drive: numbers per second, and pictures.

Two references: the clip's own first frame, and one from another place of the same look. Drift is read from the second:
with the first, the scene leaving the reference looks like drift.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from render_bridge.palette import RACING

from ..model.renderer import Renderer
from ..stream.schedule import Schedule
from ..stream.session import SessionConfig, StreamSession
from ..train.clip_bank import ClipBank, to_unit
from ..train.losses import psnr
from ..train.sheets import picture_bytes, write_sheet
from .detail import DetailSums, measure_detail


@dataclass(frozen=True)
class StreamScores:
    """Means over clips. Lists have one entry per second of stream.

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


def stream_clip(
    renderer: Renderer, schedule: Schedule, bank: ClipBank, clip: int, reference: int, text: Tensor
) -> Tensor:
    """Pictures uint8 ``[F, 3, H, W]`` of a clip under the look of clip ``reference``'s first frame."""
    height, width = bank.class_maps.shape[2:]
    config = SessionConfig(seed=clip, width=width, height=height, schedule=schedule)
    still = to_unit(bank.frames[reference, 0])
    session = StreamSession(renderer, config, still, bank.class_maps[reference, 0], text)
    return torch.stack(session.push(bank.class_maps[clip]))


def class_colour_error(output: Tensor, teacher: Tensor, class_map: Tensor) -> float:
    """Mean |difference of a class's mean colour|, 0–255, of uint8 pictures ``[3, H, W]``."""
    errors = []
    for k in range(len(RACING)):
        inside = class_map == k
        if int(inside.sum()) > 500:
            errors.append((output[:, inside].float().mean(1) - teacher[:, inside].float().mean(1)).abs().mean())
    return float(torch.stack(errors).mean())


def score_streams(
    renderer: Renderer, schedule: Schedule, bank: ClipBank, clips: int, away: bool, sheet: Path | None, fps: int = 24
) -> StreamScores:
    """Stream the first ``clips`` clips; write a sheet of map, teacher and stream at five moments if asked."""
    text = torch.zeros(renderer.config.generator.text_tokens, renderer.config.generator.text, device=bank.device)
    seconds: list[list[tuple[float, float]]] = []
    detail: DetailSums | None = None
    rows: list[list[np.ndarray]] = []
    steps = []
    for clip in range(clips):
        reference = int(bank.partners[clip]) if away else clip
        made = stream_clip(renderer, schedule, bank, clip, reference, text)
        wanted, maps = bank.frames[clip, : len(made)].movedim(-1, 1), bank.class_maps[clip, : len(made)]
        seconds.append([_score_frame(made[k], wanted[k], maps[k]) for k in range(0, len(made), fps // 4)])
        sums = measure_detail(made[::6], wanted[::6], maps[::6], len(RACING))
        detail = sums if detail is None else detail + sums
        steps.append(_steps(made, wanted))
        if clip < 4:
            moments = np.linspace(0, len(made) - 1, 5).round().astype(int)
            for source in (RACING.colorize(maps.cpu().numpy()), wanted, made):
                rows.append([source[m] if isinstance(source, np.ndarray) else _bytes(source[m]) for m in moments])
    assert detail is not None
    if sheet:
        write_sheet(sheet, rows)
    table = np.array([clip[: min(map(len, seconds))] for clip in seconds])  # [clips, samples, 2]
    by_second = [table[:, k : k + 4].mean((0, 1)) for k in range(0, table.shape[1], 4)]
    border, inside = np.mean(steps, 0)
    return StreamScores(
        [round(float(v[0]), 2) for v in by_second],
        [round(float(v[1]), 2) for v in by_second],
        detail.ratio(),
        detail.correlation(),
        float(border),
        float(inside),
    )


def _score_frame(made: Tensor, wanted: Tensor, class_map: Tensor) -> tuple[float, float]:
    unit = [x.float() / 127.5 - 1 for x in (made, wanted)]
    return float(psnr(*unit)), class_colour_error(made, wanted, class_map)


def _steps(made: Tensor, wanted: Tensor) -> tuple[float, float]:
    """Mean |frame − frame before| of the stream over the teacher's, at unit borders and inside."""
    ratio = [(x[1:].float() - x[:-1].float()).abs().mean((1, 2, 3)) for x in (made, wanted)]
    border = torch.arange(1, len(made), device=made.device) % 4 == 0
    return tuple(float(ratio[0][side].mean() / ratio[1][side].mean()) for side in (border, ~border))  # type: ignore[return-value]


def _bytes(picture: Tensor) -> np.ndarray:
    return picture_bytes(picture.float() / 127.5 - 1)
