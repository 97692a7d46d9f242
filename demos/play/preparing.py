"""Is there anything to prepare before a race? The rules are compiled once on a machine, and anew when they change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from demos.ends import complain
from engine_sim.core.jit import cache_root, is_off, source_key
from engine_sim.racing import tick
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from engine_sim.tracks.track import Track

COMPILING = "compiling the rules: once on this machine, and it takes minutes"


def rules_compiled() -> bool:
    """True if the rules as they stand were compiled here before, or are not to be compiled at all."""
    if is_off():
        return True
    outermost: Any = tick.tick  # which is written last
    kept = outermost.stats.cache_path  # none where kernels cannot be kept; its last part stands for this very checkout
    folder = cache_root() / source_key(Path(tick.__file__))
    return kept is not None and any((folder / Path(kept).name).glob("tick.tick-*.nbi"))


def preparation(otherwise: str) -> str:
    """A line for people who wait for a race: that rules are compiled, or ``otherwise`` if nothing takes long."""
    return otherwise if rules_compiled() else COMPILING


def say_if_compiling() -> None:
    """One line on stderr if rules have to be compiled before anything moves."""
    if not rules_compiled():
        complain(COMPILING)


def compiled_drive(setup: RaceSetup, camera: str, track: Track | None = None) -> Drive:
    """A drive at its start, its rules compiled: a spare one takes the compiler's time, which is no figure of ours."""
    Drive(setup, camera, track).step()
    return Drive(setup, camera, track)
