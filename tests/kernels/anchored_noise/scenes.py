"""A camera over a plane: the scene that both twins are tried on."""

import math

import torch

from kernels.anchored_noise.plain import Cameras, view_rays

HEIGHT, WIDTH = 48, 80


def camera_over_plane(x: float) -> tuple[torch.Tensor, Cameras]:
    """A camera 2 m over z = 0 that looks along +x and a little down, and its depth map."""
    tilt = 0.2
    forward = torch.tensor([[math.cos(tilt), 0.0, -math.sin(tilt)]])
    up = torch.tensor([[math.sin(tilt), 0.0, math.cos(tilt)]])
    cameras = Cameras(torch.tensor([[x, 0.5, 2.0]]), forward, up, torch.tensor([1.0]))
    rays = view_rays(cameras, HEIGHT, WIDTH)
    return torch.where(rays[..., 2] < -1e-2, -2.0 / rays[..., 2], torch.tensor(2e4)), cameras
