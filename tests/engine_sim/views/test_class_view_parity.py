"""Two painters, one picture: OpenGL and the CPU are each other's oracle."""

import os
import subprocess
import sys

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track, track_names
from engine_sim.views.camera import CameraRig
from engine_sim.views.class_view import make_painter, open_class_view
from engine_sim.views.culling import draw_list
from engine_sim.views.frame import FrameState
from engine_sim.views.scene import build_scene

from .view_fixtures import car_batch, look_along, pose_on_track, village, whole_list

MOST = 0.0002  # share of pixels in which the two may differ, over all frames


def test_both_painters_agree_on_a_village():
    scene = village()
    draws = whole_list(scene, (car_batch(scene, [(0.0, 0.0, 0.0), (15.0, 3.0, 0.2), (25.0, -3.0, -0.1)]),))
    cpu, gl = (make_painter(scene, 448, 256, backend) for backend in ("cpu", "gl"))
    different = []
    for k in range(16):
        camera = look_along((-10.0 + 4.0 * k, k - 6.0, 5.5), 0.4 * k, -0.1)
        a, b = cpu.surfaces(draws, camera), gl.surfaces(draws, camera)
        different.append((a.class_id != b.class_id).mean())
        same = (a.class_id == b.class_id) & (a.object_id == b.object_id) & np.isfinite(a.distance)
        # Corners are snapped to 1/256 pixel: along a plane seen at a grazing angle that is a step in depth.
        error = np.abs(a.distance[same] / b.distance[same] - 1.0)
        assert np.median(error) < 1e-4
        assert np.quantile(error, 0.999) < 5e-3
    gl.close()
    assert np.mean(different) <= MOST
    assert max(different) <= 5 * MOST


@pytest.mark.parametrize("name", track_names("built-in")[:2])
def test_both_painters_agree_on_a_circuit_and_every_pixel_is_a_class(name):
    track = load_track(name)
    scene = build_scene(track)
    cpu, gl = (open_class_view(scene, 448, 256, backend) for backend in ("cpu", "gl"))
    different = []
    for kind in ("chase", "cockpit", "trackside"):
        rig = CameraRig(kind, track)
        for k in range(3):
            cars = tuple(
                pose_on_track(track, track.length * (k + 0.4) / 3 + 13.0 * n, 2.0 * (-1) ** n) for n in range(4)
            )
            rig.reset(cars[0])
            frame = FrameState(0, rig.camera(), cars, kind == "cockpit")
            a, b = cpu.draw(frame), gl.draw(frame)
            assert a.max() <= 12
            assert b.max() <= 12
            assert (a == cpu.draw(frame)).all()
            different.append((a != b).mean())
    gl.close()
    assert np.mean(different) <= MOST


def test_a_frame_of_a_circuit_has_the_player_and_the_road_in_it():
    track = load_track(track_names("built-in")[0])
    scene = build_scene(track)
    rig = CameraRig("chase", track)
    cars = (pose_on_track(track, 30.0, 0.0), pose_on_track(track, 48.0, 2.0))
    rig.reset(cars[0])
    frame = FrameState(0, rig.camera(), cars)
    with open_class_view(scene, 448, 256, "cpu") as view:
        picture = view.draw(frame)
    assert draw_list(scene, frame).ranges.shape[1] == 2
    for class_id, share in ((11, 0.02), (0, 0.05), (10, 0.05)):
        assert (picture == class_id).mean() > share
    rows, cols = np.nonzero(picture == 11)
    assert 0.19 < (cols.max() - cols.min() + 1) / 448 < 0.28
    assert abs(cols.mean() / 448 - 0.5) < 0.06
    assert 0.55 < rows.mean() / 256 < 0.85


def test_kernels_and_plain_python_paint_the_same_bits():
    program = (
        "import hashlib\n"
        "from engine_sim.views.class_view import make_painter\n"
        "from tests.engine_sim.views.view_fixtures import *\n"
        "scene = village(cells=2, objects=8)\n"
        "draws = whole_list(scene, (car_batch(scene, [(6.0, 0.0, 0.4)]),))\n"
        "painter = make_painter(scene, 48, 32, 'cpu')\n"
        "surfaces = painter.surfaces(draws, look_along((0.0, 0.0, 2.5), 0.1, -0.1))\n"
        "print(hashlib.sha256(b''.join(plane.tobytes() for plane in surfaces)).hexdigest())\n"
    )
    hashes = set()
    for off in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": off}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        hashes.add(done.stdout.split()[-1])
    assert len(hashes) == 1
