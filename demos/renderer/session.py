"""One engine's stream on the model: frames of a run in, pictures out, controls in force from the next run on."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from demos.renderer.cameras import camera_tensors
from demos.renderer.fades import PromptFade, take_blend
from demos.renderer.looks import GivenLook, read_look, unit_range
from demos.renderer.prompts import Prompts
from demos.renderer.schedules import fit_window, read_schedule
from diffusion_render.model.encoder import FRAMES
from diffusion_render.model.renderer import Renderer
from diffusion_render.stream.guides import Guides
from diffusion_render.stream.look_source import dream_reference
from diffusion_render.stream.profile import count, span, spanned
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import SessionConfig, StreamSession
from diffusion_render.stream.window import Draft, RenderWindow, WindowOutputs, render_window
from render_bridge.protocol.events import FrameTaken
from render_bridge.protocol.messages import Control

TOO_LITTLE = re.compile(r"not enough memory|out of memory|can't allocate memory", re.IGNORECASE)
WANTED = re.compile(r"allocate ([\d.]+ ?[KMGT]?i?B(?:ytes)?)", re.IGNORECASE)


class MemoryShortage(RuntimeError):
    """The device has too little memory for this run; the message says how much was asked for."""


class PreparedRun(NamedTuple):
    """A run of so many ``frames`` whose window its ``stream`` has drafted."""

    stream: StreamSession
    draft: Draft
    frames: int


class StreamRenderer:
    """A session of ``render_bridge`` drawn by a ``StreamSession``; implements ``serving.Renderer``.

    *Look.* Reference and prompt. A reference from the engine stays when the prompt changes. Without one the model
    dreams a reference from the prompt and the frame at hand, and dreams another when the prompt changes. The camera of
    the reference, where it is known, and those of the frames tell a model that reads headings where the light is.

    *Blend.* ``blend`` in a schedule: a new prompt comes into force over so many runs, its rows mixed with the old ones.
    A dreamt reference belongs to one prompt, so there every prompt is a cut.

    *Schedule.* From the next run on, windows follow the new plan: units, noise, look and decoder go on, history
    and sink are cut or fill up. ``run`` says how many frames to ask for; a run that was granted before is drawn
    as a window of its own length.

    *Reset.* The stream begins anew under the look, schedule and, unless a seed comes with it, seed in force.

    Args:
        model: the networks, shared between sessions.
        prompts: reads text, shared too.
        size: width and height of the pictures, pixels.
        schedule: to begin with.
        most_frames: longest run that can be asked for.
        windows: how the stream's windows are made, shared too.
    """

    def __init__(
        self,
        model: Renderer,
        prompts: Prompts,
        size: tuple[int, int],
        schedule: Schedule,
        most_frames: int,
        windows: RenderWindow = render_window,
    ) -> None:
        self._model, self._prompts = model, prompts
        self._device = next(model.parameters()).device
        self._config = SessionConfig(width=size[0], height=size[1], schedule=schedule)
        self._schedule, self._most_frames, self._windows = schedule, most_frames, windows
        self._words = ""
        self._fade = PromptFade(prompts.encode(""))
        self._given: GivenLook | None = None
        self._dreamt: GivenLook | None = None
        self._look_changed = False
        self._stream: StreamSession | None = None

    @property
    def run(self) -> int | None:
        """Frames of a run under the schedule in force."""
        return FRAMES * self._schedule.chunk

    # --- controls: checked here, put in force by the next run

    def apply(self, control: Control) -> None:
        """Take a look, prompt or schedule. ValueError refuses it."""
        if control.kind == "schedule":
            runs, values = take_blend(control.schedule or {})
            self._schedule = read_schedule(values, self._schedule, self._most_frames)
            self._fade.runs = runs or self._fade.runs
            return
        words = self._words if control.text is None else control.text
        rows = self._fade.rows if words == self._words else self._prompts.encode(words)
        if control.kind == "look":
            classes = self._model.config.autoencoder.classes
            self._given = read_look(control, self._config.width, self._config.height, classes)
        if words != self._words:
            self._words = words
            self._fade.to(rows, at_once=self._stream is None or self._given is None)
        self._dreamt, self._look_changed = None, True

    def reset(self, seed: int | None) -> None:
        """Begin anew; look and schedule stay."""
        if seed is not None:
            self._config = replace(self._config, seed=seed)
        if self._fade.finish():
            self._look_changed = True
        if self._stream is not None:
            self._stream.config = replace(self._stream.config, seed=self._config.seed)
            self._stream.reset()

    def close(self) -> None:
        """Let go of everything that the stream remembers."""
        self._stream = self._given = self._dreamt = None

    # --- drawing

    @spanned("chunk")
    def render(self, frames: Sequence[FrameTaken]) -> Sequence[NDArray[np.uint8]]:
        """RGB uint8 ``[H, W, 3]`` of each frame of a run, drawn as one window.

        Raises:
            RenderError: the model made NaN. MemoryShortage: too little memory. Either way the stream begins anew with
            the next run.
        """
        try:
            run = self.prepare(frames)
            made = run.stream.make(run.draft)
            run.stream.draw_ahead(run.draft)
            return self.complete(run, made)
        except Exception as error:
            raise self.failed(error) from None

    def kind(self, frames: Sequence[FrameTaken]) -> Hashable | None:
        """Equal for runs of sessions that can be drawn together, as far as can be told before they are prepared; None
        for one that is drawn alone: it begins a stream or a look."""
        if self._stream is None or self._stream.window_index == 0 or self._look_changed:
            return None
        guided = "depth" in frames[0].planes, frames[0].view is None
        return self._config.width, self._config.height, self._schedule, len(frames), guided

    def prepare(self, frames: Sequence[FrameTaken]) -> PreparedRun:
        """The first part of ``render``: what the window is made from. What is raised in any part goes to ``failed``."""
        units = -(-len(frames) // FRAMES)
        # The last run of a stream may be cut short: its last frame stands still until the unit is full.
        filled = [*frames, *[frames[-1]] * (FRAMES * units - len(frames))]
        with span("frames together"):
            maps = self._stacked([f.class_map for f in filled], torch.uint8)
            cameras = self._cameras(filled)
        count("bytes of class maps", maps.nbytes)
        stream = self._stream_for(maps[0], cameras[0])
        plan = fit_window(self._schedule, units, stream.window_index > 0)
        if plan != stream.config.schedule:
            stream.change_schedule(plan)
        return PreparedRun(stream, stream.draft(maps, self._guides(filled, cameras)), len(frames))

    def complete(self, run: PreparedRun, made: WindowOutputs) -> list[NDArray[np.uint8]]:
        """The last part of ``render``, after its window was made."""
        pictures = run.stream.finish(run.draft, made)[: run.frames]
        return list(self._to_host(torch.stack(pictures)))

    def failed(self, error: Exception) -> Exception:
        """What to raise for an error of a run; the stream begins anew with the next one."""
        if TOO_LITTLE.search(str(error)):
            self._stream = self._dreamt = None
            return self._shortage(str(error))
        if self._stream is not None:
            self._stream.reset()
        return error

    def _stream_for(self, class_map: Tensor, camera: Tensor | None) -> StreamSession:
        """The stream, under the look that is in force now; ``class_map`` and its ``camera`` are what there is to dream
        of."""
        if self._fade.step():
            self._look_changed = True
        if self._stream is not None and not self._look_changed:
            return self._stream
        look = self._given or self._dreamt or self._dream(class_map, camera)
        arguments = look.picture, look.class_map, self._fade.rows, look.camera
        if self._stream is None:
            self._stream = StreamSession(self._model, self._config, *arguments, render=self._windows)
        else:
            self._stream.change_look(*arguments)
        self._look_changed = False
        return self._stream

    def _dream(self, class_map: Tensor, camera: Tensor | None) -> GivenLook:
        picture = dream_reference(self._model, self._config, class_map, self._fade.rows)
        self._dreamt = GivenLook(unit_range(picture), class_map, camera)
        return self._dreamt

    def _cameras(self, frames: Sequence[FrameTaken]) -> list[Tensor | None]:
        """The camera of each frame, float64 ``[12]``; all None for a model that has no use for them."""
        if not self._model.config.guided:
            return [None] * len(frames)
        size = self._config.width, self._config.height
        return camera_tensors([f.view for f in frames], [f.projection for f in frames], *size)

    def _guides(self, frames: Sequence[FrameTaken], cameras: Sequence[Tensor | None]) -> Guides | None:
        """Cameras and depth, if every frame of the run has what the model reads."""
        known = [camera for camera in cameras if camera is not None]
        if len(known) < len(frames):
            return None
        if not self._model.config.autoencoder.noise_octaves:  # it asks for no depth, since it reads none
            return Guides(torch.zeros(1).expand(len(frames), *frames[0].class_map.shape), torch.stack(known))
        if any("depth" not in f.planes for f in frames):
            return None
        return Guides(self._stacked([f.planes["depth"] for f in frames], torch.float32), torch.stack(known))

    def _stacked(self, planes: Sequence[NDArray[Any]], kind: torch.dtype) -> Tensor:
        """Planes ``[H, W]`` of a run → ``[F, H, W]``, where the device can fetch them by itself."""
        on_gpu = self._device.type == "cuda"
        stack = torch.empty(len(planes), *planes[0].shape, dtype=kind, pin_memory=on_gpu)
        for place, plane in zip(stack.numpy(), planes, strict=True):
            place[:] = plane
        return stack

    @spanned("copy out")
    def _to_host(self, pictures: Tensor) -> NDArray[np.uint8]:
        """uint8 ``[F, 3, H, W]`` on the device → ``[F, H, W, 3]`` that the bridge may keep."""
        rows = pictures.permute(0, 2, 3, 1).contiguous()
        if self._device.type == "cuda":
            # A copy into ordinary memory is 11 times as slow.
            rows = torch.empty(rows.shape, dtype=rows.dtype, pin_memory=True).copy_(rows)
        count("bytes of pictures", rows.nbytes)
        return np.asarray(rows.cpu().numpy())

    def _shortage(self, text: str) -> MemoryShortage:
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        asked = WANTED.search(text)
        amount = f"another {asked[1].strip()} were asked for" if asked else text.splitlines()[0][:200]
        size = f"{self._config.width}x{self._config.height}"
        return MemoryShortage(f"{self._device.type} has too little memory for {size}: {amount}; try a smaller size")
