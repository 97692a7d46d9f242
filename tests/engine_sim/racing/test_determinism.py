"""The same inputs give the same bits: in this process, in another, compiled or not, with or without vector units."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine_sim.racing.controls import Controls
from engine_sim.racing.world import World

from .driving import IDLE, green, hold
from .scenes import SCENES, crowd, run, slides, wild_controls

GOLDEN = {"crowd": "97672134293d4873", "slides": "702a98e37bd57faa", "alone": "af72c53a8aa7c9ca"}


def test_golden_hashes():
    """A wanted change of the physics, the drivers or the track reader: ``python -m tests.engine_sim.racing.scenes``."""
    assert {name: run(name).hash() for name in SCENES} == GOLDEN


@pytest.mark.parametrize("make", [crowd, slides])
def test_save_step_restore_step_on_every_tick_of_a_nasty_scene(make):
    """A field that the state forgot would differ after the restore; so would an event."""
    world = make()
    while world.tick < 700:
        world.step(wild_controls(world.tick))
    before = len(world.events)
    for _ in range(700):
        controls = wild_controls(world.tick)
        saved = world.save()
        world.step(controls)
        straight, events = world.hash(), list(world.events)
        world.restore(saved)
        assert world.save() == saved
        world.step(controls)
        assert world.hash() == straight
        assert world.events == events
    assert {e.kind for e in world.events[before:]} & {"contact", "barrier", "off_track", "reset"}


def test_an_impulse_at_tick_t_shows_first_in_the_state_after_it():
    """Two worlds, one tap of the throttle at step 5: equal up to and with state 5, different from state 6 on."""
    worlds = [green(rivals=2), green(rivals=2)]
    differs = []
    for step in range(12):
        differs.append(worlds[0].hash() != worlds[1].hash())
        worlds[0].step(IDLE)
        worlds[1].step(Controls(throttle=0.5 if step == 5 else 0.0))
    assert differs == [False] * 6 + [True] * 6


def test_seeds_differ_and_repeat():
    def after(seed: int) -> str:
        world = green(rivals=5, seed=seed, player="ai")
        hold(world, IDLE, 300)
        return world.hash()

    assert after(1) == after(1) != after(2)


def test_one_drivers_luck_does_not_move_another():
    """Two mornings with other player skill: until they meet, rivals draw the same moods."""
    worlds = [green(rivals=5, player="ai", player_skill=skill) for skill in (0.3, 1.0)]
    for world in worlds:
        hold(world, IDLE, 60)
    assert (worlds[0].state.streams[1:] == worlds[1].state.streams[1:]).all()


@pytest.fixture(scope="module")
def parcel(tmp_path_factory):
    """(file for ``replayer``, the world that it continues) at a moment when cars knock."""
    world = crowd()
    while world.tick < 900:
        world.step(wild_controls(world.tick))
    path = tmp_path_factory.mktemp("replay") / "crowd.pickle"
    path.write_bytes(pickle.dumps((world.setup, world.track, world.save())))
    return path, world


def replay_elsewhere(path: Path, ticks: int, **env: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.engine_sim.racing.replayer", str(path), str(ticks)],
        env={**os.environ, **env}, cwd=Path(__file__).resolve().parents[3], capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split()


def hashes_here(world: World, ticks: int) -> list[str]:
    saved = world.save()
    out = []
    for _ in range(ticks):
        world.step(wild_controls(world.tick))
        out.append(world.hash())
    world.restore(saved)
    return out


def vector_features() -> str:
    """The dispatched CPU features of numpy that this machine has."""
    umath = np._core._multiarray_umath
    return " ".join(name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name))


@pytest.mark.parametrize(
    "env",
    [{"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "1", "NUMBA_NUM_THREADS": "1", "NPY_DISABLE_CPU_FEATURES": ""}],
    ids=["hash-seed-0", "hash-seed-1-one-thread-no-vector-units"],
)
def test_another_process_goes_on_with_the_same_bits(parcel, env):
    path, world = parcel
    if "NPY_DISABLE_CPU_FEATURES" in env:
        env = {**env, "NPY_DISABLE_CPU_FEATURES": vector_features()}
    assert replay_elsewhere(path, 300, **env) == hashes_here(world, 300)


def test_compiled_kernels_equal_their_plain_twins(parcel):
    """The whole tick as plain Python: every hash of 25 crowded ticks is the same."""
    path, world = parcel
    assert replay_elsewhere(path, 25, NUMBA_DISABLE_JIT="1") == hashes_here(world, 25)
