"""Makes a renderer for each session of a bridge, all on one model."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from torch import nn

from demos.renderer.batches import Batches, Drawn, Run
from demos.renderer.process import check_device, device_name
from demos.renderer.prompts import OpenEncoder, Prompts, Say
from demos.renderer.session import StreamRenderer
from diffusion_render.model.bundle import best_dtype, open_renderer
from diffusion_render.model.encoder import FRAMES
from diffusion_render.model.prompt import PromptEncoder
from diffusion_render.model.renderer import PRESETS, Renderer
from diffusion_render.model.weights import WeightsError
from diffusion_render.stream.batch import make_together
from diffusion_render.stream.guides import Guides
from diffusion_render.stream.recorded import CudaRecorder, RecordedWindows
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import SessionConfig, StreamSession
from diffusion_render.stream.window import RenderWindow, compiled_window, render_window
from engine_sim.core.errors import UserError
from render_bridge.protocol.events import FrameTaken, SessionOpened
from render_bridge.protocol.offer import Offer, Sizes

LARGEST = (2048, 1152)
NUMBER_TYPES = {"bfloat16": torch.bfloat16, "float32": torch.float32}
BATCH_ON_GPU = 4
RECORDINGS = 8
"""Shapes of windows that stay recorded for each size of a batch, see ``RecordedWindows``."""


@dataclass(frozen=True)
class RendererPlan:
    """Which model, where it runs, and how its streams are cut.

    Args:
        preset: name of the preset.
        weights: folder of the weights; None for the shipped ones.
        random_weights: no weights at all: it has learnt nothing, but costs what a trained one does.
        device: of torch.
        threads: of this process, for ``process.set_up_torch``; None for one for each core.
        number_type: one of NUMBER_TYPES; None for the fastest on the device.
        schedule: of every stream, until its engine asks for another.
        sessions: most engines at once.
        eager: launch every window's work anew on a GPU too, instead of recording it.
        compile: compile the networks at the start: a minute or more, and then half the time on a GPU.
        batch: most sessions whose chunks are drawn as one; None for what suits the device. Only powers of two occur.
        dead_ms: milliseconds of silence after which an engine counts as gone.
    """

    preset: str = "nano"
    weights: Path | None = None
    random_weights: bool = False
    device: str = "cpu"
    threads: int | None = None
    number_type: str | None = None
    schedule: Schedule = field(default_factory=Schedule)
    sessions: int = Offer.max_sessions
    eager: bool = False
    compile: bool = False
    batch: int | None = None
    dead_ms: int = Offer.dead_ms


class StreamFactory:
    """Opens the model and makes renderers on it; implements ``work.SharingFactory``.

    Args:
        plan: which model.
        say: takes lines for people.
        open_encoder: loads the reader of prompts, in a thread of its own.

    Raises:
        UserError: weights missing, damaged or made for something else; no such device.
    """

    def __init__(self, plan: RendererPlan, say: Say, open_encoder: OpenEncoder = PromptEncoder.open) -> None:
        self.plan, self._say = plan, say
        self.model = open_model(plan)
        self._prompts = Prompts(say, open_encoder)
        on_gpu = next(self.model.parameters()).device.type == "cuda"
        most = (min(BATCH_ON_GPU, plan.sessions) if on_gpu else 1) if plan.batch is None else plan.batch
        self._render: RenderWindow = compiled_window() if plan.compile else render_window
        self._windows = self._make_windows(say, most)
        self._batches = Batches(self.model, self._windows, most, say)
        self.offer = self._make_offer()
        self.pixel_seconds = 0.0
        self._run_seconds: dict[int, float] = {}

    def open(self, opened: SessionOpened) -> StreamRenderer:
        """A renderer for a session; its stream is made with its first run."""
        size, made_for = (opened.hello.width, opened.hello.height), (self.model.config.width, self.model.config.height)
        if self.plan.compile and size != made_for:
            self._say("{}x{} was not compiled, {}x{} was: this session's pictures take longer".format(*size, *made_for))
        return self.renderer(size)

    def renderer(self, size: tuple[int, int], recorded: bool = True) -> StreamRenderer:
        """A renderer of pictures of this width and height, pixels; not ``recorded``, each window is launched anew."""
        windows, most = self._windows if recorded else self._render, self.offer.window // 2
        return StreamRenderer(self.model, self._prompts, size, self.plan.schedule, most, windows)

    @property
    def records(self) -> bool:
        """True if windows are recorded once and replayed."""
        return next(self.model.parameters()).device.type == "cuda" and not self.plan.eager

    @property
    def sizes(self) -> tuple[int, ...]:
        """See ``work.SharingFactory``."""
        return self._batches.sizes

    @property
    def shares(self) -> tuple[float, ...]:
        """See ``work.SharingFactory``; of what ``warm_up`` has measured."""
        alone = self._run_seconds.get(1, 1.0)
        return tuple(min(1.0, self._run_seconds.get(size, alone) / alone) for size in self.sizes)

    def kind(self, renderer: StreamRenderer, frames: Sequence[FrameTaken]) -> Hashable | None:
        """See ``work.SharingFactory``."""
        return renderer.kind(frames)

    def render_many(self, runs: Sequence[Run]) -> list[Drawn]:
        """See ``work.SharingFactory``."""
        return self._batches.draw(runs)

    def _make_windows(self, say: Say, most: int) -> RenderWindow:
        if not self.records:
            return self._render
        return RecordedWindows(CudaRecorder(), say, RECORDINGS * most.bit_length(), self._render)

    def warm_up(self) -> None:
        """Draw chunks at the preset's size, which no one sees, in every size of a batch: memory, kernels and compiled
        code are ready then, and it is known what a chunk costs. What was not compiled by then runs uncompiled:
        the first window of a stream is longer than all others, and nobody waits a minute for that."""
        streams = [self._blank_stream() for _ in range(self.sizes[-1])]
        for stream in streams:
            self._draw_blank([stream])
        for size in self.sizes:
            try:
                self._run_seconds[size] = self._least_seconds(streams[:size]) / size
            except RuntimeError as error:  # too little memory for so many at once, for example
                if size == 1:
                    raise
                self._batches.give_up(size, error)
                break
        frames, config = FRAMES * self.plan.schedule.chunk, self.model.config
        self.pixel_seconds = self._run_seconds[1] / (frames * config.width * config.height)
        if self.plan.compile:
            torch.compiler.set_stance("eager_on_recompile")

    def _least_seconds(self, streams: Sequence[StreamSession]) -> float:
        """What a batch takes. What is recorded or compiled shows its speed only afterwards; a processor's user does not
        wait for a second."""
        return min(self._draw_blank(streams) for _ in range(4 if self.records or self.plan.compile else 1))

    def _draw_blank(self, streams: Sequence[StreamSession]) -> float:
        """Draw a window of each stream as one batch; the seconds that it takes."""
        begin = time.perf_counter()
        row = torch.tensor([0, 0, 2, 0, 1, 0, 0, 0, 1, 1, 0.4, 2500], dtype=torch.float64)
        drafts = []
        for stream in streams:
            maps = torch.zeros(stream.frames_wanted, stream.config.height, stream.config.width, dtype=torch.uint8)
            drafts.append(stream.draft(maps, Guides(torch.full(maps.shape, 50.0), row.expand(len(maps), -1))))
        made = make_together(self.model, drafts, self._windows)
        for stream, draft, outputs in zip(streams, drafts, made, strict=True):
            stream.draw_ahead(draft, outputs)
        for stream, draft, outputs in zip(streams, drafts, made, strict=True):
            stream.finish(draft, outputs)
        return time.perf_counter() - begin

    def _blank_stream(self) -> StreamSession:
        config, plan = self.model.config, self.plan.schedule
        short = replace(plan, first=max(1, plan.sink + plan.history, plan.sink + 1))
        session = SessionConfig(width=config.width, height=config.height, schedule=short)
        blank = torch.zeros(config.height, config.width, dtype=torch.uint8)
        picture = torch.zeros(3, config.height, config.width)
        text = torch.zeros(config.generator.text_tokens, config.generator.text)
        return StreamSession(self.model, session, picture, blank, text, render=self._windows)

    @property
    def what(self) -> str:
        """One line for people."""
        weight = next(self.model.parameters())
        learnt = "random weights, it has learnt nothing" if self.plan.random_weights else "trained"
        where = device_name(weight.device)
        threads = f", {torch.get_num_threads()} threads" if weight.device.type == "cpu" else ""
        return f"{self.plan.preset} ({learnt}) on {where} in {str(weight.dtype).removeprefix('torch.')}{threads}"

    def _make_offer(self) -> Offer:
        plan, config = self.plan, self.model.config
        run, first = FRAMES * plan.schedule.chunk, FRAMES * plan.schedule.first
        made_for = f"{config.width}x{config.height}"
        return Offer(
            f"paintover {plan.preset}",
            sizes=Sizes(step=32, largest=LARGEST),
            planes=("depth",) if config.autoencoder.noise_octaves else (),
            notes=(self.what, f"{plan.preset} was made for {made_for}; other sizes are drawn as well as it can"),
            run=run,
            first_run=first,
            window=first + 2 * run,
            max_sessions=plan.sessions,
            dead_ms=plan.dead_ms,
        )


def open_model(plan: RendererPlan) -> Renderer:
    """The networks of a plan, in evaluation mode, laid out for the device.

    Raises:
        UserError: weights missing, damaged or made for something else; no such device.
    """
    device = check_device(plan.device)
    torch.backends.cudnn.benchmark = True  # sizes hardly ever change: the fastest kernels are worth looking for
    dtype = best_dtype(device) if plan.number_type is None else NUMBER_TYPES[plan.number_type]
    random = plan.random_weights
    try:
        model = random_renderer(plan.preset) if random else open_renderer(plan.preset, plan.weights, device)
    except WeightsError as error:
        raise UserError(f"{error}; --random-weights does without any") from None
    model.to(device, dtype).eval().requires_grad_(False)
    if plan.compile:
        model.compile_for_play()
    for parameter in model.parameters():
        if parameter.dim() == 4:  # convolutions read these as they lie; others they would turn around in every call
            parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)
    return model


def random_renderer(preset: str, seed: int = 0) -> Renderer:
    """A renderer that has learnt nothing, always the same one; nothing in it is left at zero."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Renderer(PRESETS[preset])
        for parameter in model.parameters():
            if not parameter.detach().any():
                nn.init.normal_(parameter, std=0.05)
    return model


def cut_schedule(chunk: int | None, first: int | None) -> Schedule:
    """The default schedule with chunks, and a first one, of so many video frames; None keeps the default's.

    Raises:
        UserError: unless they make whole units, or if the first is too short for what the second remembers.
    """
    units = {}
    for name, word, frames in (("chunk", "--chunk", chunk), ("first", "--first-chunk", first)):
        if frames is None:
            continue
        if frames < FRAMES or frames % FRAMES:
            raise UserError(f"{word} must be a multiple of {FRAMES} frames for a model, got {frames}")
        units[name] = frames // FRAMES
    try:
        return Schedule(**units)  # type: ignore[arg-type]
    except ValueError as error:
        raise UserError(f"--chunk and --first-chunk make no schedule: {error}") from None
