"""Anchored noise: stays with its place while the camera moves, fine at every distance."""

import numpy as np
import pytest
import torch
from torch.nn.functional import pixel_shuffle

from kernels.anchored_noise.plain import OCTAVES, SIDE, Crop, anchored_noise, noise_volume, view_rays

from .scenes import HEIGHT, WIDTH, camera_over_plane

VOLUME = torch.from_numpy(noise_volume())


def noise_of(depth, cameras, crop=None):
    """Full-size planes ``[M, OCTAVES, h, w]``."""
    return pixel_shuffle(anchored_noise(depth, cameras, VOLUME, crop), 4)


def test_positions_of_plane_pixels_lie_on_the_plane():
    depth, cameras = camera_over_plane(7.0)
    z = depth * view_rays(cameras, HEIGHT, WIDTH)[..., 2] + 2.0
    assert z[depth < 1e3].abs().max() < 1e-3


def test_a_crop_has_the_noise_of_the_whole_picture():
    depth, cameras = camera_over_plane(0.0)
    place = Crop(torch.tensor([16]), torch.tensor([8]), HEIGHT, WIDTH)
    crop = noise_of(depth[:, 16:40, 8:64], cameras, place)
    assert torch.equal(crop, noise_of(depth, cameras)[:, :, 16:40, 8:64])


def test_sky_has_no_noise_and_ground_has_every_octave():
    depth, cameras = camera_over_plane(0.0)
    noise = noise_of(depth, cameras)
    assert noise.shape == (1, OCTAVES, HEIGHT, WIDTH)
    assert not noise[0, :, depth[0] > 1e4].any()
    assert (noise[0, :, depth[0] < 1e3].std(1) > 0.15).all()
    assert noise.abs().max() <= 1.0


def test_noise_stays_with_its_place_when_the_camera_moves():
    depth_a, cameras_a = camera_over_plane(0.0)
    depth_b, cameras_b = camera_over_plane(0.02)
    a, b = noise_of(depth_a, cameras_a), noise_of(depth_b, cameras_b)
    moved = noise_of(depth_b, cameras_b._replace(position=cameras_b.position + 100.0))
    near = depth_a[0] < 20
    still = (a - b)[0, :, near].abs().mean(1)
    elsewhere = (a - moved)[0, :, near].abs().mean(1)
    assert (still < 0.5 * elsewhere).all()


def test_the_field_is_smooth_and_repeats_without_a_seam():
    field = noise_volume().astype(np.int16)
    assert field.shape == (SIDE, SIDE, SIDE)
    for axis in range(3):
        inside = np.abs(np.diff(field, axis=axis)).max()
        assert np.abs(np.take(field, 0, axis) - np.take(field, -1, axis)).max() <= inside < 127


def test_a_depth_that_does_not_divide_is_refused():
    depth, cameras = camera_over_plane(0.0)
    with pytest.raises(ValueError, match="46 × 80"):
        anchored_noise(depth[:, :46], cameras, VOLUME)
