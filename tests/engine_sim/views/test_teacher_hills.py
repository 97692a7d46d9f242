"""Hills keep the sun from what lies behind them."""

import dataclasses

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.views.look import sample_look
from engine_sim.views.posed import posed_frame
from engine_sim.views.scene import build_scene
from engine_sim.views.teacher_hills import FAR, NEAR, HillShade, sun_reach
from engine_sim.views.teacher_view import open_teacher_view

CELL = 8.0
EAST = np.array([np.cos(0.2), 0.0, np.sin(0.2)])  # low, in the direction of the columns


def test_level_ground_stands_in_the_sun():
    inside = sun_reach(np.full((40, 90), 7.0), CELL, EAST)[:, :30]
    assert inside == pytest.approx(7.0 - NEAR * np.tan(0.2), abs=0.01)


def test_a_ridge_shades_what_lies_behind_it_up_to_its_height_over_the_rays():
    z = np.zeros((20, 90))
    z[:, 60:64] = 50.0
    reach = sun_reach(z, CELL, EAST)[10]
    away = CELL * (60 - np.arange(90))
    behind = (away > NEAR + CELL) & (away < FAR - CELL)
    assert behind.sum() > 20
    assert reach[behind] == pytest.approx(50.0 - away[behind] * np.tan(0.2), abs=0.5 * CELL)
    assert reach[away < -4.0 * CELL].max() < 0.0
    assert reach[away > FAR + 2.0 * CELL].max() < 0.0


def test_rays_come_from_where_the_sun_stands():
    z = np.zeros((90, 90))
    z[45, 45] = 50.0
    for angle in (0.0, 0.7, 2.0, 4.4):
        reach = sun_reach(z, CELL, np.array([np.cos(0.2) * np.cos(angle), np.cos(0.2) * np.sin(angle), np.sin(0.2)]))
        rows, cols = np.nonzero(reach > 5.0)
        toward = np.array([np.cos(angle), np.sin(angle)])
        middle = np.array([45 - cols.mean(), 45 - rows.mean()])
        assert middle @ toward / np.linalg.norm(middle) > 0.98


def test_a_hill_between_the_sun_and_the_road_darkens_the_picture():
    track = load_track("acorn-loop")
    scene, frame = build_scene(track), posed_frame(track, 300.0)
    look = sample_look(1, "golden hour")
    x, y, _ = frame.camera.position
    ground = scene.ground
    rows, cols = np.mgrid[: ground.z.shape[0], : ground.z.shape[1]]
    along = np.array([np.cos(look.weather.sun_azimuth), np.sin(look.weather.sun_azimuth)])
    ahead = (ground.x0 + ground.cell * cols - x) * along[0] + (ground.y0 + ground.cell * rows - y) * along[1]
    hill = dataclasses.replace(ground, z=np.where((ahead > 150.0) & (ahead < 200.0), 90.0, 0.0))
    view = open_teacher_view(scene, 96, 64, look)
    pictures = []
    for field in (ground, hill, None):
        with view._gl as ctx:
            view._hills = HillShade(ctx, field)
        view.set_look(look)
        pictures.append(view.draw(frame).astype(int).mean(-1))
    view.close()
    as_it_is, shaded, flat = pictures
    assert (as_it_is - shaded > 15).mean() > 0.08
    assert (shaded - as_it_is > 15).mean() < 0.01
    assert np.abs(flat - as_it_is).mean() < 1.0
