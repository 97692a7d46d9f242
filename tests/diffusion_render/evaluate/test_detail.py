"""Detail on pictures whose answer is known."""

import torch
import torch.nn.functional as F

from diffusion_render.evaluate.detail import measure_detail, measure_grid

GRAIN = 0.1 * torch.randn(2, 3, 40, 56, generator=torch.Generator().manual_seed(0))
ONE = torch.full((2, 40, 56), 3, dtype=torch.uint8)


def test_the_same_picture_has_ratio_and_correlation_one():
    sums = measure_detail(GRAIN, GRAIN, ONE, 13)
    assert abs(sums.ratio() - 1) < 1e-6
    assert abs(sums.correlation() - 1) < 1e-6


def test_other_grain_of_equal_strength_has_ratio_one_and_no_correlation():
    other = 0.1 * torch.randn(2, 3, 40, 56, generator=torch.Generator().manual_seed(1))
    sums = measure_detail(other, GRAIN, ONE, 13)
    assert abs(sums.ratio() - 1) < 0.05
    assert abs(sums.correlation()) < 0.1


def test_clay_has_next_to_no_detail():
    clay = F.avg_pool2d(GRAIN, 9, 1, 4)
    assert measure_detail(clay, GRAIN, ONE, 13).ratio() < 0.15


def test_a_flat_offset_and_the_edges_of_classes_do_not_count():
    split = ONE.clone()
    split[:, :, 28:] = 5
    step = torch.zeros_like(GRAIN)
    step[..., 28:] = 1.0
    sums = measure_detail(GRAIN + step + 0.3, GRAIN, split, 13)
    assert abs(sums.ratio() - 1) < 0.02
    assert (sums.pixels[[3, 5]] > 0).all()
    assert sums.ratio_by_class()[0].isnan()


def test_sums_of_parts_are_the_sums_of_the_whole():
    whole = measure_detail(GRAIN, GRAIN, ONE, 13)
    parts = measure_detail(GRAIN[:1], GRAIN[:1], ONE[:1], 13) + measure_detail(GRAIN[1:], GRAIN[1:], ONE[1:], 13)
    assert all(torch.allclose(a, b) for a, b in zip(whole, parts, strict=True))


def test_the_grid_of_grain_is_one_and_that_of_painted_blocks_is_large():
    other = 0.1 * torch.randn(2, 3, 40, 56, generator=torch.Generator().manual_seed(1))
    assert abs(measure_grid(other, GRAIN) - 1) < 0.1
    painted = other + 0.5 * F.interpolate(
        torch.randn(2, 3, 10, 14, generator=torch.Generator().manual_seed(2)), scale_factor=4
    )
    assert measure_grid(painted, GRAIN) > 2
