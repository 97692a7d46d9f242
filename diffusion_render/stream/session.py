"""One player's stream: push class maps, get pictures. All state is O(window) and belongs to the session.

The picture depends on the class maps, the look and the seed alone: not on how pushes are grouped, how long the
stream has run, or what another session does. Units are decoded one by one, always in the same shape.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from ..model.attention import KeyValue
from ..model.encoder import FRAMES
from ..model.renderer import Renderer
from ..model.transfer import send
from .arrivals import Piece, frames_in, guides_of, maps_of
from .guides import GuideNoise, Guides
from .heading import unit_headings
from .look import make_look
from .memory import Memory
from .noise import UnitNoise
from .profile import span, spanned
from .schedule import Schedule, Window
from .standing import Standing, history_tokens, make_standing, places_of, sink_tokens
from .window import Draft, RenderWindow, WindowInputs, WindowOutputs, render_window


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
        self._guide_noise = GuideNoise(renderer.autoencoder, self.device)
        shape = 1, 1, renderer.config.autoencoder.latent, config.height // 32, config.width // 32
        self._unit_noise = UnitNoise(shape, self.device, self.dtype)
        self.look = make_look(self.renderer, reference, reference_map, text, reference_camera)
        self._standing: Standing | None = None
        self.reset()

    def reset(self) -> None:
        """Start the stream anew under the look now in force; equal to a fresh session."""
        self._memory = Memory()
        self._pending: list[Piece] = []
        self._prefix: list[KeyValue] | None = None

    @property
    def window_index(self) -> int:
        """Windows that were made and remembered: the number of the next one."""
        return self._memory.windows

    @property
    def frames_wanted(self) -> int:
        """Class maps still missing for the next window."""
        return FRAMES * len(self._memory.window(self.config.schedule).chunk) - frames_in(self._pending)

    def change_schedule(self, schedule: Schedule) -> None:
        """Put another plan in force from the next window on; look, seed, decoder and the count of units stay.

        What is remembered is cut to the new plan; a longer history or sink fills up with the windows to come.

        Raises:
            ValueError: between two windows only: class maps wait for the present one.
        """
        if self._pending:
            raise ValueError(f"a schedule changes between windows; {frames_in(self._pending)} class maps wait for this")
        self.config = replace(self.config, schedule=schedule)
        self._go_on_from(self._memory.cut(schedule))

    @torch.inference_mode()
    def change_look(
        self, reference: Tensor | None, reference_map: Tensor, text: Tensor, reference_camera: Tensor | None = None
    ) -> None:
        """Put another look in force from the next window on; arguments as above.

        History stays, so that motion goes on; its headings are told from the new reference's camera. The sink was made
        under the old look and is dropped; the first units made under the new one become the new sink.
        """
        self.look = make_look(self.renderer, reference, reference_map, text, reference_camera)
        self._memory, self._prefix = replace(self._memory, sink=[]), None

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
        frames, first = self._checked(class_maps, guides), 0
        while first < len(class_maps):
            end = first + max(1, self.frames_wanted)  # none are wanted only after a window that could not be made
            self._pending.append(frames.part(first, end))
            first = end
            if self.frames_wanted == 0:
                draft = self._draft()
                made = self.make(draft)
                self.draw_ahead(draft, made)
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
        if len(frames.maps) != self.frames_wanted:
            raise ValueError(f"the next window takes {self.frames_wanted} class maps at once, got {len(frames.maps)}")
        self._pending.append(frames)
        return self._draft()

    @torch.inference_mode()
    @spanned("window")
    def make(self, draft: Draft) -> WindowOutputs:
        """Make a window that was drafted here, by itself."""
        return self._render(self.renderer, draft.steps, draft.inputs, draft.anchored())

    @torch.inference_mode()
    @spanned("draft ahead")
    def draw_ahead(self, draft: Draft, made: WindowOutputs) -> None:
        """Get the window behind this one ready as far as it is known: the CPU's work while the device makes this one.

        To be called between ``make`` and ``finish``, or not at all: no picture depends on it. What is prepared is
        thrown away if the stream goes on in another way.

        Args:
            draft, made: as ``finish`` takes them; that they are finite need not be known yet.
        """
        seed, schedule = self.config.seed, self.config.schedule
        self._memory = self._memory.looking_ahead(seed, schedule, draft, made, self._unit_noise)

    @torch.inference_mode()
    def finish(self, draft: Draft, made: WindowOutputs) -> list[Tensor]:
        """Remember a window that was made, and return its pictures, as ``push``.

        Raises:
            RenderError: if the model made NaN; nothing of that window is shown or remembered.
        """
        self.remember(draft, made)
        return list(made.pictures[0].contiguous())

    @torch.inference_mode()
    @spanned("wait and remember")
    def remember(self, draft: Draft, made: WindowOutputs) -> None:
        """``finish`` for those who have fetched the pictures already; ``made.sums`` may lie on the CPU.

        Raises:
            RenderError: as ``finish``.
        """
        for total, what in zip(made.sums[0].tolist(), ("latents", "pixels"), strict=True):
            if not math.isfinite(total):
                self._pending = []
                self._memory = replace(self._memory, ahead=None)
                raise RenderError(f"window {self.window_index} has NaN or infinite {what}; reset the session")
        self._pending = []
        self._go_on_from(self._memory.after(self.config.schedule, draft, made))

    def _go_on_from(self, memory: Memory) -> None:
        """Another memory; the prefix holds the sink, and is made anew with another one."""
        if memory.sink is not self._memory.sink:
            self._prefix = None
        self._memory = memory

    def _checked(self, class_maps: Tensor, guides: Guides | None) -> Piece:
        """Frames with their class maps on the device."""
        expected = (self.config.height, self.config.width)
        if class_maps.dtype != torch.uint8 or class_maps.ndim != 3 or tuple(class_maps.shape[1:]) != expected:
            raise ValueError(
                f"expected uint8 class maps [F, {expected[0]}, {expected[1]}], "
                f"got {class_maps.dtype} {tuple(class_maps.shape)}"
            )
        if guides is not None:
            guides.check(class_maps.shape)
        with span("class maps in"):
            return Piece(send(class_maps, self.device), guides)

    @spanned("draft")
    def _draft(self) -> Draft:
        window = self._memory.window(self.config.schedule)
        guides = guides_of(self._pending)
        noises = [self._guide_noise.begin(unit) for unit in guides]
        guided = tuple(unit is not None for unit in guides)
        headings = unit_headings(guides)
        inputs = self._inputs(window, headings)
        return Draft(self.config.schedule.steps, inputs, noises, guided, window, headings)

    def _inputs(self, window: Window, headings: list[float]) -> WindowInputs:
        if self._prefix is None:
            sink = sink_tokens(self._memory.sink, self.look, self.device)
            self._prefix = self.renderer.generator.prefix(self.look.text, self.look.reference, sink)
        past = self._memory.past(self.config.seed, self.config.schedule, self._unit_noise)
        standing = self._standing_for(window)
        told = standing.told([*(u.heading for u in past.history), *headings])
        return WindowInputs(
            maps_of(self._pending),
            past.noise,
            standing.chunk,
            told[1],
            history_tokens(past, standing, told[0]),
            self._prefix,
            self.look.tables,
            self.look.structure_table,
            self._memory.decoder,
        )

    def _standing_for(self, window: Window) -> Standing:
        """What stays, made anew only after a change of plan or look."""
        level, behind, standing = self.config.schedule.history_noise, len(self._memory.history), self._standing
        places = places_of(window, behind)
        if standing is None or not standing.fits(self.look, level, places, behind):
            standing = self._standing = make_standing(self.look, level, places, behind, self.device)
        return standing
