"""A circuit of ours and its scene, for the tests of the views that need a real one."""

import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.views.scene import build_scene


@pytest.fixture(scope="session")
def track():
    return load_track("acorn-loop")


@pytest.fixture(scope="session")
def scene(track):
    return build_scene(track)
