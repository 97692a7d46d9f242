"""The matrices that travel with a frame give back the camera that drew it."""

import math

import numpy as np
import pytest
import torch

from demos.renderer.cameras import camera_tensor, camera_tensors
from engine_sim.views.frame import Camera, projection_matrix, view_matrix

SIZE = 448, 256


def looking(yaw: float, pitch: float, **values) -> Camera:
    forward = (math.cos(pitch) * math.sin(yaw), math.cos(pitch) * math.cos(yaw), math.sin(pitch))
    up = (-math.sin(pitch) * math.sin(yaw), -math.sin(pitch) * math.cos(yaw), math.cos(pitch))
    return Camera((1200.5, -340.25, 17.0), forward, up, values.pop("fov_y", 0.9), **values)


def row_of(camera: Camera, size=SIZE):
    return camera_tensor(view_matrix(camera).ravel(), projection_matrix(camera, *size).ravel(), *size)


@pytest.mark.parametrize(
    "camera",
    [looking(0.0, 0.0), looking(2.5, -0.3), looking(-1.0, 1.2, fov_y=0.4, near=0.5), looking(4.0, 0.1, far=9000.0)],
)
def test_the_row_is_the_camera(camera):
    row = row_of(camera)
    expected = (*camera.position, *camera.forward, *camera.up, camera.fov_y, camera.near, camera.far)
    assert np.allclose(row, expected, rtol=1e-6, atol=1e-6)


def test_the_size_of_the_picture_is_part_of_the_projection():
    camera = looking(0.3, 0.0)
    assert row_of(camera, (640, 352)) is not None
    stretched = projection_matrix(camera, 640, 352).ravel()
    assert camera_tensor(view_matrix(camera).ravel(), stretched, *SIZE) is None


def changed(matrix, place, value):
    matrix = matrix.copy()
    matrix[place] = value
    return matrix


@pytest.mark.parametrize(
    ("place", "value"),
    [((0, 2), 0.3), ((3, 2), 0.0), ((2, 2), 0.5), ((2, 3), 0.0), ((1, 1), -1.0), ((0, 0), np.nan)],
    ids=["shifted axis", "parallel rays", "no near plane", "no depth", "upside down", "not a number"],
)
def test_other_projections_give_no_camera(place, value):
    camera = looking(0.3, 0.0)
    projection = changed(projection_matrix(camera, *SIZE), place, value)
    assert camera_tensor(view_matrix(camera).ravel(), projection.ravel(), *SIZE) is None


def test_mirrored_or_scaled_views_give_no_camera():
    camera = looking(0.3, 0.0)
    projection = projection_matrix(camera, *SIZE).ravel()
    for scale in ((-1, 1, 1, 1), (2, 2, 2, 1)):
        assert camera_tensor((np.diag(scale) @ view_matrix(camera)).ravel(), projection, *SIZE) is None


@pytest.mark.parametrize("value", [0.0, 1e308, -1e308, 1e-308])
def test_numbers_that_no_camera_has_give_no_camera(value):
    """The bridge lets every finite number through."""
    full, camera = (value,) * 16, looking(0.3, 0.0)
    view, projection = view_matrix(camera).ravel(), projection_matrix(camera, *SIZE).ravel()
    for matrices in ((full, full), (view, full), (full, projection)):
        assert camera_tensor(*matrices, *SIZE) is None
    for far in (1e8, -1e308):
        assert camera_tensor(changed(view_matrix(camera), (1, 3), far).ravel(), projection, *SIZE) is None
    for place in ((0, 0), (1, 1), (2, 3)):
        narrow = changed(projection_matrix(camera, *SIZE), place, 1e308)
        assert camera_tensor(view, narrow.ravel(), *SIZE) is None


def test_frames_without_matrices_have_no_camera():
    camera = looking(0.3, 0.0)
    assert camera_tensor(None, projection_matrix(camera, *SIZE).ravel(), *SIZE) is None
    assert camera_tensor(view_matrix(camera).ravel(), None, *SIZE) is None


def test_the_frames_of_a_chunk_are_read_at_once_as_one_by_one():
    """Whatever stands beside them: no matrices, no camera, numbers that overflow."""
    cameras = [looking(0.3 * k, 0.1 * k) for k in range(6)]
    views = [view_matrix(camera).ravel() for camera in cameras]
    projections = [projection_matrix(camera, *SIZE).ravel() for camera in cameras]
    views[1], projections[2], views[4] = None, np.full(16, 1e308), np.full(16, np.nan)
    found = camera_tensors(views, projections, *SIZE)
    assert [k for k, row in enumerate(found) if row is None] == [1, 2, 4]
    for k in (0, 3, 5):
        assert torch.equal(found[k], camera_tensor(views[k], projections[k], *SIZE))
    assert camera_tensors([], [], *SIZE) == []
