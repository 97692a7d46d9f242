"""Drawing clips: the views of one track after another, kept busy; a clip is written while the next one is drawn."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.ticks import TICK_RATE
from ..tracks.catalogue import load_track
from ..views.class_view import ClassView, open_class_view
from ..views.culling import draw_list
from ..views.frame import FrameState
from ..views.look import Look, sample_look
from ..views.scene import build_scene
from ..views.scene_data import DrawList
from .clip_plan import ClipJob, ClipPlan, ShardJob
from .clips import KIND, Clip, light_of, pose_arrays, prepare_clip, prompt_of, shard_meta, write_clip
from .container import Container, ContainerWriter
from .race_log import RaceLog, race_json

if TYPE_CHECKING:
    from ..views.teacher_view import TeacherView

IN_FLIGHT = 3
"""Frames begun before the first is fetched: enough to keep a graphics card from waiting for the copy."""
_WRITES_AHEAD = 2  # Clips that may wait for the disk: more would only take memory.


class Stopped(Exception):
    """Somebody asked the work to end; nothing is broken."""


class PipelinedView(Protocol):
    """A view that can draw ahead of what is fetched."""

    def begin(self, frame: FrameState, draws: DrawList) -> None:
        """Start a picture of what culling has left."""

    def end(self, out: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The oldest picture begun and not yet fetched, written into ``out``."""


def draw_into(
    view: PipelinedView,
    frames: list[FrameState],
    draws: list[DrawList],
    out: NDArray[np.uint8],
    stopped: Callable[[], bool],
) -> None:
    """Draw every frame into ``out[k]``, with IN_FLIGHT under way at once. Raises Stopped if asked to."""
    fetched = 0
    for index, (frame, visible) in enumerate(zip(frames, draws, strict=True)):
        view.begin(frame, visible)
        if index - fetched + 1 >= IN_FLIGHT:
            view.end(out[fetched])
            fetched += 1
        if index % 8 == 7 and stopped():
            while fetched <= index:
                view.end(out[fetched])
                fetched += 1
            raise Stopped
    while fetched < len(frames):
        view.end(out[fetched])
        fetched += 1


class LookAhead:
    """Samples looks and works out their skies in a thread of its own, ahead of the clips that need them.

    Args:
        seeds: of the looks, in the order in which ``take`` will be called.
        lit: whether skies are needed, too.
    """

    def __init__(self, seeds: Iterable[int], lit: bool) -> None:
        self._seeds = iter(seeds)
        self._make = _lit_look if lit else sample_look
        self._thread = ThreadPoolExecutor(1, "looks")
        self._coming: deque[Future[Look]] = deque()

    def take(self) -> Look:
        """The next look."""
        while len(self._coming) < 3 and (seed := next(self._seeds, None)) is not None:
            self._coming.append(self._thread.submit(self._make, seed))
        return self._coming.popleft().result()

    def __enter__(self) -> LookAhead:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(cancel_futures=True)


def _lit_look(seed: int) -> Look:
    from ..views.teacher_light import light_of

    look = sample_look(seed)
    light_of(look)  # It keeps the sky, which is nearly all of the work of TeacherView.set_look.
    return look


class Studio:
    """Draws the clips of a plan; keeps the views of the last track open.

    Args:
        plan: sizes, rate and what to draw.
        backend: of the class view.
        stopped: asked now and then; True ends the work with Stopped.
    """

    def __init__(self, plan: ClipPlan, backend: str, stopped: Callable[[], bool]) -> None:
        self._plan = plan
        self._backend = backend
        self._stopped = stopped
        self._track = ""
        self._classes: ClassView | None = None
        self._teacher: TeacherView | None = None

    def close(self) -> None:
        """Close the views."""
        for view in (self._classes, self._teacher):
            if view is not None:
                view.close()
        self._classes = self._teacher = None
        self._track = ""

    def draw(self, track: str, log: RaceLog, job: ClipJob, look: Look) -> Clip:
        """Draw one clip in its look; its meta is still empty."""
        plan = self._plan
        classes, teacher = self._views(track, look)
        frames = log.frames(job.start, job.frames, job.camera)
        scene = build_scene(load_track(track))
        draws = [draw_list(scene, frame) for frame in frames]  # Once for both views.
        maps = np.empty((job.frames, plan.height, plan.width), np.uint8)
        draw_into(classes, frames, draws, maps, self._stopped)
        pictures = None
        if teacher is not None:
            pictures = np.empty((*maps.shape, 3), np.uint8)
            draw_into(teacher, frames, draws, pictures, self._stopped)
        before = log.frames(job.start - 1, 1, job.camera) if job.start else [frames[0]]
        planes = self._planes(classes, before + frames) if plan.planes else {}
        return Clip({}, maps, pictures, *pose_arrays(frames), planes)

    def _views(self, track: str, look: Look) -> tuple[ClassView, TeacherView | None]:
        plan = self._plan
        if track != self._track:
            self.close()
            scene = build_scene(load_track(track))
            self._classes = open_class_view(scene, plan.width, plan.height, self._backend)
            if plan.teacher != "none":
                from ..views.teacher_view import open_teacher_view  # Needs OpenGL, which class maps do without.

                self._teacher = open_teacher_view(scene, plan.width, plan.height, look)
            self._track = track
        elif self._teacher is not None:
            self._teacher.set_look(look)
        assert self._classes is not None
        return self._classes, self._teacher

    def _planes(self, view: ClassView, frames: list[FrameState]) -> dict[str, NDArray]:
        drawn: dict[str, list[NDArray]] = {name: [] for name in self._plan.planes}
        for before, frame in pairwise(frames):
            for name, plane in view.planes(frame, before, self._plan.planes).items():
                drawn[name].append(plane)
            if self._stopped():
                raise Stopped
        return {name: np.stack(planes) for name, planes in drawn.items()}


