"""One player's stream: push class maps, get pictures. All state is O(window) and belongs to the session.

The picture depends on the class maps, the look and the seed alone: not on how pushes are grouped, how long the
stream has run, or what another session does. Units are decoded one by one, always in the same shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor

from ..model.attention import KeyValue
from ..model.decoder import DecoderState
from ..model.encoder import FRAMES
from ..model.generator import Tokens
from ..model.renderer import Renderer
from ..model.transfer import send
from .guides import GuideNoise, Guides
from .heading import UNKNOWN, unit_headings
from .look import make_look
from .noise import Draw, UnitNoise
from .profile import span, spanned
from .schedule import Schedule, Window
from .window import Draft, RenderWindow, WindowInputs, WindowOutputs, render_window


class Unit(NamedTuple):
    """One latent frame that the stream still remembers."""

    number: int
    latent: Tensor  # [1, 1, C, h, w], clean
    structure: Tensor  # [1, 1, S, h, w]
    heading: float = UNKNOWN  # of the camera in the world, so that another look can still tell how far it has turned


class RenderError(RuntimeError):
    """The picture is not fit to be shown; the session keeps its last good state until it is reset."""


@dataclass(frozen=True)
class SessionConfig:
    """What a session is started with.

    Args:
        seed: of all noise of the stream.
        width, height: picture size in pixels, divisible by 32.
        schedule: the stream's plan.
    """

    seed: int = 0
    width: int = 448
    height: int = 256
    schedule: Schedule = field(default_factory=Schedule)

    def __post_init__(self) -> None:
        if self.width % 32 or self.height % 32 or min(self.width, self.height) < 32:
            raise ValueError(f"picture size must be divisible by 32, got {self.width} × {self.height}")


class StreamSession:
    """Turns a stream of class maps into pictures, window by window.

    Args:
        renderer: the networks, in evaluation mode; shared between sessions.
        config: seed, size, schedule.
        reference: ``[3, H, W]`` RGB in [−1, 1], the picture that fixes the look; None leaves it to the prompt.
        reference_map: uint8 ``[H, W]``, its class map; without a reference the map of the opening frame.
        text: prompt tokens ``[P, text]``.
        reference_camera: the camera that the reference was taken with, ``[12]`` as in ``guides``, or None if it is not
            known; without a reference that of the opening frame. Only generators with ``heading`` read it.
        render: how windows are made: eagerly, or from recordings that sessions share.
    """

    def __init__(
        self,
        renderer: Renderer,
        config: SessionConfig,
        reference: Tensor | None,
        reference_map: Tensor,
        text: Tensor,
        reference_camera: Tensor | None = None,
        render: RenderWindow = render_window,
    ) -> None:
        self.renderer, self.config, self._render = renderer, config, render
        weight = next(renderer.parameters())
        self.device, self.dtype = weight.device, weight.dtype
        self._guide_noise = GuideNoise(renderer.config.autoencoder.noise_octaves, self.device)
        shape = 1, 1, renderer.config.autoencoder.latent, config.height // 32, config.width // 32
        self._unit_noise = UnitNoise(shape, self.device, self.dtype)
        self.look = make_look(self.renderer, reference, reference_map, text, reference_camera)
        self.reset()

    def reset(self) -> None:
        """Start the stream anew under the look now in force; equal to a fresh session."""
        self.window_index = self._units = 0
        self._pending: list[tuple[Tensor, Guides | None]] = []
        self._sink: list[Unit] = []
        self._history: list[Unit] = []
        self._decoder: DecoderState | None = None
        self._prefix: list[KeyValue] | None = None

    @property
    def frames_wanted(self) -> int:
        """Class maps still missing for the next window."""
        return FRAMES * len(self._window().chunk) - len(self._pending)

    def _window(self) -> Window:
        schedule, number = self.config.schedule, self.window_index
        return schedule.window_from(number, self._units) if number else schedule.window(0)

    def change_schedule(self, schedule: Schedule) -> None:
        """Put another plan in force from the next window on; look, seed, decoder and the count of units stay.

        What is remembered is cut to the new plan; a longer history or sink fills up with the windows to come.

        Raises:
            ValueError: between two windows only: class maps wait for the present one.
        """
        if self._pending:
            raise ValueError(f"a schedule changes between windows; {len(self._pending)} class maps wait for this one")
        self.config = replace(self.config, schedule=schedule)
        self._history = self._history[-schedule.history :] if schedule.history else []
        if len(self._sink) > schedule.sink:
            self._sink, self._prefix = self._sink[: schedule.sink], None

    @torch.inference_mode()
    def change_look(
        self, reference: Tensor | None, reference_map: Tensor, text: Tensor, reference_camera: Tensor | None = None
    ) -> None:
        """Put another look in force from the next window on; arguments as above.

        History stays, so that motion goes on; its headings are told from the new reference's camera. The sink was made
        under the old look and is dropped; the first units made under the new one become the new sink.
        """
        self.look = make_look(self.renderer, reference, reference_map, text, reference_camera)
        self._sink, self._prefix = [], None

    @torch.inference_mode()
    def push(self, class_maps: Tensor, guides: Guides | None = None) -> list[Tensor]:
        """Take class maps uint8 ``[F, H, W]``, in order; return the pictures that became ready.

        Args:
            class_maps: the next F frames.
            guides: depth and cameras of the same frames; a unit has texture that stays with its place, and a heading,
                only if all of its frames came with guides.

        Returns:
            uint8 pictures ``[3, H, W]``, each answering the oldest class map not yet answered.

        Raises:
            ValueError: for another size or type.
            RenderError: if the model made NaN; nothing of that window is shown or remembered.
        """
        pictures: list[Tensor] = []
        for frame in self._checked(class_maps, guides):
            self._pending.append(frame)
            if self.frames_wanted == 0:
                draft = self._draft()
                made = self.make(draft)
                self.draw_ahead(draft)
                pictures += self.finish(draft, made)
        return pictures

    @torch.inference_mode()
    def draft(self, class_maps: Tensor, guides: Guides | None = None) -> Draft:
        """Take the class maps of the whole next window, as ``push``, and say what it is made from.

        ``make``, or ``batch.make_together`` for several sessions, turns the draft into what ``finish`` takes. Until
        then the session is not to be used.

        Raises:
            ValueError: for another size, type or number of class maps.
        """
        frames = self._checked(class_maps, guides)
        if len(frames) != self.frames_wanted:
            raise ValueError(f"the next window takes {self.frames_wanted} class maps at once, got {len(frames)}")
        self._pending += frames
        return self._draft()

    @torch.inference_mode()
    @spanned("window")
    def make(self, draft: Draft) -> WindowOutputs:
        """Make a window that was drafted here, by itself."""
        return self._render(self.renderer, draft.steps, draft.inputs, draft.anchored())

    @torch.inference_mode()
    @spanned("wait and remember")
    def finish(self, draft: Draft, made: WindowOutputs) -> list[Tensor]:
        """Remember a window that was made, and return its pictures, as ``push``.

        Raises:
            RenderError: if the model made NaN; nothing of that window is shown or remembered.
        """
        for total, what in zip(made.sums[0].tolist(), ("latents", "pixels"), strict=True):
            if not math.isfinite(total):
                self._pending = []
                raise RenderError(f"window {self.window_index} has NaN or infinite {what}; reset the session")
        self._remember(draft.window, made, draft.headings)
        return list(made.pictures[0])

    def _checked(self, class_maps: Tensor, guides: Guides | None) -> list[tuple[Tensor, Guides | None]]:
        """Each frame, its class map on the device."""
        expected = (self.config.height, self.config.width)
        if class_maps.dtype != torch.uint8 or class_maps.ndim != 3 or tuple(class_maps.shape[1:]) != expected:
            raise ValueError(
                f"expected uint8 class maps [F, {expected[0]}, {expected[1]}], "
                f"got {class_maps.dtype} {tuple(class_maps.shape)}"
            )
        if guides is not None:
            guides.check(class_maps.shape)
        with span("class maps in"):
            maps = send(class_maps, self.device)
        return [(frame, None if guides is None else guides.frame(k)) for k, frame in enumerate(maps)]

    @spanned("draft")
    def _draft(self) -> Draft:
        window = self._window()
        guides = [g for _, g in self._pending]
        units = [guides[k : k + FRAMES] for k in range(0, len(guides), FRAMES)]
        noises = [self._guide_noise.begin(unit) for unit in units]
        guided = tuple(all(g is not None for g in unit) for unit in units)
        headings = unit_headings(guides, FRAMES)
        inputs = self._inputs(window, headings)
        return Draft(self.config.schedule.steps, inputs, noises, guided, window, headings)

    def _inputs(self, window: Window, headings: list[float]) -> WindowInputs:
        history = self._history if window.history else []
        if self._prefix is None:
            self._prefix = self.renderer.generator.prefix(self.look.text, self.look.reference, self._sink_tokens())
        positions = torch.tensor(window.positions[-len(history) - len(window.chunk) :], device=self.device)
        past, chunk = positions[: len(history)], positions[len(history) :]
        return WindowInputs(
            torch.stack([frame for frame, _ in self._pending])[None],
            torch.cat([self._noise(u, "chunk") for u in window.chunk], 1),
            chunk,
            self.look.tell(headings),
            self._history_tokens(history, past) if history else None,
            self._prefix,
            self.look.tables,
            self.look.structure_table,
            self._decoder,
        )

    def _remember(self, window: Window, made: WindowOutputs, headings: list[float]) -> None:
        schedule = self.config.schedule
        units = [
            Unit(number, made.latents[:, k : k + 1], made.structure[:, k : k + 1], headings[k])
            for k, number in enumerate(window.chunk)
        ]
        if len(self._sink) < schedule.sink:
            self._sink = (self._sink + units)[: schedule.sink]
            self._prefix = None
        self._history = (self._history + units)[-schedule.history :] if schedule.history else []
        self._pending, self._decoder = [], made.decoder
        self.window_index += 1
        self._units += len(units)

    def _history_tokens(self, history: list[Unit], positions: Tensor) -> Tokens:
        level = self.config.schedule.history_noise
        held = [(1 - level) * u.latent + level * self._noise(u.number, "history") for u in history]
        levels = torch.full((1, len(held)), level, device=self.device)
        structure = torch.cat([u.structure for u in history], 1)
        heading = self.look.tell([u.heading for u in history])
        return Tokens(torch.cat(held, 1), structure, levels, positions, heading)

    def _sink_tokens(self) -> Tokens | None:
        if not self._sink:
            return None
        count = len(self._sink)
        return Tokens(
            torch.cat([u.latent for u in self._sink], 1),
            torch.cat([u.structure for u in self._sink], 1),
            torch.zeros(1, count, device=self.device),
            torch.arange(1, count + 1, device=self.device),
            self.look.tell([u.heading for u in self._sink]),
        )

    def _noise(self, unit: int, purpose: str) -> Tensor:
        return self._unit_noise(Draw(self.config.seed, unit, purpose))

    @spanned("noise ahead")
    def draw_ahead(self, draft: Draft) -> None:
        """Noise of the window behind this one: the CPU's work while the device makes this one."""
        schedule, seed, window = self.config.schedule, self.config.seed, draft.window
        after = window.chunk[-1] + 1
        chunk = [Draw(seed, number, "chunk") for number in range(after, after + schedule.chunk)]
        history = [Draw(seed, number, "history") for number in window.chunk[-schedule.history :] if schedule.history]
        self._unit_noise.ahead(chunk + history)
