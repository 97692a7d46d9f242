"""Many workers cut clips at once; an interrupted run goes on where it stopped.

Two kinds of spawned processes: some simulate races (processor only), some draw (each with its own views, one track
after another). Shards are pure functions of the plan and get their names when they are whole, so a run may be
stopped at any moment, goes on with the same command, and gives the same bytes whatever the number of workers.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from render_bridge.palette import RACING

from ..core.errors import UserError
from ..views.gl_context import open_gl
from .clip_plan import ClipPlan, ShardJob, plan_shards
from .clips import INDEX_FILE, KIND, PLAN_FILE, RACE_FOLDER, Shard
from .drive import polite_interrupt
from .fields import read_json, write_json
from .session_format import class_table_json
from .studio import has_shard
from .workers import Counter, Work, Workers, run_here, run_pool


@dataclass(frozen=True)
class RenderReport:
    """What a run did.

    Args:
        path: the clip folder.
        clips, frames: drawn in this run.
        seconds: that it took, start of the workers included.
        steady_fps: frames a second from the first clip drawn to the last one, all workers together; 0 if unknown.
        finished: False if it was stopped; the same call goes on.
        shares: where the time of a process that draws went, by part of ``ledger.PARTS`` and ``ledger.WAITING`` (for
            races, for its own start, for the others' end); 1 in all, empty if nothing was drawn.
        processor_ms: milliseconds of processor time that a process that draws spent on a frame, packing included.
    """

    path: Path
    clips: int
    frames: int
    seconds: float
    steady_fps: float
    finished: bool
    shares: dict[str, float]
    processor_ms: float


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
    needs_gl = plan.teacher != "none" or backend == "gl"
    if needs_gl and not all((out / shard.name).is_file() for shard in shards):
        open_gl().close()  # Refused now, before a folder and workers are made.
    _prepare_folder(out, plan)
    missing = [shard for shard in shards if not has_shard(out / shard.name, shard, plan)]
    _check_disk(out, plan, missing)
    total, left = _frames(shards), _frames(missing)
    began = time.monotonic()
    with tqdm(
        total=total, initial=total - left, unit="frame", desc="clips", disable=not progress, smoothing=0.05
    ) as bar:
        work, counter = Work(plan, out, backend), Counter(bar)
        if workers is None:
            workers = Workers.for_this_machine()
        with polite_interrupt() as interrupt:
            run = run_here if workers.renderers == 0 else run_pool
            spent = run(work, missing, workers, counter, interrupt)
    finished = not interrupt.requested
    if finished:
        _write_index(out, plan, shards)
    done = [shard for shard in missing if finished or (out / shard.name).is_file()]
    clips = sum(len(shard.clips) for shard in done)
    seconds, frames = time.monotonic() - began, _frames(done)
    shares = spent.shares(seconds * max(1, min(workers.renderers, len(missing))))
    each = 1000.0 * spent.processor / max(frames, 1)
    return RenderReport(out, clips, frames, seconds, counter.steady_fps, finished, shares, each)


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
