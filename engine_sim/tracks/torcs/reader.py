"""TORCS track files on this machine, and how one becomes a ``Track``."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine_sim.core.errors import UserError
from engine_sim.tracks.build import Centreline, CrossSection, TrackLabel, assemble_track
from engine_sim.tracks.ground import GroundPlan
from engine_sim.tracks.ribbon import smooth_closed
from engine_sim.tracks.scenery import place_scenery
from engine_sim.tracks.track import PitStraight, Track

from .centreline import Sampled, sample_layout
from .document import read_document
from .layout import Layout, Side, read_layout
from .section import verges

INSTALLED = Path("/usr/share/games/torcs/tracks")
LEFT_OUT = {"brondehach": "its readme says that the track it was made from came without any licence"}
"""Tracks of Debian's torcs-data that are never offered, and why."""
PREFIX = "torcs:"
_MAX_FILES = 2000


@dataclass(frozen=True)
class ReadOptions:
    """How a file becomes a track.

    Args:
        split: ``train`` or ``held-out``; by default nothing learns from tracks that nobody here wrote.
        smoothing: half-width in metres of the two moving averages over heights and banks: a kink in a file's
            profile is a step in vertical speed, which real earthworks (and wheels) round off.
    """

    split: str = "held-out"
    smoothing: int = 5


def find_torcs() -> dict[str, Path]:
    """Name → file of every TORCS track found, sorted by name.

    Looks in the folder that ``PAINTOVER_TORCS`` names, then where Debian installs torcs-data; the first
    folder that has a name wins. Files lie at ``[CATEGORY/]NAME/NAME.xml``. Tracks of LEFT_OUT are passed over.

    Raises:
        UserError: ``PAINTOVER_TORCS`` names no folder.
    """
    folders = [INSTALLED]
    own = os.environ.get("PAINTOVER_TORCS")
    if own:
        if not Path(own).is_dir():
            raise UserError(f"PAINTOVER_TORCS: expected a folder of TORCS tracks, got {own!r}; correct or unset it")
        folders.insert(0, Path(own))
    found: dict[str, Path] = {}
    for folder in folders:
        for path in _track_files(folder):
            if path.stem not in LEFT_OUT:
                found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def _track_files(folder: Path) -> list[Path]:
    files = [p for pattern in ("*/*.xml", "*/*/*.xml") for p in folder.glob(pattern) if p.stem == p.parent.name]
    return sorted(files)[:_MAX_FILES]


def read_torcs(path: Path, options: ReadOptions = ReadOptions()) -> Track:
    """The track of one TORCS file, with ground and scenery chosen by rule from its kind and its name.

    Args:
        path: the XML file; nothing else is opened.
        options: split and smoothing.

    Raises:
        UserError: one line that names the file, what was expected and what came.
    """
    layout = read_layout(read_document(path))
    sampled = sample_layout(layout, str(path))
    line, section = _line(sampled, options.smoothing), _section(layout, sampled)
    kind = layout.category if layout.category in ("road", "dirt", "oval") else "road"
    seed = int.from_bytes(hashlib.sha256(path.stem.encode()).digest()[:4], "little")
    setting = choose_setting(layout, kind, float(np.max(sampled.z) - np.min(sampled.z)), seed)
    pit = _pit(layout, sampled)
    label = TrackLabel(PREFIX + path.stem, kind, "torcs", options.split)
    track = assemble_track(label, line, section, pit, GroundPlan(setting=setting, seed=seed))
    return replace(track, scenery=place_scenery(track.arrays, track.ground, pit, kind, setting, seed))


SETTING_WORDS = (
    ("street", "city"),
    ("alp", "alpine"),
    ("mountain", "alpine"),
    ("american west", "desert"),
    ("desert", "desert"),
    ("country", "hills"),
    ("forest", "forest"),
    ("wood", "forest"),
    ("coast", "coast"),
)


def choose_setting(layout: Layout, kind: str, relief: float, seed: int) -> str:
    """Where a track lies: words of its name and description; else how hilly it is; else its seed.

    Args:
        layout: the track.
        kind: ``road``, ``dirt`` or ``oval``.
        relief: metres between its lowest and highest point.
        seed: of everything that nothing else decides.
    """
    about = f"{layout.name} {layout.description}".lower()
    for word, setting in SETTING_WORDS:
        if word in about:
            return setting
    if kind == "oval":
        return ("meadow", "park", "desert", "airfield", "hills", "coast")[seed % 6]
    if kind == "dirt":
        return ("moor", "quarry", "desert", "forest", "meadow")[seed % 5]
    if relief > 45.0:
        return ("alpine", "hills")[seed % 2]
    if relief > 18.0:
        return ("hills", "forest", "moor", "coast")[seed % 4]
    return ("meadow", "park", "coast", "city", "airfield", "forest")[seed % 6]


def _line(sampled: Sampled, half: int) -> Centreline:
    return Centreline(sampled.x, sampled.y, smooth_closed(sampled.z, half, 2), smooth_closed(sampled.bank, half, 2))


def _section(layout: Layout, sampled: Sampled) -> CrossSection:
    count = len(sampled.x)
    half = layout.width / 2.0
    left = _sides([s.left for s in layout.segments], sampled, half)
    right = _sides([s.right for s in layout.segments], sampled, half)
    road = np.array([s.surface for s in layout.segments], np.int64)[sampled.segment]
    return CrossSection(
        np.full(count, half), np.full(count, half), left[0], right[0], left[1], right[1],
        road, left[2], right[2], left[3], right[3],
    )  # fmt: skip


def _sides(
    sides: list[Side], sampled: Sampled, half: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """(kerb width, barrier distance, surface, barrier style) of one side, per sample."""
    kerb, verge = verges(sides, sampled.segment, sampled.part, sampled.step)
    surface = np.array([_surface(side) for side in sides], np.int64)[sampled.segment]
    style = np.array([s.border_barrier if s.walled else s.barrier for s in sides], np.int64)[sampled.segment]
    return kerb, half + verge, surface, style


def _surface(side: Side) -> int:
    """What lies between kerb and barrier: the wider of border and side."""
    strip = (side.start_width + side.end_width) / 2.0
    return side.border_surface if not side.kerb and side.border_width > strip else side.surface


def _pit(layout: Layout, sampled: Sampled) -> PitStraight | None:
    if layout.pit_side == 0:
        return None
    return PitStraight(sampled.starts[layout.pit_first], sampled.starts[layout.pit_last + 1], layout.pit_side)
