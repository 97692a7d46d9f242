"""Clips on disk: what a trainer eats.

A clip folder holds::

    plan.json         the ClipPlan that made it
    races/            one race log per race
    RACE-PART.clips   shards: containers of kind ``paintover-clips-1``
    index.json        written last: class table, sizes, and for every clip its shard, number and look

A shard's meta is ``{"classes": …, "fps": …, "clips": [meta of clip 0, …]}``. The arrays of its clip k, T frames::

    k/class     uint8 [T, H, W], zstd              class ids, row 0 at the top
    k/teacher   uint8 [T, H, W, 3], raw or zstd    RGB; raw ones can be memory-mapped and read frame by frame
    k/camera    float64 [T, 12], raw               position, forward, up (world axes), fov_y, near, far
    k/cars      float64 [T, C, 10], raw            x, y, z, yaw, pitch, roll, steer, wheel turn, brake light, speed
    k/depth     float16 [T, H, W], zstd            metres along the viewing axis
    k/motion    float32 [T, H, W, 2], zstd         pixels right and down to the same point in the race's frame before
    k/object    uint8 [T, H, W], zstd              0 static, else car number + 1

Car 0 is the player. Of the last three, those that the plan asks for.

A clip's meta: ``index`` in the plan, ``track``, ``split``, ``race``, ``race_seed``, ``start_tick``, ``camera``,
``look`` (all of it), ``look_seed``, ``place``, ``prompt``, ``timeline`` (entries with start and end in seconds of
the clip), ``light`` (``[x, y, z]`` in world axes: the unit direction to the sun times the share of its light that no
cloud deck takes away; other engines may leave it out).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from render_bridge.palette import RACING, ClassTable

from ..core.errors import UserError
from ..views.frame import FrameState
from ..views.look import Look
from .container import Container, ContainerWriter, Stored, prepare
from .fields import Fields, read_json
from .records import pack_camera, pack_car
from .session_format import check_class_table, class_table_json

KIND = "paintover-clips-1"
INDEX_FILE, PLAN_FILE, RACE_FOLDER = "index.json", "plan.json", "races"
_RARE = 2e-4
"""Smallest share of the pixels of a clip at which the prompt speaks of a class."""


@dataclass(frozen=True)
class Clip:
    """One clip, read back.

    Args:
        meta: see the module's text.
        class_maps: uint8 ``[T, H, W]``.
        teacher: uint8 ``[T, H, W, 3]`` RGB, or None; may be a read-only memory map.
        camera: float64 ``[T, 12]``.
        cars: float64 ``[T, C, 10]``.
        planes: guide planes by name.
    """

    meta: dict[str, Any]
    class_maps: NDArray[np.uint8]
    teacher: NDArray[np.uint8] | None
    camera: NDArray[np.float64]
    cars: NDArray[np.float64]
    planes: dict[str, NDArray]


def prompt_of(look: Look, class_maps: NDArray[np.uint8]) -> str:
    """The look's prompt for the classes that occur in a clip uint8 ``[T, H, W]``, by a sparse sample of its pixels."""
    sample = class_maps[::8, ::2, ::2]
    counts = np.bincount(sample.reshape(-1), minlength=len(RACING))
    return look.prompt([int(c) for c in np.flatnonzero(counts >= _RARE * sample.size)])


def light_of(look: Look) -> list[float]:
    """Where a look's light comes from, ``[x, y, z]`` in world axes.

    It points towards the sun and is 1 long under an open sky, 0 under a closed deck. A sun below the horizon still says
    where the sky is bright.
    """
    weather, share = look.weather, 1.0 - look.lighting.deck
    height = math.radians(weather.sun_elevation)
    flat = share * math.cos(height)
    around = weather.sun_azimuth
    # Rounded, so that no library's last bit gets into the files.
    light = flat * math.cos(around), flat * math.sin(around), share * math.sin(height)
    return [round(v, 6) for v in light]


