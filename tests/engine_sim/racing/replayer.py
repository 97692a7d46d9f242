"""Run in another process: restores a saved crowd and prints the hash of every tick after it.

``python -m tests.engine_sim.racing.replayer FILE TICKS``, where FILE holds a pickled (setup, track, saved bytes). With
NUMBA_DISABLE_JIT=1 the kernels are the plain Python functions.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from engine_sim.racing.world import World

from .scenes import wild_controls


def replay(path: str, ticks: int) -> list[str]:
    """Hash after each tick."""
    setup, track, saved = pickle.loads(Path(path).read_bytes())
    world = World(setup, track)
    world.restore(saved)
    hashes = []
    for _ in range(ticks):
        world.step(wild_controls(world.tick))
        hashes.append(world.hash())
    return hashes


if __name__ == "__main__":
    print("\n".join(replay(sys.argv[1], int(sys.argv[2]))))
