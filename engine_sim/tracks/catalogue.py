"""All circuits by name: 39 of our own, and ``torcs:NAME`` for TORCS track files found on this machine."""

from __future__ import annotations

import difflib
import functools
import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.errors import UserError
from .build import TrackLabel, assemble_track
from .generator import CircuitPlan, make_circuit, read_plan
from .generator.relief import climb
from .ground import GroundPlan
from .questions import corners
from .scenery import place_scenery
from .torcs import ReadOptions, find_torcs, read_torcs
from .track import Track

SOURCES = ("built-in", "torcs")
_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "tracks"
_TORCS = "torcs:"


@dataclass(frozen=True)
class TrackSummary:
    """One line of the list of circuits: lengths in metres, lap time of the reference line in seconds."""

    name: str
    kind: str
    source: str
    split: str
    length: float
    corners: int
    climb: float
    lap_seconds: float
    about: str


def track_names(source: str | None = None) -> list[str]:
    """Names of all circuits, sorted; ``source`` (``built-in`` or ``torcs``) keeps one kind of them.

    Raises:
        UserError: for an unknown source.
    """
    if source is not None and source not in SOURCES:
        raise UserError(f"unknown source of tracks {source!r}; expected one of {', '.join(SOURCES)}")
    names: list[str] = []
    if source != "torcs":
        names += sorted(_plans())
    if source != "built-in":
        names += sorted(_TORCS + name for name in find_torcs())
    return names


def split_of(name: str) -> str:
    """``train`` or ``held-out``.

    The rule: a circuit of our own is held out if the first 32 bits of the SHA-256 of its name, big-endian,
    leave the remainder 2 when divided by 5; that holds for about one in five of each kind (a test counts them).
    Every TORCS track is held out: they are the circuits that nobody here wrote.
    """
    if name.startswith(_TORCS):
        return "held-out"
    word = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    return "held-out" if word % 5 == 2 else "train"


@functools.lru_cache(maxsize=8)
def load_track(name: str) -> Track:
    """The circuit of that name, built from its written parameters or read from its TORCS file; cached.

    Raises:
        UserError: unknown name (the message offers similar ones), or a file that cannot be read.
    """
    if name.startswith(_TORCS):
        files = find_torcs()
        if name[len(_TORCS) :] in files:
            return read_torcs(files[name[len(_TORCS) :]], ReadOptions(split=split_of(name)))
    elif name in _plans():
        return build_circuit(read_plan(_plans()[name]))
    raise UserError(_unknown(name))


def build_circuit(plan: CircuitPlan) -> Track:
    """The complete track of written parameters: ribbon, racing line, ground and scenery."""
    circuit = make_circuit(plan)
    label = TrackLabel(plan.name, plan.kind, "built-in", split_of(plan.name))
    ground = GroundPlan(plan.setting, plan.seed)
    track = assemble_track(label, circuit.line, circuit.section, circuit.pit, ground)
    scenery = place_scenery(track.arrays, track.ground, track.pit, plan.kind, plan.setting, plan.seed)
    return replace(track, scenery=scenery)


def circuit_plan(name: str) -> CircuitPlan:
    """Written parameters of a built-in circuit. Raises UserError for other names."""
    if name not in _plans():
        raise UserError(_unknown(name))
    return read_plan(_plans()[name])


def summary(track: Track) -> TrackSummary:
    """What a list says about a circuit."""
    a = track.arrays
    return TrackSummary(
        name=track.name,
        kind=track.kind,
        source=track.source,
        split=track.split,
        length=track.length,
        corners=len(corners(track)),
        climb=climb(a.z),
        lap_seconds=float((track.step / a.line_speed).sum()),
        about=circuit_plan(track.name).about if track.source == "built-in" else "",
    )


@functools.lru_cache(maxsize=1)
def _plans() -> dict[str, Path]:
    files = {path.stem: path for path in sorted(_FOLDER.glob("*.json"))}
    if not files:
        raise UserError(f"no circuits found: expected *.json in {_FOLDER}; install from a complete source tree")
    return files


def _unknown(name: str) -> str:
    names = track_names()
    close = difflib.get_close_matches(name, names, 4, 0.5)
    if close:
        return f"unknown track {name!r}; did you mean {', '.join(close)}?"
    if name.startswith(_TORCS) and not any(n.startswith(_TORCS) for n in names):
        return f"unknown track {name!r}: no TORCS tracks found; install torcs-data or set PAINTOVER_TORCS"
    return f"unknown track {name!r}; `paintover tracks` lists the {len(names)} that there are"
