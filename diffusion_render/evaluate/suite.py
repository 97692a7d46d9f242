"""The suite: drives streamed under their references, scored, averaged and held against the goals."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from render_bridge.palette import RACING

from ..model.encoder import FRAMES
from ..model.renderer import Renderer
from ..stream.schedule import Schedule
from ..stream.session import SessionConfig
from .footage import CONTROL, DECODER, OWN, Reference, ScoredDrive
from .goals import GoalResult, compare
from .lanes import DecoderLane, Lane, SessionLane, Watch, run_lanes
from .response import Response, measure_response
from .scorer import Judges, Second, StreamRecord, known_mean

FORMAT = "paintover-scores-1"
MOMENTS = 5
"""Moments of a drive that go onto its contact sheet."""
_LEAST_DRIVES, _LEAST_SECONDS = 2, 60


@dataclass(frozen=True)
class SuiteConfig:
    """How drives are streamed.

    Args:
        seed: of the noise of every stream.
        schedule: of every stream.
        decoder: whether the decoder alone is scored too, from the own frame's reference.
    """

    seed: int = 0
    schedule: Schedule = field(default_factory=Schedule)
    decoder: bool = True


@dataclass(frozen=True)
class Moment:
    """One moment of a drive: ``second`` from its start, and pictures uint8 ``[H, W, 3]`` by name: class map, teacher
    and every stream."""

    second: float
    pictures: dict[str, NDArray[np.uint8]]


@dataclass(frozen=True)
class DriveRecord:
    """What one drive gave.

    Args:
        name: of the drive.
        frames, fps, width, height: of its footage.
        streams: records by name of the stream; a stream that made nothing is not there.
        response: frames from an input to its effect, or None where it was not measured.
        notes: what was missing or special.
        moments: for the contact sheet.
    """

    name: str
    frames: int
    fps: int
    width: int
    height: int
    streams: dict[str, StreamRecord]
    response: Response | None
    notes: tuple[str, ...]
    moments: tuple[Moment, ...]


@dataclass(frozen=True)
class SuiteRecord:
    """What a suite gave.

    Args:
        config: how it was streamed.
        drives: one record each.
        means: by stream, then by score: means over the drives. ``look_ratio`` of the control is its ΔE over that of
            the own frame's stream.
        goals: held against the means.
        doubt: why the figures are not to be relied upon, or empty.
    """

    config: SuiteConfig
    drives: tuple[DriveRecord, ...]
    means: dict[str, dict[str, float]]
    goals: tuple[GoalResult, ...]
    doubt: str

    def to_json(self) -> dict[str, Any]:
        """The record as JSON values; None stands for what could not be measured."""
        drives = []
        for drive in self.drives:
            row = {n: getattr(drive, n) for n in ("name", "frames", "fps", "width", "height")}
            row["notes"] = list(drive.notes)
            row["response"] = None if drive.response is None else drive.response._asdict()
            row["streams"] = {name: dataclasses.asdict(stream) for name, stream in drive.streams.items()}
            drives.append(row)
        goals = [{**dataclasses.asdict(g.goal), "value": g.value, "met": g.met} for g in self.goals]
        values = {
            "format": FORMAT,
            "config": dataclasses.asdict(self.config),
            "doubt": self.doubt,
            "goals": goals,
            "means": self.means,
            "drives": drives,
        }
        plain: dict[str, Any] = _plain(values)
        return plain


WatchDrive = Callable[[ScoredDrive], Watch | None]
"""Called when a drive begins; gives what will watch its seconds."""


def run_suite(
    renderer: Renderer,
    drives: Iterable[ScoredDrive],
    judges: Judges,
    config: SuiteConfig | None = None,
    watch: WatchDrive | None = None,
) -> SuiteRecord:
    """Stream and score all drives.

    Args:
        renderer: in evaluation mode; scores are taken on its device.
        drives: one after the other; each is let go before the next one is asked for.
        judges: what scores stand on.
        config: how to stream.
        watch: sees every drive, for videos.

    Raises:
        ValueError: no drives at all, or a drive that does not fit the renderer.
    """
    config = config or SuiteConfig()
    records = tuple(_run_drive(renderer, d, judges, config, watch) for d in drives)
    if not records:
        raise ValueError("a suite needs at least one drive")
    means = _means(records)
    return SuiteRecord(config, records, means, tuple(compare(means)), _doubt(records))


def _run_drive(
    renderer: Renderer, drive: ScoredDrive, judges: Judges, config: SuiteConfig, watch_drive: WatchDrive | None
) -> DriveRecord:
    footage, first = drive.footage, FRAMES * config.schedule.first
    if len(footage) < first:
        raise ValueError(f"{drive.name}: {len(footage)} frames do not fill the stream's first window of {first}")
    sizes = SessionConfig(config.seed, footage.width, footage.height, config.schedule)
    lanes: dict[str, Lane] = {n: SessionLane(renderer, sizes, r) for n, r in drive.references.items()}
    own = drive.references.get(OWN)
    if config.decoder and own is not None and own.picture is not None:
        lanes[DECODER] = DecoderLane(renderer, own)
    sheet = _Sheet(len(footage) // footage.fps)
    watch = watch_drive(drive) if watch_drive else None  # last: a drive that does not fit leaves no video

    def see(second: Second, pictures: Mapping[str, Tensor]) -> None:
        sheet.take(second, pictures, footage.fps)
        if watch is not None:
            watch(second, pictures)

    device = next(renderer.parameters()).device
    streams = run_lanes(lanes, footage, judges, device, see)
    response = _response(renderer, drive, sizes)
    frames, fps = len(footage), footage.fps
    moments = tuple(sheet.moments)
    return DriveRecord(drive.name, frames, fps, footage.width, footage.height, streams, response, drive.notes, moments)


def _response(renderer: Renderer, drive: ScoredDrive, sizes: SessionConfig) -> Response | None:
    """Response under the first reference of the drive; None without an impulse."""
    impulse = drive.impulse
    if impulse is None or not drive.references:
        return None
    reference: Reference = next(iter(drive.references.values()))

    def start() -> Callable[[Tensor], list[Tensor]]:
        return SessionLane(renderer, sizes, reference).session.push

    return measure_response(start, impulse.calm, impulse.changed, impulse.at)


class _Sheet:
    """Keeps the last picture of a few seconds, evenly over the drive."""

    def __init__(self, seconds: int) -> None:
        self._chosen = {round(v) for v in np.linspace(0, max(0, seconds - 1), MOMENTS)}
        self.moments: list[Moment] = []

    def take(self, second: Second, pictures: Mapping[str, Tensor], fps: int) -> None:
        if second.number not in self._chosen:
            return
        rows = {"class map": RACING.colorize(second.class_maps[-1].cpu().numpy())}
        for name, made in {"teacher": second.teacher, **pictures}.items():
            rows[name] = made[-1].permute(1, 2, 0).contiguous().cpu().numpy()
        at = (second.first_frame + len(second.class_maps) - 1) / fps
        self.moments.append(Moment(at, rows))


def _means(records: tuple[DriveRecord, ...]) -> dict[str, dict[str, float]]:
    by_stream: dict[str, list[StreamRecord]] = {}
    for record in records:
        for name, stream in record.streams.items():
            by_stream.setdefault(name, []).append(stream)
    means = {
        name: {score: known_mean(s.mean[score] for s in streams) for score in streams[0].mean}
        for name, streams in by_stream.items()
    }
    if CONTROL in means and OWN in means:
        means[CONTROL]["look_ratio"] = means[CONTROL]["look"] / max(means[OWN]["look"], 1e-9)
    return means


def _doubt(records: tuple[DriveRecord, ...]) -> str:
    seconds = sum(r.frames / r.fps for r in records)
    if len(records) < _LEAST_DRIVES or seconds < _LEAST_SECONDS:
        return (
            f"drives: {len(records)}, of {seconds:.0f} s in all: these figures say something about these seconds alone "
            f"(at least {_LEAST_DRIVES} drives and {_LEAST_SECONDS} s are asked for)"
        )
    broken = sorted({f"{r.name}: {n}" for r in records for n, s in r.streams.items() if s.error})
    return f"streams that broke off: {', '.join(broken)}" if broken else ""


def _plain(value: Any) -> Any:
    """JSON values: no NaN, no tensors, floats to five significant digits."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.5g}") if math.isfinite(value) else None
    return value
