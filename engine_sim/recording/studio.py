"""Drawing clips: the views of one track after another, kept busy; a clip is packed while the next one is drawn."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
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
from ..views.posed import posed_frame
from ..views.scene import build_scene
from ..views.scene_data import DrawList
from .clip_plan import ClipJob, ClipPlan, ShardJob
from .clips import KIND, Clip, light_of, pose_arrays
from .container import Container
from .ledger import Ledger
from .packing import Packing
from .race_log import RaceLog, race_json

if TYPE_CHECKING:
    from ..views.teacher_view import TeacherView

IN_FLIGHT = 3
"""Frames begun before the first is fetched: enough to keep a graphics card from waiting for the copy."""


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
    draws: Iterable[DrawList],
    out: NDArray[np.uint8],
    stopped: Callable[[], bool],
    ledger: Ledger,
) -> None:
    """Draw every frame into ``out[k]``, with IN_FLIGHT under way at once. Raises Stopped if asked to."""
    fetched, coming = 0, iter(draws)

    def fetch(until: int) -> None:
        nonlocal fetched
        with ledger.on("reading"):
            while fetched < until:
                view.end(out[fetched])
                fetched += 1

    for index, frame in enumerate(frames):
        with ledger.on("drawing"):
            view.begin(frame, next(coming))
        fetch(index + 2 - IN_FLIGHT)
        if index % 8 == 7 and stopped():
            fetch(index + 1)
            raise Stopped
    fetch(len(frames))


class PlaneStack:
    """A pipelined view that draws guide planes beside the class maps.

    Args:
        view: that draws both.
        frames: that will be drawn, in order, after the one that motion leads back to.
        names: of the planes.
    """

    def __init__(self, view: ClassView, frames: list[FrameState], names: tuple[str, ...]) -> None:
        self._view, self._frames, self._names = view, frames, names
        self._begun = self._fetched = 0
        self.planes: dict[str, NDArray] = {}
        """By name, ``[T, …]``."""

    def begin(self, frame: FrameState, draws: DrawList) -> None:
        """See ``PipelinedView``."""
        self._view.begin(frame, draws)
        self._view.begin_planes(frame, self._frames[self._begun], self._names, draws)
        self._begun += 1

    def end(self, out: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """See ``PipelinedView``; the planes are kept."""
        self._view.end(out)
        for name, plane in self._view.end_planes().items():
            if name not in self.planes:
                self.planes[name] = np.empty((len(self._frames) - 1, *plane.shape), plane.dtype)
            self.planes[name][self._fetched] = plane
        self._fetched += 1
        return out


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
        self.ledger = Ledger()
        """Where its time went."""

    def close(self) -> None:
        """Close the views."""
        for view in (self._classes, self._teacher):
            if view is not None:
                view.close()
        self._classes = self._teacher = None
        self._track = ""

    def warm_up(self, track: str, look: Look) -> None:
        """Open a track before anything of it can be drawn; what compiles with a first picture, compiles now.

        Raises Stopped if asked to.
        """
        classes, teacher = self._views(track, look)
        with self.ledger.on("set-up"):
            frame = posed_frame(load_track(track), 0.0)
            classes.draw(frame)
            if self._plan.planes:
                classes.planes(frame, None, self._plan.planes)
            if self._stopped():
                raise Stopped
            if teacher is not None:
                teacher.draw(frame)

    def draw(self, track: str, log: RaceLog, job: ClipJob, look: Look) -> Clip:
        """Draw one clip in its look; its meta is still empty."""
        plan = self._plan
        classes, teacher = self._views(track, look)
        frames = log.frames(job.start, job.frames, job.camera)
        draws: list[DrawList] = []  # Once for both views.
        scene = build_scene(load_track(track))

        def culled() -> Iterator[DrawList]:
            for frame in frames:
                draws.append(draw_list(scene, frame))
                yield draws[-1]

        before = log.frames(job.start - 1, 1, job.camera) if job.start else frames[:1]
        stack = PlaneStack(classes, before + frames, plan.planes)
        maps = np.empty((job.frames, plan.height, plan.width), np.uint8)
        draw_into(stack if plan.planes else classes, frames, culled(), maps, self._stopped, self.ledger)
        pictures = None
        if teacher is not None:
            pictures = np.empty((*maps.shape, 3), np.uint8)
            draw_into(teacher, frames, draws, pictures, self._stopped, self.ledger)
        return Clip({}, maps, pictures, *pose_arrays(frames), stack.planes)

    def _views(self, track: str, look: Look) -> tuple[ClassView, TeacherView | None]:
        if track != self._track:
            with self.ledger.on("set-up"):
                self._open(track, look)
        elif self._teacher is not None:
            with self.ledger.on("looks"):
                self._teacher.set_look(look)
        assert self._classes is not None
        return self._classes, self._teacher

    def _open(self, track: str, look: Look) -> None:
        plan = self._plan
        self.close()
        scene = build_scene(load_track(track))
        self._classes = open_class_view(scene, plan.width, plan.height, self._backend)
        if plan.teacher != "none":
            from ..views.teacher_view import open_teacher_view  # Needs OpenGL, which class maps do without.

            self._teacher = open_teacher_view(scene, plan.width, plan.height, look)
        self._track = track


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
    packing: Packing,
    path: Path,
    plan: ClipPlan,
    tell: Callable[[int], None],
) -> None:
    """Draw the clips of a shard; it is whole when ``packing`` has written it.

    Args:
        studio: that draws.
        shard: what to draw.
        log: its race.
        looks: gives the looks of its clips, in their order.
        packing: writes clips while the next ones are drawn.
        path: file to write.
        plan: of the clips.
        tell: called with the number of frames of each clip drawn.
    """
    writer = packing.shard(path)
    for job in shard.clips:
        with studio.ledger.on("looks"):
            look = looks.take()
        clip = studio.draw(shard.race.setup.track, log, job, look)
        with studio.ledger.on("packing"):
            packing.clip(writer, dataclasses.replace(clip, meta=_meta(shard, log, job, plan, look)), look)
        tell(job.frames)
    packing.close(writer, plan.fps, shard_json(shard, plan))


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
