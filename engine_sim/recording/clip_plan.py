"""Which clips to cut: a pure function of a few numbers, so that any run, worker or machine plans the same ones.

Looks, not frames: thousands of looks, each seen at several places. Races are few and shared: each is simulated once and
gives many clips, which spread over its time. Clips of one race go into shards together, in a fixed order.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import UserError
from ..core.random import Stream
from ..core.ticks import ticks_per_frame
from ..racing.world import RaceSetup
from ..tracks.catalogue import split_of, track_names
from ..views.class_view import check_size
from ..views.look import look_split
from .drive import setup_of
from .reader import open_session
from .session_format import CAMERAS

SPLITS = ("train", "held-out")
PLANES = ("depth", "motion", "object")
TEACHER_CODECS = ("raw", "zstd", "none")


@dataclass(frozen=True)
class ClipPlan:
    """What to cut.

    Args:
        seed: of every draw.
        count: clips in all.
        split: ``train`` or ``held-out``: tracks and looks of that set alone.
        width, height: pixels, divisible by 32.
        fps: video frames a second, one of 24, 30, 40, 60.
        frames: video frames a clip.
        places: clips of one look, each from another race.
        looks: number of looks; 0 for as many as ``count / places``. Fewer give more places each.
        tracks: names; empty for all built-in ones of the split.
        sessions: session folders to cut in place of scripted races; their tracks must be of the split.
        cameras: kinds to draw from.
        restless: share of races that a restless player drives, in place of a clean one.
        race_seconds: simulated seconds a race, from its grid on.
        clips_per_race, clips_per_shard: how many share a race, and a file.
        teacher: ``raw``, ``zstd`` or ``none``.
        planes: guide planes to keep beside the class maps: ``depth``, ``motion``, ``object``.

    Raises:
        UserError: naming the field, what was expected and what came.
    """

    seed: int = 0
    count: int = 64
    split: str = "train"
    width: int = 672
    height: int = 384
    fps: int = 24
    frames: int = 64
    places: int = 2
    looks: int = 0
    tracks: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ("chase",)
    restless: float = 0.35
    race_seconds: int = 90
    clips_per_race: int = 24
    clips_per_shard: int = 8
    teacher: str = "raw"
    planes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ticks_per_frame(self.fps)
        check_size(self.width, self.height)
        for name, low, high in (
            ("count", 1, 10_000_000), ("frames", 1, 100_000), ("places", 1, 10_000), ("looks", 0, 10_000_000),
            ("race_seconds", 1, 36_000), ("clips_per_race", 1, 100_000), ("clips_per_shard", 1, 10_000),
            ("seed", 0, 2**63 - 1),
        ):  # fmt: skip
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise UserError(f"{name} must be a whole number from {low} to {high}, got {value!r}")
        if not 0.0 <= self.restless <= 1.0:
            raise UserError(f"restless must lie in [0, 1], got {self.restless!r}")
        for name, allowed in (("split", SPLITS), ("teacher", TEACHER_CODECS), ("cameras", CAMERAS), ("planes", PLANES)):
            value = getattr(self, name)
            for item in (value,) if isinstance(value, str) else value:
                if item not in allowed:
                    raise UserError(f"{name} must be of {', '.join(allowed)}, got {item!r}")
        if not self.cameras:
            raise UserError("cameras must name at least one camera")
        if self.tracks and self.sessions:
            raise UserError("tracks and sessions exclude each other: sessions have their own tracks")

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values."""
        values = dataclasses.asdict(self)
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


@dataclass(frozen=True)
class RaceJob:
    """One race to simulate.

    Args:
        name: of its log.
        setup: the race.
        restless: seed of a restless player; −1 where a driver of ``racing``, or a session, gives the controls.
        session: folder whose inputs are the controls, or empty.
        frames, fps, cameras: what the log must hold.
    """

    name: str
    setup: RaceSetup
    restless: int
    session: str
    frames: int
    fps: int
    cameras: tuple[str, ...]


@dataclass(frozen=True)
class ClipJob:
    """One clip to cut.

    Args:
        index: place in the plan.
        race: name of its race's log.
        start: its first video frame in the race.
        frames: their number.
        camera: kind.
        look: seed of its look.
        place: which of the look's places this is, from 0.
    """

    index: int
    race: str
    start: int
    frames: int
    camera: str
    look: int
    place: int


@dataclass(frozen=True)
class ShardJob:
    """One file of clips, all of one race."""

    name: str
    race: RaceJob
    clips: tuple[ClipJob, ...]


