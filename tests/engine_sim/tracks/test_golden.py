"""The same circuits on every machine: golden hashes, and plain Python gives the bits of the compiled kernels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine_sim.core.state import check_state, state_hash
from engine_sim.tracks.build import build_arrays
from engine_sim.tracks.catalogue import circuit_plan, load_track
from engine_sim.tracks.generator import make_circuit
from engine_sim.tracks.ground import GroundPlan, build_ground

GOLDEN = {
    "acorn-loop": ("88335450d80da792", "cd3f7a320a78e48b"),
    "granite-mile": ("de319a4ae25ac56f", "81db0beea7cca773"),
    "larch-pass": ("8db9d8d6a7be87d7", "70e08bc0475e1fa3"),
    "ribbon-eight": ("be081cd7fa945e22", "756bdad6c01a50f6"),
    "switchyard": ("3ed9cf5a90de2d64", "9983ff90760fbfd5"),
}
"""State hashes of (arrays, ground heights)."""

_PLAIN = """
from engine_sim.core.state import state_hash
from engine_sim.tracks.build import build_arrays
from engine_sim.tracks.catalogue import circuit_plan
from engine_sim.tracks.generator import make_circuit
from engine_sim.tracks.ground import GroundPlan, build_ground
circuit = make_circuit(circuit_plan("acorn-loop"))
arrays = build_arrays(circuit.line, circuit.section)
print(state_hash(arrays), state_hash((build_ground(arrays, GroundPlan("coast", 5, reach=250.0, cell=30.0)).z,)))
"""


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_circuit_has_its_golden_hashes(name: str) -> None:
    track = load_track(name)
    check_state(track.arrays)
    assert (state_hash(track.arrays), state_hash((track.ground.z,))) == GOLDEN[name]


def test_plain_python_builds_the_same_bits() -> None:
    circuit = make_circuit(circuit_plan("acorn-loop"))
    arrays = build_arrays(circuit.line, circuit.section)
    ground = build_ground(arrays, GroundPlan("coast", 5, reach=250.0, cell=30.0))
    root = Path(__file__).resolve().parents[3]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PLAIN], env=env, cwd=root, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.split() == [state_hash(arrays), state_hash((ground.z,))]
