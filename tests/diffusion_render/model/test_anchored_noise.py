"""Anchored noise: stays with its place while the camera moves, fine at every distance."""

import math

import torch

from diffusion_render.model.anchored_noise import OCTAVES, Cameras, Crop, anchored_noise, world_positions

HEIGHT, WIDTH = 48, 80


def camera_over_plane(x: float) -> tuple[torch.Tensor, Cameras]:
    """A camera 2 m over z = 0 that looks along +x and a little down, and its depth map."""
    tilt = 0.2
    forward = torch.tensor([[math.cos(tilt), 0.0, -math.sin(tilt)]])
    up = torch.tensor([[math.sin(tilt), 0.0, math.cos(tilt)]])
    cameras = Cameras(torch.tensor([[x, 0.5, 2.0]]), forward, up, torch.tensor([1.0]))
    rays = world_positions(torch.ones(1, HEIGHT, WIDTH), cameras)
    return torch.where(rays[..., 2] < -1e-2, -2.0 / rays[..., 2], torch.tensor(2e4)), cameras


def test_positions_of_plane_pixels_lie_on_the_plane():
    depth, cameras = camera_over_plane(7.0)
    ground = depth < 1e3
    z = world_positions(depth, cameras)[..., 2] + 2.0
    assert z[ground].abs().max() < 1e-3


def test_a_crop_has_the_noise_of_the_whole_picture():
    depth, cameras = camera_over_plane(0.0)
    whole = anchored_noise(depth, cameras, 3)
    place = Crop(torch.tensor([16]), torch.tensor([8]), HEIGHT, WIDTH)
    crop = anchored_noise(depth[:, 16:40, 8:64], cameras, 3, place)
    inner = (slice(None), slice(None), slice(0, -1), slice(0, -1))  # footprints are one-sided differences
    assert torch.allclose(crop[inner], whole[:, :, 16:40, 8:64][inner], atol=1e-4)


def test_sky_has_no_noise_and_ground_has_every_octave():
    depth, cameras = camera_over_plane(0.0)
    noise = anchored_noise(depth, cameras, 3)
    assert noise.shape == (1, OCTAVES, HEIGHT, WIDTH)
    assert not noise[0, :, depth[0] > 1e4].any()
    assert (noise[0, :, depth[0] < 1e3].std(1) > 0.15).all()
    assert noise.abs().max() <= 1.0


def test_noise_stays_with_its_place_when_the_camera_moves():
    depth_a, cameras_a = camera_over_plane(0.0)
    depth_b, cameras_b = camera_over_plane(0.02)
    a, b = anchored_noise(depth_a, cameras_a, 3), anchored_noise(depth_b, cameras_b, 3)
    moved = anchored_noise(depth_b, cameras_b._replace(position=cameras_b.position + 100.0), 3)
    near = depth_a[0] < 20
    still = (a - b)[0, :, near].abs().mean(1)
    elsewhere = (a - moved)[0, :, near].abs().mean(1)
    assert (still < 0.5 * elsewhere).all()
