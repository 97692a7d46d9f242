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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..core.errors import UserError
from ..views.look import sample_look
from .clip_plan import ClipPlan, RaceJob, ShardJob
from .clips import RACE_FOLDER
from .deal import Deal, races_of
from .drive import Interrupt
from .ledger import Ledger
from .packing import Packing
from .race_log import has_race, open_race, simulate_race
from .studio import LookAhead, Stopped, Studio, render_shard

GL_DEVICE = "GLCONTEXT_DEVICE_INDEX"
"""Environment variable by which glcontext picks a graphics card."""


MOST_PROCESSES = 1024
"""More of a kind are a slip of the keyboard."""


@dataclass(frozen=True)
class Workers:
    """How many processes do what. Zero renderers: everything in this process.

    Args:
        renderers: that draw. A graphics card is shared, so a few are enough; on the CPU each takes about a core.
        racers: that simulate races.
        gl_devices: graphics cards that renderers take turns on.

    Raises:
        UserError: a count that makes no sense.
    """

    renderers: int
    racers: int
    gl_devices: int = 1

    def __post_init__(self) -> None:
        for name, least in (("renderers", 0), ("racers", min(1, self.renderers)), ("gl_devices", 1)):
            if not least <= (count := getattr(self, name)) <= MOST_PROCESSES:
                option = name.replace("_", "-")
                raise UserError(f"{option} must be a whole number from {least} to {MOST_PROCESSES}, got {count}")

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
        began = time.process_time()
        with LookAhead(seeds, lit=self.plan.teacher != "none") as looks, ExitStack() as stack:
            packing = stack.enter_context(Packing(self.plan.teacher))
            for shard in shards:
                if stopped():
                    return
                if log is None or shard.race.name != race:
                    with studio.ledger.on("set-up"):
                        log, race = open_race(self.race_path(shard.race), shard.race), shard.race.name
                render_shard(studio, shard, log, looks, packing, self.out / shard.name, self.plan, tell)
            with studio.ledger.on("packing"):
                stack.close()
        studio.ledger.processor += time.process_time() - began


def run_here(work: Work, missing: list[ShardJob], _: Workers, counter: Counter, interrupt: Interrupt) -> Ledger:
    """Everything in this process. Returns where its time went."""

    def stopped() -> bool:
        return interrupt.requested

    studio = Studio(work.plan, work.backend, stopped)
    tracks = [race.setup.track for race in races_of(missing)]
    try:
        for race in sorted(races_of(missing), key=lambda race: tracks.index(race.setup.track)):
            work.simulate(race, stopped)
            shards = tuple(shard for shard in missing if shard.race == race)
            work.render(studio, shards, stopped, counter.add)
    except Stopped:
        pass
    finally:
        studio.close()
    return studio.ledger


def run_pool(work: Work, missing: list[ShardJob], workers: Workers, counter: Counter, interrupt: Interrupt) -> Ledger:
    """Everything in other processes. Returns where those that draw spent their time, all together."""
    spent = Ledger()
    try:
        _run_pool(work, missing, workers, counter, interrupt, spent)
    except BrokenProcessPool as error:
        if not interrupt.requested:  # SIGTERM may go to a whole group, and workers end by it at once.
            raise UserError(
                "a worker died (out of memory?); what is whole is kept: run the same command again, with fewer workers"
            ) from error
    return spent


def _run_pool(
    work: Work, missing: list[ShardJob], workers: Workers, counter: Counter, interrupt: Interrupt, spent: Ledger
) -> None:
    workers = replace(workers, renderers=min(workers.renderers, len(missing)))
    deal = Deal(missing, workers.renderers, workers.racers)
    with _pools(work, workers, counter) as (racers, renderers, stop, drain):
        racing: dict[Future[Any], str] = {racers.submit(_race_task, race): race.name for race in deal.races}
        # Started at once, each with a track of its own, while the first races are being simulated.
        drawing: dict[Future[Any], int] = {
            pool.submit(_open_task, track, missing[0].clips[0].look): number
            for number, (pool, track) in enumerate(zip(renderers, deal.tracks, strict=True))
            if not interrupt.requested
        }
        idle: set[int] = set()
        while racing or drawing:
            done, _ = wait({*racing, *drawing}, timeout=0.1, return_when=FIRST_COMPLETED)
            drain()
            for future in done:
                result = future.result()
                if future in racing:
                    deal.race_done(racing.pop(future))
                else:
                    idle.add(drawing.pop(future))
                    spent.add(result)
            if interrupt.requested and not stop.is_set():
                stop.set()
                racing = {future: name for future, name in racing.items() if not future.cancel()}
                drawing = {future: number for future, number in drawing.items() if not future.cancel()}
            for number in () if interrupt.requested else sorted(idle):
                if shards := deal.take(number):
                    drawing[renderers[number].submit(_render_task, shards)] = number
                    idle.discard(number)
        drain()


@contextmanager
def _pools(
    work: Work, workers: Workers, counter: Counter
) -> Iterator[tuple[ProcessPoolExecutor, list[ProcessPoolExecutor], Any, Any]]:
    """Racers share one queue; each renderer has its own, so that it can be given shards of the track it has open."""
    context = multiprocessing.get_context("spawn")
    stop, drawn = context.Event(), context.Queue()

    def drain() -> None:
        while not drawn.empty():
            counter.add(drawn.get())

    with ExitStack() as stack:

        def pool(count: int, card: int | None) -> ProcessPoolExecutor:
            made = ProcessPoolExecutor(count, context, _start_worker, (work, stop, drawn, card))
            stack.callback(made.shutdown, wait=True, cancel_futures=True)
            return made

        racers = pool(workers.racers, None)
        cards = [k % workers.gl_devices if workers.gl_devices > 1 else None for k in range(workers.renderers)]
        renderers = [pool(1, card) for card in cards]
        stack.callback(stop.set)
        yield racers, renderers, stop, drain


_here: dict[str, Any] = {}
"""Of a worker process: its work, its channel to the parent, its studio."""


def _start_worker(work: Work, stop: Any, drawn: Any, card: int | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent decides.
    if card is not None:
        os.environ[GL_DEVICE] = str(card)
    _here.update(work=work, stop=stop, drawn=drawn)


def _race_task(race: RaceJob) -> None:
    _here["work"].simulate(race, _here["stop"].is_set)


def _open_task(track: str, look: int) -> Ledger:
    studio = _studio()
    if not _here["stop"].is_set():
        with suppress(Stopped):
            studio.warm_up(track, sample_look(look))
    return _spent(studio)


def _render_task(shards: tuple[ShardJob, ...]) -> Ledger:
    studio = _studio()
    with suppress(Stopped):
        _here["work"].render(studio, shards, _here["stop"].is_set, _here["drawn"].put)
    return _spent(studio)


def _studio() -> Studio:
    work = _here["work"]
    if "studio" not in _here:
        _here["studio"] = Studio(work.plan, work.backend, _here["stop"].is_set)
    return _here["studio"]


def _spent(studio: Studio) -> Ledger:
    """What its ledger holds; it begins a new one."""
    spent, studio.ledger = studio.ledger, Ledger()
    return spent
