"""The processes behind a clip folder: some simulate races, some draw, and the parent counts.

Spawned, never forked: a fork would copy contexts and threads that only work in their own process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import UserError
from .clip_plan import ClipPlan, RaceJob, ShardJob
from .clips import RACE_FOLDER
from .drive import Interrupt
from .race_log import has_race, open_race, simulate_race
from .studio import LookAhead, Stopped, Studio, render_shard

GL_DEVICE = "GLCONTEXT_DEVICE_INDEX"
"""Environment variable by which glcontext picks a graphics card."""


@dataclass(frozen=True)
class Workers:
    """How many processes do what. Zero renderers: everything in this process.

    Args:
        renderers: that draw. A graphics card is shared, so a few are enough; on the CPU each takes about a core.
        racers: that simulate races.
        gl_devices: graphics cards that renderers take turns on.
    """

    renderers: int
    racers: int
    gl_devices: int = 1

    @staticmethod
    def for_this_machine() -> Workers:
        """A renderer on every second core, at most eight, and racers on the cores that are left."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        renderers = max(1, min(8, cores // 2))
        return Workers(renderers, max(1, cores - renderers))


class Counter:
    """Counts drawn frames on a progress bar, and how fast they come once the first clip is there."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._first = self._last = 0.0
        self._later = 0

    def add(self, frames: int) -> None:
        """A clip of that many frames has been drawn."""
        self._last = time.monotonic()
        if self._first:
            self._later += frames
        else:
            self._first = self._last
        self._bar.update(frames)

    @property
    def steady_fps(self) -> float:
        """Frames after the first clip by the time since it; 0 if there were none."""
        return self._later / (self._last - self._first) if self._last > self._first else 0.0


@dataclass(frozen=True)
class Work:
    """What every worker knows: the plan, the folder, the back end of the class view."""

    plan: ClipPlan
    out: Path
    backend: str

    def race_path(self, race: RaceJob) -> Path:
        """File of a race's log."""
        return self.out / RACE_FOLDER / f"{race.name}.race"

    def simulate(self, race: RaceJob, stopped: Callable[[], bool]) -> None:
        """Make a race's log, unless it is there."""
        if not has_race(self.race_path(race), race):
            simulate_race(race, self.race_path(race), stopped)

    def render(
        self, studio: Studio, shards: tuple[ShardJob, ...], stopped: Callable[[], bool], tell: Callable[[int], None]
    ) -> None:
        """Draw and write shards, until ``stopped``."""
        log, race = None, ""
        seeds = [job.look for shard in shards for job in shard.clips]
        with LookAhead(seeds, lit=self.plan.teacher != "none") as looks:
            for shard in shards:
                if stopped():
                    return
                if log is None or shard.race.name != race:
                    log, race = open_race(self.race_path(shard.race), shard.race), shard.race.name
                render_shard(studio, shard, log, looks, self.out / shard.name, self.plan, tell)


def run_here(work: Work, missing: list[ShardJob], _: Workers, counter: Counter, interrupt: Interrupt) -> None:
    def stopped() -> bool:
        return interrupt.requested

    studio = Studio(work.plan, work.backend, stopped)
    try:
        for group in _groups(missing, 1):
            for race in _races(group):
                work.simulate(race, stopped)
            work.render(studio, group, stopped, counter.add)
    except Stopped:
        pass
    finally:
        studio.close()


def run_pool(work: Work, missing: list[ShardJob], workers: Workers, counter: Counter, interrupt: Interrupt) -> None:
    try:
        _run_pool(work, missing, workers, counter, interrupt)
    except BrokenProcessPool as error:
        if interrupt.requested:  # SIGTERM may go to a whole group, and workers end by it at once.
            return
        raise UserError(
            "a worker died (out of memory?); what is whole is kept: run the same command again, with fewer workers"
        ) from error


def _run_pool(work: Work, missing: list[ShardJob], workers: Workers, counter: Counter, interrupt: Interrupt) -> None:
    groups = _groups(missing, workers.renderers)
    with _pools(work, workers, counter) as (racers, renderers, stop, drain):
        races = {racers.submit(_race_task, race): race.name for race in _races(missing)}
        waiting = [(group, {race.name for race in _races(group)}) for group in groups]
        running: set[Future[None]] = set(races)
        while running:
            done, running = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
            drain()
            for future in done:
                future.result()
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


@contextmanager
def _pools(
    work: Work, workers: Workers, counter: Counter
) -> Iterator[tuple[ProcessPoolExecutor, ProcessPoolExecutor, Any, Any]]:
    context = multiprocessing.get_context("spawn")
    stop, drawn = context.Event(), context.Queue()
    arguments = (work, stop, drawn, context.Value("i", 0), workers.gl_devices)

    def drain() -> None:
        while not drawn.empty():
            counter.add(drawn.get())

    with ExitStack() as stack:
        pools = [
            ProcessPoolExecutor(count, context, start, arguments)
            for count, start in ((workers.racers, _start_worker), (workers.renderers, _start_renderer))
        ]
        for pool in pools:
            stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        stack.callback(stop.set)
        yield pools[0], pools[1], stop, drain


_here: dict[str, Any] = {}
"""Of a worker process: its work, its channel to the parent, its studio."""


def _start_worker(work: Work, stop: Any, drawn: Any, *_: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent decides.
    _here.update(work=work, stop=stop, drawn=drawn)


def _start_renderer(work: Work, stop: Any, drawn: Any, started: Any, gl_devices: int) -> None:
    _start_worker(work, stop, drawn)
    if gl_devices > 1:
        with started.get_lock():
            os.environ[GL_DEVICE] = str(started.value % gl_devices)
            started.value += 1


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
