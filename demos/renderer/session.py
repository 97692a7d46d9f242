"""One engine's stream on the model: frames of a run in, pictures out, controls in force from the next run on."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from demos.renderer.cameras import camera_tensors
from demos.renderer.fades import PromptFade, take_blend
from demos.renderer.looks import GivenLook, read_look, unit_range
from demos.renderer.process import lacks_memory
from demos.renderer.prompts import Prompts
from demos.renderer.schedules import fit_window, read_schedule
from demos.renderer.staging import Laying, depth_kind
from diffusion_render.model.encoder import FRAMES
from diffusion_render.model.renderer import Renderer
from diffusion_render.stream.guides import Guides
from diffusion_render.stream.look_source import dream_reference
from diffusion_render.stream.profile import count, span, spanned
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import SessionConfig, StreamSession
from diffusion_render.stream.transport import Fetch, transport_for
from diffusion_render.stream.window import Draft, RenderWindow, WindowOutputs, render_window
from render_bridge.protocol.events import FrameTaken
from render_bridge.protocol.messages import Control

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
        self._transport = transport_for(self._device)
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
            pictures = self.fetch(run, made)
            run.stream.draw_ahead(run.draft, made)
            return self.complete(run, made, pictures)
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
            maps, depth = self._laid([f.class_map for f in filled], torch.uint8), None
            guided = self._can_guide(filled)
            if guided and self._model.config.autoencoder.noise_octaves:
                planes = [f.planes["depth"] for f in filled]
                depth = self._laid(planes, depth_kind(planes))
            cameras = self._cameras(filled) if guided else None
        count("bytes of class maps", maps.tensor.nbytes)
        stream = self._stream_for(maps, filled[0])
        plan = fit_window(self._schedule, units, stream.window_index > 0)
        if plan != stream.config.schedule:
            stream.change_schedule(plan)
        guides = None
        if cameras is not None:
            with span("class maps in"):
                maps.arrive()
            with span("depth in"):
                # A decoder without noise asks for no depth, since it reads none.
                flat = torch.zeros(1).expand(maps.tensor.shape)
                guides = Guides(flat if depth is None else depth.arrive(), cameras)
        draft = stream.draft(maps.tensor, guides)
        with span("class maps in"):
            maps.arrive()  # no one reads them before the window is made
        return PreparedRun(stream, draft, len(frames))

    @spanned("copy out")
    def fetch(self, run: PreparedRun, made: WindowOutputs) -> Fetch:
        """Send the pictures of a window that was launched on their way to the host, behind it."""
        pictures = made.pictures[0, : run.frames]
        if self._transport is None:
            return Fetch(None, [pictures, made.sums])
        return Fetch(self._transport, [pictures.permute(0, 2, 3, 1).contiguous(), made.sums])

    def complete(self, run: PreparedRun, made: WindowOutputs, pictures: Fetch) -> list[NDArray[np.uint8]]:
        """The last part of ``render``: wait for what ``fetch`` sent, and remember the window."""
        with span("wait"):
            shown, sums = pictures.wait()
        run.stream.remember(run.draft, made._replace(sums=sums))
        count("bytes of pictures", shown.nbytes)
        if self._transport is not None:
            return list(np.asarray(shown.numpy()))  # pinned memory, and the bridge's for as long as it wants it
        with span("rows of RGB"):
            return [np.asarray(cv2.merge(list(picture)), np.uint8) for picture in shown.numpy()]

    def failed(self, error: Exception) -> Exception:
        """What to raise for an error of a run; the stream begins anew with the next one."""
        if lacks_memory(error):
            self._stream = self._dreamt = None
            return self._shortage(str(error))
        if self._stream is not None:
            self._stream.reset()
        return error

    def _stream_for(self, maps: Laying, frame: FrameTaken) -> StreamSession:
        """The stream, under the look that is in force now; there is the first of the ``maps``, and the camera of its
        ``frame``, to dream of."""
        if self._fade.step():
            self._look_changed = True
        if self._stream is not None and not self._look_changed:
            return self._stream
        look = self._given or self._dreamt or self._dream(maps.arrive()[0], frame)
        arguments = look.picture, look.class_map, self._fade.rows, look.camera
        if self._stream is None:
            self._stream = StreamSession(self._model, self._config, *arguments, render=self._windows)
        else:
            self._stream.change_look(*arguments)
        self._look_changed = False
        return self._stream

    def _dream(self, class_map: Tensor, frame: FrameTaken) -> GivenLook:
        picture = dream_reference(self._model, self._config, class_map, self._fade.rows)
        (camera,) = self._camera_rows([frame]) if self._model.config.guided else (None,)
        self._dreamt = GivenLook(unit_range(picture), class_map.clone(), camera)
        return self._dreamt

    def _can_guide(self, frames: Sequence[FrameTaken]) -> bool:
        """Whether every frame of the run has the planes that the model reads beside cameras, if it reads any."""
        config = self._model.config
        return config.guided and (not config.autoencoder.noise_octaves or all("depth" in f.planes for f in frames))

    def _cameras(self, frames: Sequence[FrameTaken]) -> Tensor | None:
        """The cameras of all frames, float64 ``[F, 12]``; None if any has none that anchors texture."""
        known = [row for row in self._camera_rows(frames) if row is not None]
        return torch.stack(known) if len(known) == len(frames) else None

    def _camera_rows(self, frames: Sequence[FrameTaken]) -> list[Tensor | None]:
        size = self._config.width, self._config.height
        return camera_tensors([f.view for f in frames], [f.projection for f in frames], *size)

    def _laid(self, planes: Sequence[NDArray[Any]], kind: torch.dtype) -> Laying:
        return Laying(planes, kind, self._device, self._transport)

    def _shortage(self, text: str) -> MemoryShortage:
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        asked = WANTED.search(text)
        amount = f"another {asked[1].strip()} were asked for" if asked else text.splitlines()[0][:200]
        size = f"{self._config.width}x{self._config.height}"
        return MemoryShortage(f"{self._device.type} has too little memory for {size}: {amount}; try a smaller size")