def shard_json(shard: ShardJob, plan: ClipPlan) -> dict[str, Any]:
    """All that decides a shard's content, as JSON values."""
    kept = {name: v for name, v in plan.to_json().items() if name in ("width", "height", "teacher", "planes")}
    return {"race": race_json(shard.race), "clips": [dataclasses.asdict(job) for job in shard.clips], **kept}


def has_shard(path: Path, shard: ShardJob, plan: ClipPlan) -> bool:
    """True if this very shard is there, whole."""
    try:
        return Container(path, KIND).meta.get("job") == shard_json(shard, plan)
    except ValueError:
        return False


def render_shard(
    studio: Studio,
    shard: ShardJob,
    log: RaceLog,
    looks: LookAhead,
    path: Path,
    plan: ClipPlan,
    tell: Callable[[int], None],
) -> None:
    """Draw the clips of a shard and write it; clips are compressed and written while the next ones are drawn.

    Args:
        studio: that draws.
        shard: what to draw.
        log: its race.
        looks: gives the looks of its clips, in their order.
        path: file to write.
        plan: of the clips.
        tell: called with the number of frames of each clip drawn.
    """
    metas: list[dict[str, Any]] = []
    with (
        ContainerWriter(path, KIND) as writer,
        ThreadPoolExecutor(2, "compress") as compress,
        ThreadPoolExecutor(1, "write") as write,
    ):
        waiting: deque[Future[dict[str, Any]]] = deque()
        for number, job in enumerate(shard.clips):
            look = looks.take()
            clip = studio.draw(shard.race.setup.track, log, job, look)
            prepared = compress.submit(prepare_clip, clip, plan.teacher)
            prompt = compress.submit(prompt_of, look, clip.class_maps)
            waiting.append(
                write.submit(_finish_clip, writer, number, prepared, prompt, _meta(shard, log, job, plan, look))
            )
            tell(job.frames)
            metas += [done.result() for done in _pop(waiting, _WRITES_AHEAD)]
        metas += [done.result() for done in _pop(waiting, 0)]
        writer.commit(shard_meta(plan.fps, metas, shard_json(shard, plan)))


def _pop(waiting: deque[Future[dict[str, Any]]], leave: int) -> Iterable[Future[dict[str, Any]]]:
    while len(waiting) > leave:
        yield waiting.popleft()


def _finish_clip(
    writer: ContainerWriter, number: int, prepared: Future[Any], prompt: Future[str], meta: dict[str, Any]
) -> dict[str, Any]:
    write_clip(writer, number, prepared.result())
    return {**meta, "prompt": prompt.result()}


def _meta(shard: ShardJob, log: RaceLog, job: ClipJob, plan: ClipPlan, look: Look) -> dict[str, Any]:
    setup = shard.race.setup
    return {
        "index": job.index,
        "track": setup.track,
        "split": plan.split,
        "race": shard.race.name,
        "race_seed": setup.seed,
        "start_tick": job.start * TICK_RATE // plan.fps,
        "camera": job.camera,
        "look_seed": job.look,
        "look": look.to_dict(),
        "light": light_of(look),
        "place": job.place,
        "timeline": log.timeline(job.start, job.frames).to_json(),
    }