def plan_races(plan: ClipPlan) -> tuple[RaceJob, ...]:
    """The races of a plan; tracks take turns, in an order drawn by the seed.

    Raises:
        UserError: a track outside the split, a broken session, or a race shorter than a clip.
    """
    if plan.sessions:
        races = tuple(_session_race(plan, k, Path(path)) for k, path in enumerate(plan.sessions))
    else:
        tracks = _shuffled(_tracks_of(plan), Stream(plan.seed, f"clip tracks {plan.split}"))
        stream = Stream(plan.seed, f"clip races {plan.split}")
        count = -(-plan.count // plan.clips_per_race)
        races = tuple(_draw_race(plan, k, tracks[k % len(tracks)], stream) for k in range(count))
    for race in races:
        if race.frames < plan.frames:
            raise UserError(
                f"a clip of {plan.frames} frames does not fit {race.session or 'a race'} of {race.frames} frames at "
                f"{plan.fps} a second; ask for fewer frames or longer races"
            )
    return races


def _session_race(plan: ClipPlan, index: int, path: Path) -> RaceJob:
    session = open_session(path)
    setup = setup_of(session)
    _check_split(setup.track, plan.split)
    frames = session.ticks // ticks_per_frame(plan.fps)
    return RaceJob(f"race-{index:05d}", setup, -1, str(path), frames, plan.fps, plan.cameras)


def _check_split(track: str, split: str) -> None:
    if split_of(track) != split:
        raise UserError(f"track {track!r} belongs to the {split_of(track)} set, these clips are for {split}")


def _tracks_of(plan: ClipPlan) -> list[str]:
    if not plan.tracks:
        return [name for name in track_names("built-in") if split_of(name) == plan.split]
    known = track_names()
    for name in plan.tracks:
        if name not in known:
            raise UserError(f"unknown track {name!r}; 'paintover tracks' lists them")
        _check_split(name, plan.split)
    return list(plan.tracks)


def _draw_race(plan: ClipPlan, index: int, track: str, stream: Stream) -> RaceJob:
    seed = stream.u64() >> 1
    restless = stream.uniform() < plan.restless
    setup = RaceSetup(
        track=track,
        seed=seed,
        rivals=stream.integer(2, 16),
        laps=200,  # Never over while it is being watched.
        player="human" if restless else "ai",
        player_skill=stream.uniform(0.4, 1.0),
        wetness=stream.uniform() if stream.chance(0.25) else 0.0,
    )
    frames = plan.race_seconds * plan.fps
    return RaceJob(f"race-{index:05d}", setup, seed if restless else -1, "", frames, plan.fps, plan.cameras)


def plan_clips(plan: ClipPlan, races: tuple[RaceJob, ...]) -> tuple[ClipJob, ...]:
    """The clips of a plan, in the order of their looks and places.

    Clip i has look ``(i // places) % looks``. Races are dealt out evenly; a race's clips start in equal slices of
    its time, at a drawn moment inside each.
    """
    looks = look_seeds(plan)
    dealt = _deal(plan, len(races))
    totals = Counter(dealt[: plan.count])
    used: Counter[int] = Counter()
    places: Counter[int] = Counter()
    stream = Stream(plan.seed, f"clip moments {plan.split}")
    jobs = []
    for index in range(plan.count):
        race, look = dealt[index], looks[(index // plan.places) % len(looks)]
        share = (used[race] + stream.uniform()) / totals[race]
        start = int(share * (races[race].frames - plan.frames + 1))
        camera = stream.choice(plan.cameras)
        jobs.append(ClipJob(index, races[race].name, start, plan.frames, camera, look, places[look]))
        used[race] += 1
        places[look] += 1
    return tuple(jobs)


def _deal(plan: ClipPlan, races: int) -> list[int]:
    """A race for each clip: all in turn, reshuffled each round, so that places of one look lie in different races."""
    stream = Stream(plan.seed, f"clip deal {plan.split}")
    dealt: list[int] = []
    while len(dealt) < plan.count:
        recent = set(dealt[len(dealt) - plan.places + 1 :]) if plan.places > 1 else set()
        turn = _shuffled(list(range(races)), stream)
        dealt += [race for race in turn if race not in recent] + [race for race in turn if race in recent]
    return dealt


def look_seeds(plan: ClipPlan) -> tuple[int, ...]:
    """Seeds of the plan's looks: drawn in order, those of the other split left out."""
    wanted = plan.looks or -(-plan.count // plan.places)
    stream = Stream(plan.seed, f"clip looks {plan.split}")
    seeds: list[int] = []
    while len(seeds) < wanted:
        seed = stream.u64() >> 1
        if look_split(seed) == plan.split:
            seeds.append(seed)
    return tuple(seeds)


def plan_shards(plan: ClipPlan) -> tuple[ShardJob, ...]:
    """The files of a plan: clips of one race together, by start, at most ``clips_per_shard`` in each."""
    races = plan_races(plan)
    by_race: dict[str, list[ClipJob]] = {}
    for job in plan_clips(plan, races):
        by_race.setdefault(job.race, []).append(job)
    shards = []
    for race in races:
        clips = sorted(by_race.get(race.name, []), key=lambda job: (job.start, job.index))
        for part, first in enumerate(range(0, len(clips), plan.clips_per_shard)):
            name = f"{race.name}-{part:03d}.clips"
            shards.append(ShardJob(name, race, tuple(clips[first : first + plan.clips_per_shard])))
    return tuple(shards)


def _shuffled(items: list[Any], stream: Stream) -> list[Any]:
    """Fisher–Yates on a copy."""
    items = list(items)
    for last in range(len(items) - 1, 0, -1):
        other = stream.integer(0, last + 1)
        items[last], items[other] = items[other], items[last]
    return items
