"""The fused pass against its plain twin."""

import pytest
import torch

from kernels.anchored_noise.fast_cpu import anchored_noise_cpu
from kernels.anchored_noise.plain import Cameras, anchored_noise, noise_volume

from .scenes import camera_over_plane

VOLUME = torch.from_numpy(noise_volume())


@pytest.mark.parametrize("x", [0.0, -1234.5, 4321.25])
def test_both_twins_make_the_same_noise(x):
    depth, cameras = camera_over_plane(x)
    plain, fast = anchored_noise(depth, cameras, VOLUME), anchored_noise_cpu(depth, cameras)
    assert plain.shape == fast.shape
    # A position may round to the neighbouring sample where a multiply-add was fused.
    assert ((plain - fast).abs() > 1e-5).float().mean() < 1e-3
    assert plain.std() > 0.1


def test_frames_of_a_batch_do_not_touch_each_other():
    one, two = camera_over_plane(0.0), camera_over_plane(5.0)
    both = anchored_noise_cpu(torch.cat([one[0], two[0]]), Cameras(*(torch.cat(pair) for pair in zip(one[1], two[1]))))
    assert torch.equal(both[:1], anchored_noise_cpu(*one))
    assert torch.equal(both[1:], anchored_noise_cpu(*two))


def test_half_precision_depth_is_taken_as_the_guide_plane_sends_it():
    depth, cameras = camera_over_plane(0.0)
    assert torch.equal(anchored_noise_cpu(depth.half(), cameras), anchored_noise_cpu(depth.half().float(), cameras))


def test_a_depth_that_does_not_divide_is_refused():
    depth, cameras = camera_over_plane(0.0)
    with pytest.raises(ValueError, match="48 × 78"):
        anchored_noise_cpu(depth[:, :, :78], cameras)
