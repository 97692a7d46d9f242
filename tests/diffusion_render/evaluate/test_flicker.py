"""Flicker on pictures that move as the motion plane says."""

import math

import pytest
import torch

from diffusion_render.evaluate.flicker import at_border, measure_steps, move

HEIGHT, WIDTH, FRAMES = 48, 64, 9
MAPS = torch.zeros(FRAMES, HEIGHT, WIDTH, dtype=torch.uint8)
MOTION = torch.zeros(FRAMES, HEIGHT, WIDTH, 2)
MOTION[..., 0] = -2.0  # every point was two pixels to the left


def sliding(seed: int = 0) -> torch.Tensor:
    """A wide noise picture, seen through a window that goes two pixels a frame to the left."""
    wide = torch.randint(0, 256, (3, HEIGHT, WIDTH + 2 * FRAMES), generator=torch.Generator().manual_seed(seed))
    frames = [wide[:, :, 2 * (FRAMES - k) : 2 * (FRAMES - k) + WIDTH] for k in range(FRAMES)]
    return torch.stack(frames).to(torch.uint8)


def test_moving_reads_where_the_motion_points():
    pictures = sliding().float()
    assert torch.allclose(move(pictures[:1], MOTION[1:2])[..., 2:], pictures[1:2, ..., 2:], atol=0.01)


def test_what_the_motion_explains_is_no_flicker():
    steps = measure_steps(sliding(), sliding(), MAPS, MOTION)
    assert float(steps.output.max()) < 0.05
    plain = measure_steps(sliding(), sliding(), MAPS, None)
    assert float(plain.output.min()) > 50


def test_points_out_of_the_picture_or_behind_something_do_not_count():
    pictures, motion, maps = sliding(), MOTION.clone(), MAPS.clone()
    motion[:, :8] = 32768.0
    maps[:, 20:30] = torch.arange(FRAMES, dtype=torch.uint8)[:, None, None]  # another class in every frame
    pictures[::2, :, :8] = 255
    pictures[::2, :, 20:30] = 0
    assert float(measure_steps(pictures, pictures, maps, motion).output.max()) < 0.05


def test_a_jump_of_brightness_at_unit_borders_shows_there_alone():
    teacher = (sliding().float() * 0.5 + 64).to(torch.uint8)
    unit = torch.arange(FRAMES) // 4
    popping = teacher + (20 * (unit % 2)).to(torch.uint8)[:, None, None, None]
    border = at_border(FRAMES - 1, 0, 4)
    assert border.tolist() == [False, False, False, True, False, False, False, True]
    steps = measure_steps(popping, teacher, MAPS, MOTION)
    assert steps.output[border].tolist() == pytest.approx([20.0, 20.0], abs=0.1)
    assert steps.ratio(~border) == pytest.approx(1.0, abs=0.05)
    assert steps.ratio(border) > 10


def test_borders_are_counted_from_the_start_of_the_stream():
    assert at_border(4, 27, 4).tolist() == [True, False, False, False]


def test_a_ratio_of_no_steps_is_no_number_and_of_still_pictures_one():
    still = torch.zeros(3, 3, HEIGHT, WIDTH, dtype=torch.uint8)
    steps = measure_steps(still, still, MAPS[:3], MOTION[:3])
    assert math.isnan(steps.ratio(torch.zeros(2, dtype=torch.bool)))
    assert steps.ratio(torch.ones(2, dtype=torch.bool)) == pytest.approx(1.0)
