"""All clips of a folder on the training device, as bytes, and batches cut from them.

A batch is a pure function of the step, so a resumed run sees what an unbroken one would have seen.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from kernels.anchored_noise.plain import Crop, anchored_noise, noise_volume

from ..evaluate.streaming import Drive
from ..model.encoder import FRAMES
from ..model.look_table import measure_look
from ..model.transfer import send
from ..stream.guides import Guides, cameras_of
from .shards import ShardError, read_metas, read_shard, shard_paths

NoiseMaker: TypeAlias = Callable[..., Tensor]
"""``anchored_noise``, plain or compiled."""


class Batch(NamedTuple):
    """What a stage trains on: N clips of F frames.

    ``frames`` ``[N, F, 3, H, W]`` in [−1, 1], ``class_maps`` uint8 ``[N, F, H, W]``, ``look_table``
    ``[N, classes, LOOK_FEATURES]`` of their references, ``noise`` anchored noise at 1/4
    ``[N, F/4, 4, 16 · octaves, H/4, W/4]``, zero for clips that go without guides, or None if the bank has no depth.
    """

    frames: Tensor
    class_maps: Tensor
    look_table: Tensor
    noise: Tensor | None


@dataclass(frozen=True)
class BankConfig:
    """How batches are drawn.

    Args:
        classes: size of the class table.
        guides: share of clips that get anchored noise, if they hold depth; class maps alone must play too.
        other_place: share of references from another place of the same look.
        no_reference: share of clips without any reference, as when the prompt alone fixes the look.
    """

    classes: int = 13
    guides: float = 0.7
    other_place: float = 0.5
    no_reference: float = 0.08


class ClipBank:
    """Clips in device memory.

    Args:
        folder: clip folder.
        device: where the bytes live.
        config: how batches are drawn.
        limit: most clips to load, 0 for all.
    """

    def __init__(
        self, folder: Path, device: torch.device, config: BankConfig | None = None, limit: int = 0, workers: int = 8
    ) -> None:
        self.config, self.device, self.folder = config or BankConfig(), device, folder
        metas, arrays = _load(folder, device, limit, workers)
        _check(arrays, self.config.classes, folder)
        self.prompts = [str(m["prompt"]) for m in metas]
        self.looks = [int(m["look_seed"]) for m in metas]
        self.frames = arrays["teacher"]  # uint8 [C, T, H, W, 3]
        self.class_maps = arrays["class"]  # uint8 [C, T, H, W]
        self.depth = arrays.get("depth")  # float16 [C, T, H, W]
        self.motion = arrays.get("motion")  # float32 [C, T, H, W, 2]
        self.camera = arrays["camera"]  # float64 [C, T, 12]
        self.light = torch.tensor([_light(m, folder) for m in metas], dtype=torch.float64).to(device)
        """``[C, 3]`` in world axes: towards the light, as long as its direct share; NaN for clips that name none."""
        # A hundred small steps a pixel: fused on a GPU, where launching them one by one costs more than drawing.
        self._make_noise = torch.compile(anchored_noise, dynamic=False) if device.type == "cuda" else anchored_noise
        self._volume = torch.from_numpy(noise_volume()).to(device)
        self.tables = self._measure()
        self._partner_rows = self._partners()
        self.partners = self._partner_rows.to(device)

    def _measure(self) -> Tensor:
        """Look table of every clip's first frame ``[C, classes, LOOK_FEATURES]``."""
        rows = []
        for start in range(0, len(self), 64):
            picture = to_unit(self.frames[start : start + 64, 0])
            rows.append(measure_look(picture, self.class_maps[start : start + 64, 0], self.config.classes))
        return torch.cat(rows)

    def _partners(self) -> Tensor:
        """For every clip another one of the same look, or itself where there is none; ``[C]`` on the CPU."""
        by_look: dict[int, list[int]] = defaultdict(list)
        for k, look in enumerate(self.looks):
            by_look[look].append(k)
        partner = list(range(len(self)))
        for members in by_look.values():
            for here, there in zip(members, members[1:] + members[:1], strict=True):
                partner[here] = there
        return torch.tensor(partner)

    def __len__(self) -> int:
        return len(self.prompts)

    def describe(self) -> str:
        """One line for settings and weight headers."""
        _, t, h, w, _ = self.frames.shape
        guides = "with depth" if self.depth is not None else "class maps alone"
        return f"{len(self)} clips of {t} frames at {w} × {h}, {len(set(self.looks))} looks, {guides}"

    def sample(self, step: int, batch: int, frames: int, crop: int) -> Batch:
        """Random clips, moments and square crops of ``step``."""
        draw = torch.Generator().manual_seed(step)
        _, length, height, width, _ = self.frames.shape
        if frames > length:
            raise ShardError(f"{self.folder}: this stage takes {frames} frames at a time, its clips have {length}")
        crop_h, crop_w = min(crop, height), min(crop, width)
        pick = torch.randint(len(self), (batch,), generator=draw)
        start = torch.randint(length - frames + 1, (batch,), generator=draw)
        top = 32 * torch.randint((height - crop_h) // 32 + 1, (batch,), generator=draw)
        left = 32 * torch.randint((width - crop_w) // 32 + 1, (batch,), generator=draw)
        away = torch.rand(batch, generator=draw) < self.config.other_place
        known = torch.rand(batch, generator=draw) >= self.config.no_reference
        guided = torch.rand(batch, generator=draw) < self.config.guides
        cuts = [
            (int(c), slice(int(s), int(s) + frames), slice(int(y), int(y) + crop_h), slice(int(x), int(x) + crop_w))
            for c, s, y, x in zip(pick, start, top, left, strict=True)
        ]
        reference = send(torch.where(away, self._partner_rows[pick], pick), self.device)
        tables = self.tables[reference] * send(known, self.device)[:, None, None]
        drawn = self._cut(cuts, tables, self._make_noise)
        if drawn.noise is None:
            return drawn
        return drawn._replace(noise=drawn.noise * send(guided, self.device)[:, None, None, None, None, None])

    def units(self, clip: Tensor, unit: Tensor, tables: Tensor) -> Batch:
        """Whole pictures of units, guides of all of them.

        Args:
            clip, unit: ``[N]`` and ``[N, U]`` on the device; the unit behind a clip's last is its last frame, held.
            tables: look tables ``[N, classes, LOOK_FEATURES]``, passed through.
        """
        length = self.frames.shape[1]
        frame = (FRAMES * unit[..., None] + torch.arange(FRAMES, device=self.device)).flatten(1)
        frame, clip = frame.clamp(max=length - 1), clip[:, None]
        pictures, maps = to_unit(self.frames[clip, frame]), self.class_maps[clip, frame]
        if self.depth is None:
            return Batch(pictures, maps, tables, None)
        noise = self._anchor(self.depth[clip, frame], self.camera[clip, frame], None, self._make_noise)
        return Batch(pictures, maps, tables, noise)

    def held_out(self, frames: int, clips: int = 16) -> Iterator[Batch]:
        """Whole pictures of the first clips, one clip a batch, references from the other place, with guides."""
        full = slice(None)
        for k in range(min(clips, len(self))):
            cut = [(k, slice(0, frames), full, full)]
            # Not the compiled noise: another size would be compiled anew.
            yield self._cut(cut, self.tables[self.partners[k : k + 1]], anchored_noise)

    def drive(self, clip: int, away: bool, text: Tensor | None = None) -> Drive:
        """A whole clip to stream; its reference is its own first frame, or that of its partner if ``away``."""
        reference = int(self.partners[clip]) if away else clip
        still = self.frames[reference, 0].movedim(-1, 0)
        motion = None if self.motion is None else self.motion[clip]
        guides = None if self.depth is None else Guides(self.depth[clip], self.camera[clip])
        maps, teacher = self.class_maps[clip], self.frames[clip].movedim(-1, 1)
        camera = self.camera[reference, 0]
        return Drive(maps, teacher, still, self.class_maps[reference, 0], text, motion, guides, camera)

    def _cut(self, cuts: list[tuple[int, slice, slice, slice]], tables: Tensor, make: NoiseMaker) -> Batch:
        frames = torch.stack([self.frames[c, t, y, x] for c, t, y, x in cuts])
        maps = torch.stack([self.class_maps[c, t, y, x] for c, t, y, x in cuts])
        noise = None if self.depth is None else self._noise(cuts, make)
        return Batch(to_unit(frames), maps, tables, noise)

    def _noise(self, cuts: list[tuple[int, slice, slice, slice]], make: NoiseMaker) -> Tensor:
        """Anchored noise of the cuts, unshuffled to 1/4."""
        assert self.depth is not None
        full_h, full_w = self.depth.shape[2:]
        depth = torch.stack([self.depth[c, t, y, x] for c, t, y, x in cuts])  # [N, F, H, W]
        camera = torch.stack([self.camera[c, t] for c, t, _, _ in cuts])
        frames = depth.shape[1]
        top, left = (
            send(torch.tensor([s.start or 0 for s in side]).repeat_interleave(frames), self.device)
            for side in ([y for _, _, y, _ in cuts], [x for _, _, _, x in cuts])
        )
        return self._anchor(depth, camera, Crop(top, left, full_h, full_w), make)

    def _anchor(self, depth: Tensor, camera: Tensor, crop: Crop | None, make: NoiseMaker) -> Tensor:
        """Noise of ``depth`` ``[N, F, H, W]`` under cameras ``[N, F, 12]``, unit by unit."""
        noise = make(depth.flatten(0, 1).float(), cameras_of(camera.flatten(0, 1)), self._volume, crop)
        return noise.unflatten(0, (-1, depth.shape[1] // FRAMES, FRAMES))


def to_unit(frames: Tensor) -> Tensor:
    """uint8 ``[..., H, W, 3]`` → ``[..., 3, H, W]`` in [−1, 1], float32."""
    return frames.movedim(-1, -3).contiguous().float() / 127.5 - 1.0


def _check(arrays: dict[str, Tensor], classes: int, folder: Path) -> None:
    """Refuse a folder without what every stage reads, or with classes that no table has. ShardError names it."""
    if missing := sorted({"class", "teacher", "camera"} - arrays.keys()):
        raise ShardError(f"{folder}: its clips have no {', '.join(missing)}: cut them with 'paintover clips'")
    if (highest := int(arrays["class"].max())) >= classes:
        raise ShardError(f"{folder}: expected classes 0 to {classes - 1}, found {highest}: is it another class table?")


def _light(meta: dict[str, Any], folder: Path) -> list[float]:
    """The light that a clip's meta names, NaN if it names none. ShardError for one that makes no sense."""
    if "light" not in meta:
        return [math.nan] * 3
    light = meta["light"]
    numbers = isinstance(light, list) and len(light) == 3 and all(type(v) in (int, float) for v in light)
    if not numbers or not all(abs(v) <= 1 for v in light):
        raise ShardError(f"{folder}: clip {meta['index']}: a light is three numbers from -1 to 1, found {light!r:.60}")
    return [float(v) for v in light]


def _load(
    folder: Path, device: torch.device, limit: int, workers: int
) -> tuple[list[dict[str, Any]], dict[str, Tensor]]:
    """Metas and arrays ``[C, …]`` by name, in the order of the clips' indices; shards stream through host memory."""
    paths = shard_paths(folder)
    places = [(meta, which, k) for which, path in enumerate(paths) for k, meta in enumerate(read_metas(path))]
    places = sorted(places, key=lambda place: int(place[0]["index"]))[: limit or None]
    row_of = {(which, k): row for row, (_, which, k) in enumerate(places)}
    whole: dict[str, Tensor] = {}
    wanted = ("class", "teacher", "camera", "depth", "motion")
    with ThreadPoolExecutor(workers) as pool, tqdm(total=len(paths), unit="shard", desc="clips") as bar:
        read = pool.map(lambda path: list(read_shard(path, wanted)), paths)
        for which, part in enumerate(read):
            for k, clip in enumerate(part):
                if (which, k) in row_of:
                    _put(whole, clip.arrays, row_of[which, k], len(places), device, paths[which])
            bar.update()
    return [meta for meta, _, _ in places], whole


def _put(
    whole: dict[str, Tensor], arrays: dict[str, np.ndarray], row: int, rows: int, device: torch.device, path: Path
) -> None:
    """Copy a clip's arrays into their row; the first clip sets names, types and shapes."""
    values = {n: torch.from_numpy(np.require(a, requirements="W")) for n, a in arrays.items()}
    if not whole:
        whole |= {n: torch.empty(rows, *v.shape, dtype=v.dtype, device=device) for n, v in values.items()}
    shapes = {n: tuple(v.shape[1:]) for n, v in whole.items()}
    if shapes != (found := {n: tuple(v.shape) for n, v in values.items()}):
        raise ShardError(f"{path}: clips of one folder must be alike; expected {shapes}, found {found}")
    for name, value in values.items():
        whole[name][row].copy_(value)
