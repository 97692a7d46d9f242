"""Ways from a drive to pictures, walked side by side and scored a second at a time against the same teacher view."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

import torch
from torch import Tensor

from ..model.decoder import DecoderState
from ..model.encoder import FRAMES, EncoderState
from ..model.look_table import measure_look
from ..model.renderer import Renderer
from ..stream.guides import GuideNoise
from ..stream.session import RenderError, SessionConfig, StreamSession
from ..stream.window import to_bytes
from .footage import Footage, Reference, Shots
from .pictures import from_bytes
from .scorer import Judges, Second, StreamRecord, StreamScorer

Watch = Callable[[Second, Mapping[str, Tensor]], None]
"""Called after each second with what all streams made of it, uint8 ``[F, 3, H, W]`` by name."""


class Lane(Protocol):
    """One way from a drive to pictures."""

    def push(self, shots: Shots) -> list[Tensor]:
        """The next frames of the drive in, pictures uint8 ``[3, H, W]`` that became ready out, in order."""


class SessionLane:
    """The stream as it is in play."""

    def __init__(self, renderer: Renderer, config: SessionConfig, reference: Reference) -> None:
        text = reference.text
        if text is None:
            sizes = renderer.config.generator
            text = torch.zeros(sizes.text_tokens, sizes.text)
        picture = None if reference.picture is None else from_bytes(reference.picture)
        self.session = StreamSession(renderer, config, picture, reference.class_map, text, reference.camera)

    def push(self, shots: Shots) -> list[Tensor]:
        """See ``Lane``. RenderError if the model made NaN."""
        return self.session.push(shots.class_maps, shots.guides)


class DecoderLane:
    """The decoder alone: latents of the teacher's own frames, so the generator has no part in it.

    Raises:
        ValueError: for a reference without a picture.
    """

    def __init__(self, renderer: Renderer, reference: Reference) -> None:
        if reference.picture is None:
            raise ValueError("the decoder alone needs a reference picture: there is no prompt that it reads")
        self._autoencoder = renderer.autoencoder
        weight = next(renderer.parameters())
        self._device, self._dtype = weight.device, weight.dtype
        picture = from_bytes(reference.picture).to(self._device)[None]
        table = measure_look(picture, reference.class_map.to(self._device)[None], self._autoencoder.config.classes)
        with torch.inference_mode():
            self._look = self._autoencoder.look(table.to(self._dtype))
        self._noise = GuideNoise(self._autoencoder, self._device)
        self._waiting: Shots | None = None
        self._encoder: EncoderState | None = None
        self._decoder: DecoderState | None = None

    @torch.inference_mode()
    def push(self, shots: Shots) -> list[Tensor]:
        """See ``Lane``."""
        shots = shots if self._waiting is None else self._waiting.join(shots)
        whole = len(shots.class_maps) // FRAMES * FRAMES
        self._waiting = shots.part(whole, len(shots.class_maps))
        pictures: list[Tensor] = []
        for start in range(0, whole, FRAMES):
            pictures += self._decode(shots.part(start, start + FRAMES))
        return pictures

    def _decode(self, unit: Shots) -> list[Tensor]:
        """The four pictures of one unit."""
        model = self._autoencoder
        frames = from_bytes(unit.teacher).to(self._device, self._dtype)[None]
        codes = model.codes(unit.class_maps.to(self._device)[None])
        latents, self._encoder = model.encoder(frames, model.encoder_table(codes, self._look.encoder), self._encoder)
        noise = self._noise(unit.guides, self._dtype)
        made, self._decoder = model.decode(latents, codes, self._look, self._decoder, noise)
        return list(to_bytes(made[0]))


def run_lanes(
    lanes: Mapping[str, Lane], footage: Footage, judges: Judges, device: torch.device, watch: Watch | None = None
) -> dict[str, StreamRecord]:
    """Stream a drive through all lanes side by side, a second at a time, so that its teacher is drawn once.

    Args:
        lanes: by name, fresh.
        footage: the drive. What is left after its last whole second counts as one if it is at least half a second.
        judges: who scores.
        device: where to score.
        watch: sees each second.

    Returns:
        The record of each lane; of one whose model made NaN up to there, with its error; lanes that made nothing
        at all are left out.
    """
    run = _Run(lanes, judges, watch, footage.fps)
    for start in range(0, len(footage), footage.fps):
        run.push(footage.read(start, min(len(footage), start + footage.fps)).to(device))
    run.finish()
    return run.records()


class _Run:
    """Lanes under way, and the frames that not all of them have answered yet."""

    def __init__(self, lanes: Mapping[str, Lane], judges: Judges, watch: Watch | None, fps: int) -> None:
        self.lanes, self.judges, self.watch, self.fps = dict(lanes), judges, watch, fps
        self.scorers = {name: StreamScorer() for name in lanes}
        self.made: dict[str, deque[Tensor]] = {name: deque() for name in lanes}
        self.waiting: Shots | None = None
        self.before: Shots | None = None
        self.seconds = self.frames = 0

    def push(self, shots: Shots) -> None:
        self.waiting = shots if self.waiting is None else self.waiting.join(shots)
        for name in list(self.lanes):
            try:
                self.made[name].extend(self.lanes[name].push(shots))
            except RenderError as error:
                self.scorers[name].error = str(error)
                del self.lanes[name]
        while self._ready() >= self.fps:
            self._score(self.fps)

    def finish(self) -> None:
        """Score what is left, if it is half a second or all that there is."""
        left = self._ready()
        if left >= 2 and (2 * left >= self.fps or not self.seconds):
            self._score(left)

    def records(self) -> dict[str, StreamRecord]:
        return {name: scorer.record() for name, scorer in self.scorers.items() if scorer.seconds}

    def _ready(self) -> int:
        """Frames that every lane still going has made and that are not scored."""
        return min((len(self.made[name]) for name in self.lanes), default=0)

    def _score(self, count: int) -> None:
        assert self.waiting is not None
        shots = self.waiting.part(0, count)
        second = Second(self.seconds, self.frames, shots, self.before, self.judges)
        pictures = {n: torch.stack([self.made[n].popleft() for _ in range(count)]) for n in self.lanes}
        for name, made in pictures.items():
            self.scorers[name].add(second, made)
        if self.watch is not None:
            self.watch(second, pictures)
        self.before = shots.part(count - 1, count)
        self.waiting = self.waiting.part(count, len(self.waiting.class_maps))
        self.seconds, self.frames = self.seconds + 1, self.frames + count
