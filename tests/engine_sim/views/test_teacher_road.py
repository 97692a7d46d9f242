"""The road as the teacher paints it: rubber lies where cars drive, and wet asphalt does not sparkle."""

import dataclasses
import math

import cv2
import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.views.class_view import open_class_view
from engine_sim.views.frame import Camera, FrameState
from engine_sim.views.look import named_look, sample_look
from engine_sim.views.materials import LINE_REACH, Material
from engine_sim.views.posed import posed_car, posed_frame
from engine_sim.views.scene import build_scene
from engine_sim.views.teacher_view import open_teacher_view
from render_bridge.palette import ROAD

TRACKS = ("acorn-loop", "grand-boulevard")


@pytest.mark.parametrize("name", TRACKS)
def test_asphalt_tells_how_far_the_racing_line_is(name):
    track = load_track(name)
    vertices = build_scene(track).static.mesh.vertices
    surface, uv = vertices["surface"].astype(int), vertices["uv"].astype(float)
    asphalt = surface[:, 1] == Material.ASPHALT
    road = asphalt & (surface[:, 2] > 0)
    line = track.arrays.line_d[np.round(uv[road, 0] / track.step).astype(int) % track.samples]
    told = (surface[road, 2] - 128) * LINE_REACH / 127.0
    assert road.sum() > 1000
    assert np.abs(told - np.clip(uv[road, 1] - line, -LINE_REACH, LINE_REACH)).max() < 0.51 * LINE_REACH / 127.0 + 1e-3
    beside = asphalt & ~road
    width = np.maximum(track.arrays.width_left, track.arrays.width_right).min()
    assert beside.sum() == 0 or np.abs(uv[beside, 1]).min() >= width - 0.01


def from_above(track, place: float) -> FrameState:
    """The road from 30 m above, its direction upwards in the picture."""
    car = posed_car(track, place, 0.0)
    ahead = (math.cos(car.yaw), math.sin(car.yaw), 0.0)
    return FrameState(600, Camera((car.x, car.y, car.z + 30.0), (0.0, 0.0, -1.0), ahead, 0.5), ())


@pytest.mark.parametrize("place", [120.0, 260.0, 700.0])
def test_rubber_lies_on_the_racing_line(place):
    track = load_track("acorn-loop")
    scene, frame = build_scene(track), from_above(track, place)
    look = sample_look(1, "overcast")
    pictures = []
    view = open_teacher_view(scene, 128, 64, look)
    for rubber in (0.0, 1.0):
        view.set_look(dataclasses.replace(look, surfaces=dataclasses.replace(look.surfaces, rubber=rubber)))
        pictures.append(view.draw(frame).astype(float).mean(-1))
    view.close()
    with open_class_view(scene, 128, 64) as classes:
        road = classes.draw(frame)[30:34] == ROAD
    darker = np.where(road, (pictures[0] - pictures[1])[30:34], 0.0).mean(0)
    metres = 2.0 * 30.0 * math.tan(0.25) / 64
    left = (63.5 - np.arange(128)) * metres
    line = track.arrays.line_d[round(place / track.step)]
    assert darker.max() > 8.0
    assert np.average(left, weights=np.maximum(darker, 0.0) ** 2) == pytest.approx(line, abs=0.8)


def test_wet_asphalt_at_blue_hour_is_free_of_dark_dots():
    track = load_track("acorn-loop")
    scene, frame = build_scene(track), posed_frame(track, 600.0)
    view = open_teacher_view(scene, 448, 256, named_look("blue-hour"))
    grey = view.draw(frame).mean(-1).astype(np.float32)
    view.close()
    with open_class_view(scene, 448, 256) as classes:
        road = cv2.erode((classes.draw(frame) == ROAD).astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
    around = cv2.medianBlur(grey, 5)
    assert road.sum() > 10000
    assert (grey[road] < 0.75 * around[road] - 2.0).mean() < 0.001
