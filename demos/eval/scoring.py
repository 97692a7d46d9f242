"""Everything that scores a renderer, opened once: model, judges, prompts; and the files that a scoring leaves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from demos.renderer.factory import RendererPlan, open_model
from demos.renderer.process import default_threads, device_name, set_up_torch
from demos.renderer.schedules import noise_levels
from demos.report import cpu_name, package_version
from diffusion_render.evaluate.footage import ScoredDrive
from diffusion_render.evaluate.lanes import Watch
from diffusion_render.evaluate.perceptual import BackboneMissing, open_perceptual
from diffusion_render.evaluate.report import ReportText, write_report
from diffusion_render.evaluate.scorer import Judges, Second
from diffusion_render.evaluate.segmenter import FILE_NAME, open_segmenter
from diffusion_render.evaluate.suite import SuiteConfig, SuiteRecord, run_suite
from diffusion_render.model.bundle import has_weights, weights_folder, weights_path
from diffusion_render.model.prompt import PromptEncoder, PromptError
from diffusion_render.model.renderer import PRESETS, Renderer
from diffusion_render.model.weights import WeightsError, WeightsHeader, read_header
from diffusion_render.stream.schedule import Schedule
from engine_sim.core.errors import UserError
from engine_sim.recording.video import pick_encoder

from .videos import DriveVideo

REPORT, SCORES = "report.html", "scores.json"


@dataclass
class Scoring:
    """A renderer and all that judges it.

    Args:
        renderer: in evaluation mode.
        config: how it is streamed.
        judges: what scores stand on.
        encode: prompt → tokens, or None where none can be read.
        facts: about renderer and machine, for the report.
        absent: one line for each thing that is missing and how to get it.
    """

    renderer: Renderer
    config: SuiteConfig
    judges: Judges
    encode: Callable[[str], Tensor | None]
    facts: dict[str, str]
    absent: list[str] = field(default_factory=list)

    @property
    def guided(self) -> bool:
        """Whether the renderer reads guide planes."""
        return self.renderer.config.guided

    def score(
        self, drives: Iterable[ScoredDrive], out: Path, title: str, video: bool = True, progress: bool = True
    ) -> SuiteRecord:
        """Score the drives and write report, scores and videos into ``out``.

        Raises:
            UserError: the place cannot be written, or a drive does not fit the renderer.
        """
        files = _Files(out, self._can_film(video), progress)
        try:
            record = run_suite(self.renderer, drives, self.judges, self.config, files.begin)
        except BaseException as error:
            files.give_up()
            if isinstance(error, (WeightsError, ValueError)):
                raise UserError(str(error)) from error
            raise
        files.close()
        text = ReportText(title, self.facts, tuple(self.absent), files.videos)
        try:
            values = {"title": title, "facts": self.facts, "absent": self.absent, **record.to_json()}
            (out / SCORES).write_text(json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
            write_report(out / REPORT, record, text)
        except OSError as error:
            raise UserError(f"cannot write into {out}: {error.strerror or error}") from error
        return record

    def _can_film(self, wanted: bool) -> bool:
        if not wanted:
            return False
        try:
            pick_encoder()
        except UserError as error:
            self.absent.append(f"videos: {error}")
            return False
        return True


def open_scoring(plan: RendererPlan, samples: int = 2, prompts: bool = True) -> Scoring:
    """Open the renderer of a plan and whatever judges are there.

    Args:
        plan: which renderer; its schedule is replaced by the one that its weights were trained for.
        samples: pictures a second that are scored.
        prompts: whether to stream under prompts.

    Raises:
        UserError: no such preset, weights missing or unfit, or a sampler that this version does not have.
    """
    if plan.preset not in PRESETS:
        raise UserError(f"unknown preset {plan.preset!r}; expected one of {', '.join(PRESETS)}")
    threads = plan.threads or default_threads()
    set_up_torch(threads)
    header = None if plan.random_weights else _header(plan)
    schedule = plan.schedule if header is None else schedule_of(header.sampler, plan.schedule)
    renderer = open_model(plan)
    device = next(renderer.parameters()).device
    absent: list[str] = []
    judges = _judges(plan.weights or weights_folder(), device, samples, absent)
    encode = _prompts(absent) if prompts else _no_prompt
    facts = _facts(plan, header, renderer, schedule, encode is not _no_prompt)
    return Scoring(renderer, SuiteConfig(schedule=schedule), judges, encode, facts, absent)


def schedule_of(sampler: str, plan: Schedule) -> Schedule:
    """The plan with the steps that weights were trained for. UserError for a sampler that is not ours."""
    found = re.fullmatch(r"euler-([1-8])", sampler)
    if found is None:
        raise UserError(
            f"these weights need the sampler {sampler!r}, this version has euler-1 to euler-8: scores under another "
            "one would say nothing about them"
        )
    steps = noise_levels(int(found[1]))
    return Schedule(plan.first, plan.chunk, plan.sink, plan.history, steps, plan.history_noise)


def _header(plan: RendererPlan) -> WeightsHeader:
    if not has_weights(plan.preset, plan.weights):
        raise UserError(
            f"no weights of {plan.preset!r} at {weights_path(plan.preset, plan.weights)}: train them with 'paintover "
            "train', name another folder with --weights, or try the way through with --random-weights"
        )
    try:
        return read_header(weights_path(plan.preset, plan.weights))
    except WeightsError as error:
        raise UserError(str(error)) from None


def _judges(folder: Path, device: torch.device, samples: int, absent: list[str]) -> Judges:
    segmenter = perceptual = None
    try:
        segmenter = open_segmenter(folder / FILE_NAME, device)
    except WeightsError as error:
        absent.append(f"structure: {error}")
    try:
        perceptual = open_perceptual(device)
    except BackboneMissing as error:
        absent.append(f"perceptual distance: {error}")
    return Judges(segmenter, perceptual, samples)


def _no_prompt(_: str) -> Tensor | None:
    return None


def _prompts(absent: list[str]) -> Callable[[str], Tensor | None]:
    try:
        return PromptEncoder.open().encode
    except PromptError as error:
        absent.append(f"prompts: streamed without: {error}")
        return _no_prompt


def _facts(
    plan: RendererPlan, header: WeightsHeader | None, renderer: Renderer, schedule: Schedule, prompted: bool
) -> dict[str, str]:
    weight = next(renderer.parameters())
    levels = ", ".join(f"{level:g}" for level in schedule.steps)
    facts = {
        "renderer": plan.preset,
        "weights": "random: these scores mean nothing" if header is None else f"{header.stage}; {header.data}",
        "sampler": f"{len(schedule.steps)} steps at {levels}; first {schedule.first}, chunk {schedule.chunk}, "
        f"history {schedule.history}, sink {schedule.sink} units",
        "prompt": "each look's own" if prompted else "none",
        "device": f"{device_name(weight.device)}, {str(weight.dtype).removeprefix('torch.')}",
        "processor": cpu_name(),
        "torch": str(package_version("torch")),
    }
    return facts


class _Files:
    """Videos and a progress bar for the drive that is being streamed.

    Raises:
        UserError: the folder cannot be made.
    """

    def __init__(self, out: Path, film: bool, progress: bool) -> None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot make {out}: {error.strerror or error}; name another place with --out") from None
        self._out, self._film, self._progress = out, film, progress
        self._video: DriveVideo | None = None
        self._bar: tqdm | None = None
        self.videos: dict[str, str] = {}

    def begin(self, drive: ScoredDrive) -> Watch:
        """Watches a drive; that before it is done."""
        self.close()
        bar = tqdm(total=len(drive.footage), unit="frame", desc=drive.name, disable=not self._progress)
        video = None
        if self._film:
            name = re.sub(r"[^\w.-]+", "-", drive.name) + ".mp4"
            video = DriveVideo(self._out / name, drive)
            self.videos[drive.name] = name
        self._bar, self._video = bar, video

        def watch(second: Second, pictures: Mapping[str, Tensor]) -> None:
            bar.update(len(second.class_maps))
            if video is not None:
                video.see(second, pictures)

        return watch

    def give_up(self) -> None:
        """End video and bar of a drive that was not streamed to its end; nobody would know that its video was cut."""
        cut = self._out / next(reversed(self.videos.values())) if self._video is not None else None
        self.close()
        if cut is not None:
            cut.unlink(missing_ok=True)

    def close(self) -> None:
        """End video and bar. Safe to call twice."""
        if self._video is not None:
            self._video.close()
        if self._bar is not None:
            self._bar.close()
        self._video = self._bar = None
