"""Watching a race changes nothing: the world and the rig hash the same, drawn or not."""

import pytest

from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup, World
from engine_sim.tracks.catalogue import track_names
from engine_sim.views.camera import CameraRig, frame_state
from engine_sim.views.class_view import open_class_view
from engine_sim.views.planes import PLANES
from engine_sim.views.scene import build_scene

SETUP = RaceSetup(track_names("built-in")[0], seed=5, rivals=5, player="ai")
TICKS = 480


def _race(view=None) -> list[tuple[str, str]]:
    """Hashes of world and rig after every frame of a race's first seconds, with a view looking on or without."""
    world = World(SETUP)
    rig = CameraRig("chase", world.track)
    rig.reset(world.poses()[0])
    previous, hashes = None, []
    for tick in range(TICKS):
        world.step(Controls())
        rig.step(world.poses()[0])
        if tick % 60 == 0:
            if view is not None:
                frame = frame_state(world, rig)
                first = view.draw(frame)
                view.planes(frame, previous, PLANES)
                assert (view.draw(frame) == first).all()
                previous = frame
            hashes.append((world.hash(), rig.hash()))
    return hashes


@pytest.mark.parametrize("backend", ["cpu", "gl"])
def test_a_race_runs_the_same_whether_it_is_drawn_or_not(backend):
    unseen = _race()
    assert len(set(unseen)) == len(unseen)
    with open_class_view(build_scene(World(SETUP).track), 64, 32, backend) as view:
        assert _race(view) == unseen


def test_the_moment_of_a_frame_is_copied_out_of_the_world():
    world = World(SETUP)
    rig = CameraRig("chase", world.track)
    rig.reset(world.poses()[0])
    for _ in range(400):
        world.step(Controls())
        rig.step(world.poses()[0])
    frame = frame_state(world, rig)
    kept = (frame.tick, frame.camera, frame.cars)
    for _ in range(30):
        world.step(Controls())
        rig.step(world.poses()[0])
    assert (frame.tick, frame.camera, frame.cars) == kept
    assert frame_state(world, rig).cars != frame.cars
