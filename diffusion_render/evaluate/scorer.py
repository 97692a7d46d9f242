"""The scores of one stream, taken a second at a time: memory does not grow with the length of a drive."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from render_bridge.palette import RACING

from ..model.encoder import FRAMES
from . import drift
from .detail import DetailSums, measure_detail
from .edges import edge_f1
from .fidelity import psnr, ssim_map
from .flicker import Steps, at_border, measure_steps
from .footage import Shots
from .look import look_distance
from .perceptual import PerceptualDistance
from .pictures import check_pair, from_bytes
from .segmenter import Segmenter
from .structure import confusion, iou_by_class, mean_iou

CLASSES = len(RACING)


@dataclass(frozen=True)
class Judges:
    """What scores stand on that may be missing.

    Args:
        segmenter: reads classes for the structure score; None leaves it out.
        perceptual: distance in a pretrained network; None leaves it out.
        samples: pictures a second on which everything but flicker and motion is measured.
    """

    segmenter: Segmenter | None = None
    perceptual: PerceptualDistance | None = None
    samples: int = 2


class Second:
    """One second of the teacher's side, shared by all streams that are scored against it.

    Args:
        number: of the second, from 0.
        first_frame: number of its first frame in the drive.
        shots: its frames.
        before: the frame before it, or None in the first second.
        judges: who scores.
    """

    def __init__(self, number: int, first_frame: int, shots: Shots, before: Shots | None, judges: Judges) -> None:
        self.number, self.first_frame, self.before, self.judges = number, first_frame, before, judges
        self.class_maps, self.teacher, self.motion, _ = shots
        every = max(1, len(self.class_maps) // judges.samples)
        self.sampled = torch.arange(every // 2, len(self.class_maps), every)[: judges.samples]

    @cached_property
    def maps(self) -> Tensor:
        """Class maps of the sampled frames."""
        return self.class_maps[self.sampled]

    @cached_property
    def wanted(self) -> Tensor:
        """Teacher pictures of the sampled frames, [−1, 1]."""
        return from_bytes(self.teacher[self.sampled])

    @cached_property
    def ceiling(self) -> Tensor | None:
        """Confusion of the classes that the segmenter reads from the teacher itself."""
        return self.confusion(self.wanted)

    def confusion(self, pictures: Tensor) -> Tensor | None:
        """Confusion of the classes read from ``pictures`` of the sampled frames; None without a segmenter."""
        segmenter = self.judges.segmenter
        return None if segmenter is None else confusion(self.maps, segmenter.read(pictures), CLASSES)


@dataclass
class StreamRecord:
    """All that was measured on one stream.

    Args:
        per_second: by score, one value a second; NaN where it could not be measured.
        mean: by score, over the whole stream.
        by_class: by class name, then by score.
        drift_parts: mean relative change of each part.
        warped: whether flicker was measured after exact motion.
        error: why the stream ended early, or empty.
    """

    per_second: dict[str, list[float]]
    mean: dict[str, float]
    by_class: dict[str, dict[str, float]]
    drift_parts: dict[str, float]
    warped: bool
    error: str = ""


@dataclass
class _Sums:
    detail: DetailSums | None = None
    ours: Tensor | None = None
    ceiling: Tensor | None = None
    steps: list[Steps] = field(default_factory=list)
    border: list[Tensor] = field(default_factory=list)
    look: list[Tensor] = field(default_factory=list)


class StreamScorer:
    """Scores one stream; feed it with ``add`` second by second, then ask for the ``record``."""

    def __init__(self) -> None:
        self._rows: list[dict[str, float]] = []
        self._parts: list[dict[str, float]] = []
        self._sums = _Sums()
        self._last: Tensor | None = None
        self._warped = True
        self.error = ""

    @property
    def seconds(self) -> int:
        """Seconds scored so far."""
        return len(self._rows)

    def add(self, second: Second, made: Tensor) -> None:
        """Score a second of pictures uint8 ``[F, 3, H, W]``. ValueError if they do not fit the second's."""
        check_pair(made, second.teacher, second.class_maps)
        output, wanted = from_bytes(made[second.sampled]), second.wanted
        similarity = ssim_map(output, wanted)
        distances = look_distance(made[second.sampled], second.teacher[second.sampled], second.maps, CLASSES)
        look = float(distances.nanmean())
        steps, border = self._steps(second, made)
        background, subject = drift.background_and_subject(similarity, second.maps)
        detail = measure_detail(output, wanted, second.maps, CLASSES)
        counts = second.confusion(output)
        self._rows.append(
            {
                "psnr": float(psnr(output, wanted)),
                "ssim": float(similarity.mean()),
                "perceptual": self._perceptual(second, output),
                "look": look,
                "detail": detail.ratio(),
                "detail_correlation": detail.correlation(),
                "edge_f1": float(edge_f1(output, wanted).mean()),
                "structure": math.nan if counts is None else mean_iou(counts),
                "structure_ceiling": math.nan if second.ceiling is None else mean_iou(second.ceiling),
                "flicker_inside": steps.ratio(~border),
                "flicker_border": steps.ratio(border),
            }
        )
        self._parts.append(
            {
                "clarity": drift.clarity(output, wanted),
                "motion": drift.motion(from_bytes(made), from_bytes(second.teacher)),
                "background": background,
                "subject": subject,
                "look": drift.look_agreement(look),
            }
        )
        self._keep(second, detail, counts, distances)
        self._last = made[-1:].clone()

    def _steps(self, second: Second, made: Tensor) -> tuple[Steps, Tensor]:
        teacher, maps, motion, first = second.teacher, second.class_maps, second.motion, second.first_frame
        if self._last is not None and second.before is not None:
            made, teacher = torch.cat([self._last, made]), torch.cat([second.before.teacher, teacher])
            maps, first = torch.cat([second.before.class_maps, maps]), first - 1
            motion = None if motion is None else torch.cat([motion[:1], motion])
        steps = measure_steps(made, teacher, maps, motion)
        border = at_border(len(made) - 1, first, FRAMES).to(made.device)
        self._warped &= motion is not None
        self._sums.steps.append(steps)
        self._sums.border.append(border)
        return steps, border

    def _perceptual(self, second: Second, output: Tensor) -> float:
        judge = second.judges.perceptual
        return math.nan if judge is None else float(judge(output, second.wanted).mean())

    def _keep(self, second: Second, detail: DetailSums, counts: Tensor | None, distances: Tensor) -> None:
        sums = self._sums
        sums.detail = detail if sums.detail is None else sums.detail + detail
        sums.look.append(distances)
        if counts is not None and second.ceiling is not None:
            sums.ours = counts if sums.ours is None else sums.ours + counts
            sums.ceiling = second.ceiling if sums.ceiling is None else sums.ceiling + second.ceiling

    def record(self) -> StreamRecord:
        """What the seconds so far say together. ValueError before the first."""
        sums = self._sums
        if not self._rows or sums.detail is None:
            raise ValueError("no second of this stream was scored")
        error = video_drift_of(self._parts)
        per_second = {name: [row[name] for row in self._rows] for name in self._rows[0]} | {"drift": error.curve}
        mean = {name: known_mean(values) for name, values in per_second.items()}
        mean |= {"detail": sums.detail.ratio(), "detail_correlation": sums.detail.correlation(), "drift": error.total}
        mean |= self._flicker()
        ours, ceiling = (math.nan if c is None else mean_iou(c) for c in (sums.ours, sums.ceiling))
        share = ours / ceiling if ceiling else math.nan
        mean |= {"structure": ours, "structure_ceiling": ceiling, "structure_share": share}
        return StreamRecord(per_second, mean, self._by_class(), error.parts, self._warped, self.error)

    def _flicker(self) -> dict[str, float]:
        steps = Steps(*(torch.cat(parts) for parts in zip(*self._sums.steps, strict=True)))
        border = torch.cat(self._sums.border)
        at, inside = steps.ratio(border), steps.ratio(~border)
        return {"flicker_border": at, "flicker_inside": inside, "flicker_border_over_inside": at / inside}

    def _by_class(self) -> dict[str, dict[str, float]]:
        sums = self._sums
        assert sums.detail is not None
        none = torch.full((CLASSES,), math.nan, dtype=torch.float64)
        columns = {
            "look": torch.cat(sums.look).nanmean(0),
            "detail": sums.detail.ratio_by_class(),
            "structure": none if sums.ours is None else iou_by_class(sums.ours),
            "structure_ceiling": none if sums.ceiling is None else iou_by_class(sums.ceiling),
        }
        rows = {c.name: {name: float(values[c.id]) for name, values in columns.items()} for c in RACING.classes}
        return {name: row for name, row in rows.items() if not all(math.isnan(v) for v in row.values())}


def video_drift_of(parts: list[dict[str, float]]) -> drift.Drift:
    """The drift of a stream whose seconds have these parts."""
    return drift.video_drift({name: [row[name] for row in parts] for name in drift.PARTS})


def known_mean(values: Iterable[float]) -> float:
    """Mean of the values that are numbers; NaN if there are none."""
    known = [v for v in values if not math.isnan(v)]
    return sum(known) / len(known) if known else math.nan
