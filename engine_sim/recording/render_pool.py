"""Many workers cut clips at once; an interrupted run goes on where it stopped.

Two kinds of spawned processes: some simulate races (processor only), some draw (each with its own views, one track
after another). Shards are pure functions of the plan and get their names when they are whole, so a run may be
stopped at any moment, goes on with the same command, and gives the same bytes whatever the number of workers.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from render_bridge.palette import RACING

from ..core.errors import UserError
from .clip_plan import ClipPlan, RaceJob, ShardJob, plan_shards
from .clips import INDEX_FILE, KIND, PLAN_FILE, RACE_FOLDER, Shard
from .drive import Interrupt, polite_interrupt
from .fields import read_json, write_json
from .race_log import has_race, open_race, simulate_race
from .session_format import class_table_json
from .studio import Stopped, Studio, has_shard, render_shard


@dataclass(frozen=True)
class Workers:
    """How many processes do what. Zero renderers: everything in this process.

    Args:
        renderers: that draw. A graphics card is shared, so a few are enough; on the CPU each takes about a core.
        racers: that simulate races.
    """

    renderers: int
    racers: int

    @staticmethod
    def for_this_machine() -> Workers:
        """A renderer on every second core, at most eight, and racers on the cores that are left."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        renderers = max(1, min(8, cores // 2))
        return Workers(renderers, max(1, cores - renderers))


@dataclass(frozen=True)
class RenderReport:
    """What a run did.

    Args:
        path: the clip folder.
        clips, frames: drawn in this run.
        seconds: that it took.
        finished: False if it was stopped; the same call goes on.
    """

    path: Path
    clips: int
    frames: int
    seconds: float
    finished: bool


def render_clips(
    plan: ClipPlan, out: Path | str, workers: Workers | None = None, backend: str = "auto", progress: bool = True
) -> RenderReport:
    """Cut all clips of a plan into a folder, or those that are still missing there.

    Args:
        plan: what to cut.
        out: clip folder; new, or begun with the same plan.
        workers: processes; chosen by the machine by default.
        backend: of the class view: ``auto``, ``gl`` or ``cpu``.
        progress: show a progress bar.

    Raises:
        UserError: bad plan, a folder that holds something else, too little disk, no OpenGL for the teacher view, or
            a worker that died.
    """
    out = Path(out)
    shards = plan_shards(plan)
    _prepare_folder(out, plan)
    missing = [shard for shard in shards if not has_shard(out / shard.name, shard, plan)]
    _check_disk(out, plan, missing)
    total, left = _frames(shards), _frames(missing)
    began = time.monotonic()
    with tqdm(
        total=total, initial=total - left, unit="frame", desc="clips", disable=not progress, smoothing=0.05
    ) as bar:
        work = _Work(plan, out, backend)
        if workers is None:
            workers = Workers.for_this_machine()
        with polite_interrupt() as interrupt:
            run = _run_here if workers.renderers == 0 else _run_pool
            run(work, missing, workers, bar, interrupt)
    finished = not interrupt.requested
    if finished:
        _write_index(out, plan, shards)
    done = [shard for shard in missing if finished or (out / shard.name).is_file()]
    clips = sum(len(shard.clips) for shard in done)
    return RenderReport(out, clips, _frames(done), time.monotonic() - began, finished)


@dataclass(frozen=True)
class _Work:
    """What every worker knows."""

    plan: ClipPlan
    out: Path
    backend: str

    def race_path(self, race: RaceJob) -> Path:
        return self.out / RACE_FOLDER / f"{race.name}.race"

    def simulate(self, race: RaceJob, stopped: Callable[[], bool]) -> None:
        if not has_race(self.race_path(race), race):
            simulate_race(race, self.race_path(race), stopped)

    def render(
        self, studio: Studio, shards: tuple[ShardJob, ...], stopped: Callable[[], bool], tell: Callable[[int], None]
    ) -> None:
        log, race = None, ""
        for shard in shards:
            if stopped():
                return
            if log is None or shard.race.name != race:
                log, race = open_race(self.race_path(shard.race), shard.race), shard.race.name
            render_shard(studio, shard, log, self.out / shard.name, self.plan, tell)


def _run_here(work: _Work, missing: list[ShardJob], _: Workers, bar: Any, interrupt: Interrupt) -> None:
    def stopped() -> bool:
        return interrupt.requested

    studio = Studio(work.plan, work.backend, stopped)
    try:
        for group in _groups(missing, 1):
            for race in _races(group):
                work.simulate(race, stopped)
            work.render(studio, group, stopped, bar.update)
    except Stopped:
        pass
    finally:
        studio.close()


def _run_pool(work: _Work, missing: list[ShardJob], workers: Workers, bar: Any, interrupt: Interrupt) -> None:
    groups = _groups(missing, workers.renderers)
    with _pools(work, workers, bar) as (racers, renderers, stop, drain):
        races = {racers.submit(_race_task, race): race.name for race in _races(missing)}
        waiting = [(group, {race.name for race in _races(group)}) for group in groups]
        running: set[Future[None]] = set(races)
        while running:
            done, running = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
            drain()
            for future in done:
                _result(future)
            ready = {races.pop(future) for future in done if future in races}
            still = []
            for group, needed in waiting:
                needed -= ready
                if needed:
                    still.append((group, needed))
                elif not interrupt.requested:
                    running.add(renderers.submit(_render_task, group))
            waiting = still
            if interrupt.requested and not stop.is_set():
                stop.set()
                running = {future for future in running if not future.cancel()}
        drain()


