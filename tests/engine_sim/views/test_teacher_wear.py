"""What a race does to what one sees: dirt on cars, start lights over the grid."""

import dataclasses

import numpy as np
import pytest

from engine_sim.racing.rules import COUNTDOWN_TICKS
from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.track import GANTRY
from engine_sim.views.class_view import open_class_view
from engine_sim.views.frame import FrameState
from engine_sim.views.look import sample_look
from engine_sim.views.posed import posed_frame
from engine_sim.views.scene import build_scene
from engine_sim.views.teacher_scene import earth_share
from engine_sim.views.teacher_view import open_teacher_view
from render_bridge.palette import PLAYER_CAR, RIVAL_CAR

from .view_fixtures import frame_at, look_along

TRACK = "acorn-loop"
SIZE = (96, 64)


@pytest.fixture(scope="module")
def scene():
    return build_scene(load_track(TRACK))


@pytest.fixture(scope="module")
def view(scene):
    opened = open_teacher_view(scene, *SIZE, sample_look(4, "overcast"))
    yield opened
    opened.close()


def before_the_lights() -> FrameState:
    """Four metres from the panel, which hangs under the beam of the gantry and faces the grid."""
    (gantry,) = [thing for thing in load_track(TRACK).scenery if thing["kind"] == GANTRY]
    x, y, z, yaw = (float(gantry[name]) for name in ("x", "y", "z", "yaw"))
    # Fronts face −y of the object: the grid lies to the left of its x axis turned by −90°.
    ahead = yaw + np.pi / 2
    away = 4.0 + 0.5 * float(gantry["size_y"])
    eye = (x - away * float(np.cos(ahead)), y - away * float(np.sin(ahead)), z + 0.795 * float(gantry["size_z"]))
    return frame_at(look_along(eye, ahead))


def red_glow(picture: np.ndarray) -> np.ndarray:
    """Columns of the picture that shine red."""
    seen = picture.astype(np.int16)
    return ((seen[..., 0] > 200) & (seen[..., 0] - seen[..., 2] > 60)).any(0)


def test_start_lights_come_on_one_by_one_and_go_out_at_the_start(view):
    frame = before_the_lights()
    lit = []
    for tick in (0, 70, 130, 190, 250, 310, COUNTDOWN_TICKS + 12):
        columns = red_glow(view.draw(dataclasses.replace(frame, tick=tick))).astype(int)
        lit.append(int((np.diff(columns, prepend=0) == 1).sum()))
    assert lit == [0, 1, 2, 3, 4, 5, 0]


def test_the_road_tells_how_dirty_cars_get(scene):
    assert earth_share(scene) == 0.0
    assert earth_share(build_scene(load_track("barn-loop"))) > 0.9


def test_earth_from_the_road_covers_cars_and_nothing_else(scene, view):
    frame = posed_frame(load_track(TRACK), 300.0)
    with open_class_view(scene, *SIZE) as classes:
        seen = classes.draw(frame)
    clean = view.draw(frame).astype(np.int16)
    view._numbers._earth = 1.0
    try:
        dirty = view.draw(frame).astype(np.int16)
    finally:
        view._numbers._earth = 0.0
    changed = np.abs(dirty - clean).mean(-1)
    cars = (seen == PLAYER_CAR) | (seen == RIVAL_CAR)
    assert changed[seen == PLAYER_CAR].mean() > 6.0
    assert changed[~cars].mean() < 0.5
    low, high = np.flatnonzero((seen == PLAYER_CAR).any(1))[[-1, 0]]
    middle = (low + high) // 2
    below, above = changed[middle : low + 1], changed[high:middle]
    assert below[seen[middle : low + 1] == PLAYER_CAR].mean() > above[seen[high:middle] == PLAYER_CAR].mean()
