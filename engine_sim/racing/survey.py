"""A full race of drivers on each circuit: does everybody finish, does anybody get stuck?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..core.ticks import TICK_RATE, TICK_SECONDS
from ..tracks.catalogue import load_track
from .controls import Controls
from .state import OFF_TRACK
from .world import RaceSetup, World

_SAMPLE_TICKS = 12  # ticks between two looks at who is off the track


@dataclass(frozen=True)
class SurveyRow:
    """What one race showed. Times in seconds after the green light.

    Args:
        track, kind: name and kind of the circuit.
        length: metres of a lap.
        finished: cars that saw the flag.
        first, last: times of winner and last finisher; 0 if nobody finished.
        best_lap: fastest lap of all; 0 if there was none.
        off_track: share of all car time spent off the track, 0 … 1.
        contacts, barrier_hits, passes: events.
        resets: cars put back on the track because they were stuck or lost.
    """

    track: str
    kind: str
    length: float
    cars: int
    finished: int
    first: float
    last: float
    best_lap: float
    off_track: float
    contacts: int
    barrier_hits: int
    passes: int
    resets: int

    @property
    def clean(self) -> bool:
        """True if every car finished without being put back."""
        return self.finished == self.cars and self.resets == 0


def survey(track_names: Iterable[str], rivals: int = 15, laps: int = 2, seed: int = 0) -> list[SurveyRow]:
    """Race drivers on every named circuit until the flag or the time limit, without a view; one row per circuit."""
    return [survey_track(name, rivals, laps, seed) for name in track_names]


def survey_track(name: str, rivals: int = 15, laps: int = 2, seed: int = 0) -> SurveyRow:
    """The race on one circuit. Raises UserError for an unknown one."""
    track = load_track(name)
    world = World(RaceSetup(name, seed=seed, rivals=rivals, laps=laps, player="ai"), track)
    idle = Controls()
    off, looks = 0, 0
    while world.phase != "finished":
        world.step(idle)
        if world.phase == "race" and world.tick % _SAMPLE_TICKS == 0:
            off += int(world.state.marks[:, OFF_TRACK].sum())
            looks += world.cars
    return _row(world, off / max(looks, 1))


def _row(world: World, off_track: float) -> SurveyRow:
    green = next(e.tick for e in world.events if e.kind == "phase" and e.value == 2.0)
    flags = [e.tick - green for e in world.events if e.kind == "finish"]
    laps = [e.value for e in world.events if e.kind == "lap"]

    def count(kind: str) -> int:
        return sum(e.kind == kind for e in world.events)

    return SurveyRow(
        track=world.track.name,
        kind=world.track.kind,
        length=world.track.length,
        cars=world.cars,
        finished=len(flags),
        first=min(flags, default=0) * TICK_SECONDS,
        last=max(flags, default=0) * TICK_SECONDS,
        best_lap=min(laps, default=0.0) / TICK_RATE,
        off_track=off_track,
        contacts=count("contact"),
        barrier_hits=count("barrier"),
        passes=count("pass"),
        resets=count("reset"),
    )


def table(rows: Iterable[SurveyRow]) -> str:
    """Rows as aligned text with a heading."""
    head = (
        f"{'track':24s} {'kind':5s} {'metres':>6s} {'home':>5s} {'first s':>8s} {'last s':>8s} {'lap s':>7s} "
        f"{'off %':>6s} {'knocks':>6s} {'walls':>5s} {'passes':>6s} {'resets':>6s}"
    )
    lines = [
        f"{r.track:24s} {r.kind:5s} {r.length:6.0f} {r.finished:2d}/{r.cars:2d} {r.first:8.1f} {r.last:8.1f} "
        f"{r.best_lap:7.1f} {100 * r.off_track:6.2f} {r.contacts:6d} {r.barrier_hits:5d} {r.passes:6d} {r.resets:6d}"
        for r in rows
    ]
    return "\n".join([head, *lines])