def _result(future: Future[None]) -> None:
    try:
        future.result()
    except BrokenProcessPool as error:
        raise UserError(
            "a worker died (out of memory?); what is whole is kept: run the same command again, with fewer workers"
        ) from error


@contextmanager
def _pools(
    work: _Work, workers: Workers, bar: Any
) -> Iterator[tuple[ProcessPoolExecutor, ProcessPoolExecutor, Any, Any]]:
    context = multiprocessing.get_context("spawn")
    stop, drawn = context.Event(), context.Queue()
    arguments = (work, stop, drawn)

    def drain() -> None:
        while not drawn.empty():
            bar.update(drawn.get())

    with ExitStack() as stack:
        pools = [
            ProcessPoolExecutor(count, context, _start_worker, arguments)
            for count in (workers.racers, workers.renderers)
        ]
        for pool in pools:
            stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        stack.callback(stop.set)
        yield pools[0], pools[1], stop, drain


_here: dict[str, Any] = {}
"""Of a worker process: its work, its channel to the parent, its studio."""


def _start_worker(work: _Work, stop: Any, drawn: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent decides.
    _here.update(work=work, stop=stop, drawn=drawn)


def _race_task(race: RaceJob) -> None:
    _here["work"].simulate(race, _here["stop"].is_set)


def _render_task(shards: tuple[ShardJob, ...]) -> None:
    work, stop = _here["work"], _here["stop"]
    if "studio" not in _here:
        _here["studio"] = Studio(work.plan, work.backend, stop.is_set)
    with suppress(Stopped):
        work.render(_here["studio"], shards, stop.is_set, _here["drawn"].put)


def _groups(missing: list[ShardJob], renderers: int) -> list[tuple[ShardJob, ...]]:
    """Shards of one track together, so that its scene is built once; cut where one worker would have too many."""
    by_track: dict[str, list[ShardJob]] = {}
    for shard in missing:
        by_track.setdefault(shard.race.setup.track, []).append(shard)
    most = max(1, -(-len(missing) // (renderers * 3)))
    return [
        tuple(shards[first : first + most]) for shards in by_track.values() for first in range(0, len(shards), most)
    ]


def _races(shards: list[ShardJob] | tuple[ShardJob, ...]) -> list[RaceJob]:
    return list({shard.race.name: shard.race for shard in shards}.values())


def _frames(shards: list[ShardJob] | tuple[ShardJob, ...]) -> int:
    return sum(job.frames for shard in shards for job in shard.clips)


def _prepare_folder(out: Path, plan: ClipPlan) -> None:
    if (out / PLAN_FILE).is_file():
        found = read_json(out / PLAN_FILE)
        if found != plan.to_json():
            changed = sorted(k for k, v in plan.to_json().items() if not isinstance(found, dict) or found.get(k) != v)
            raise UserError(
                f"{out} was begun with another plan (other {', '.join(changed) or 'fields'}); name a new folder"
            )
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} already exists and is no clip folder; name a new folder")
    try:
        (out / RACE_FOLDER).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot make the folder {out}: {error.strerror}") from error
    write_json(out / PLAN_FILE, plan.to_json())
    for stale in [*out.glob(".*.partial"), *(out / RACE_FOLDER).glob(".*.partial")]:
        if not _alive(stale.name.split(".")[-2]):
            stale.unlink(missing_ok=True)


def _alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def _check_disk(out: Path, plan: ClipPlan, missing: list[ShardJob]) -> None:
    pixels = plan.width * plan.height * _frames(missing)
    needed = pixels * (3 if plan.teacher == "raw" else 1) + (4 * pixels if "motion" in plan.planes else 0)
    free = shutil.disk_usage(out).free
    if needed > free:
        raise UserError(
            f"these clips need about {needed / 1e9:.1f} GB, {out} has {free / 1e9:.1f} GB free; ask for fewer clips or "
            "smaller ones, or compress the teacher frames (zstd)"
        )


def _write_index(out: Path, plan: ClipPlan, shards: tuple[ShardJob, ...]) -> None:
    entries: list[dict[str, Any]] = []
    for shard in shards:
        for number, meta in enumerate(Shard(out / shard.name).metas):
            kept = {name: meta[name] for name in ("index", "look_seed", "place", "track", "camera", "start_tick")}
            entries.append({"shard": shard.name, "number": number, **kept})
    entries.sort(key=lambda entry: entry["index"])
    sizes = {name: getattr(plan, name) for name in ("width", "height", "fps", "frames", "split")}
    write_json(out / INDEX_FILE, {"format": KIND, "classes": class_table_json(RACING), **sizes, "clips": entries})