def prepare_clip(clip: Clip, teacher_codec: str) -> dict[str, tuple[NDArray, str, Stored]]:
    """The arrays of a clip by name, each with its codec and compressed bytes; may run in any thread."""
    arrays: dict[str, tuple[NDArray, str]] = {"class": (clip.class_maps, "zstd")}
    if clip.teacher is not None:
        arrays["teacher"] = (clip.teacher, teacher_codec)
    arrays |= {"camera": (clip.camera, "raw"), "cars": (clip.cars, "raw")}
    arrays |= {name: (plane, "zstd") for name, plane in clip.planes.items()}
    return {name: (array, codec, prepare(array, codec)) for name, (array, codec) in arrays.items()}


def write_clip(writer: ContainerWriter, number: int, prepared: dict[str, tuple[NDArray, str, Stored]]) -> None:
    """Append a prepared clip to a shard as its clip ``number``."""
    for name, (array, codec, stored) in prepared.items():
        writer.add(f"{number}/{name}", array, codec, stored)


def pose_arrays(frames: list[FrameState]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Camera float64 ``[T, 12]`` and cars float64 ``[T, C, 10]`` of frame states."""
    camera = np.array([pack_camera(f.camera) for f in frames], np.float64)
    cars = np.array([[pack_car(car) for car in f.cars] for f in frames], np.float64)
    return camera, cars


class Shard:
    """One file of clips, open for reading. UserError if it is broken or its class ids mean something else."""

    def __init__(self, path: Path, table: ClassTable = RACING) -> None:
        self._box = Container(path, KIND)
        fields = Fields(self._box.meta, str(path))
        check_class_table(fields.inner("classes"), table)
        self.metas: list[dict[str, Any]] = fields.objects("clips")

    def __len__(self) -> int:
        return len(self.metas)

    def clip(self, number: int) -> Clip:
        """Read one clip; teacher frames stored raw are memory-mapped."""
        mine = [n.split("/", 1)[1] for n in self._box.names if n.startswith(f"{number}/")]
        planes = {n: self._box.read(f"{number}/{n}") for n in mine if n in ("depth", "motion", "object")}
        teacher = self._box.map(f"{number}/teacher") if "teacher" in mine else None
        maps, camera, cars = (self._box.read(f"{number}/{n}") for n in ("class", "camera", "cars"))
        return Clip(self.metas[number], maps, teacher, camera, cars, planes)


class ClipFolder:
    """A finished clip folder.

    Args:
        path: the folder.

    Raises:
        UserError: if it is not finished, broken, or its class ids mean something else.
    """

    def __init__(self, path: Path | str, table: ClassTable = RACING) -> None:
        self.path = Path(path)
        if not (self.path / INDEX_FILE).is_file():
            raise UserError(f"{path} is no finished clip folder: it holds no {INDEX_FILE}; run 'paintover clips' again")
        fields = Fields(read_json(self.path / INDEX_FILE, most=256 << 20), str(self.path / INDEX_FILE))
        fields.text("format", (KIND,))
        check_class_table(fields.inner("classes"), table)
        self.fps = fields.integer("fps", 1, 120)
        """Video frames a second, of every clip."""
        self.entries: list[dict[str, Any]] = fields.objects("clips")
        """One object a clip, in the order of the plan: ``shard``, ``number``, ``look_seed``, ``place``, ``track``."""

    def __len__(self) -> int:
        return len(self.entries)

    def clip(self, index: int) -> Clip:
        """Read one clip by its place in the plan."""
        entry = Fields(self.entries[index], f"{self.path / INDEX_FILE}: clip {index}")
        name = entry.text("shard", longest=200)
        if Path(name).name != name:
            raise UserError(f"{entry.where}: shard {name!r} is no plain file name")
        return Shard(self.path / name).clip(entry.integer("number", 0, 1 << 20))

    def other_places(self, index: int) -> list[int]:
        """The clips of the same look at other places."""
        look = self.entries[index].get("look_seed")
        return [k for k, entry in enumerate(self.entries) if k != index and entry.get("look_seed") == look]


def shard_meta(fps: int, metas: list[dict[str, Any]], job: dict[str, Any]) -> dict[str, Any]:
    """Meta of a shard."""
    return {"classes": class_table_json(RACING), "fps": fps, "job": job, "clips": metas}
