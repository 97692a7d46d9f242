"""The one-pass twin against the plain one: equal to 1e-5, and every row for itself."""

import pytest
import torch

from kernels.norm_silu.fast_cpu import TILE, norm_silu_cpu
from kernels.norm_silu.plain import norm_silu


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (5, 13, 48), (2, 3, 5, 192), (1000, 39), (2, TILE + 1), (0, 8)])
@pytest.mark.parametrize("sums", [False, True])
def test_both_twins_agree(shape, sums):
    x, gain = random(*shape), random(shape[-1], seed=1)
    added = random(*shape, seed=2) if sums else None
    fast = norm_silu_cpu(x, gain, added)
    assert fast.shape == x.shape
    assert torch.allclose(fast, norm_silu(x, gain, added), atol=1e-5)


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e3, 1e15])
def test_both_twins_agree_from_tiny_numbers_to_huge_ones(scale):
    x, gain = scale * random(64, 48), 40.0 * random(48, seed=1)
    assert torch.allclose(norm_silu_cpu(x, gain), norm_silu(x, gain), rtol=1e-5, atol=1e-5)


def test_rows_of_zeros_stay_zero_and_rows_with_nan_or_infinity_are_nan():
    x = random(4, 48)
    x[0] = 0.0
    x[1, 7] = torch.nan
    x[2, 9] = torch.inf
    y = norm_silu_cpu(x, torch.ones(48))
    assert not y[0].any()
    assert y[1].isnan().all()
    assert y[2, 9].isnan()
    assert y[3].isfinite().all()


def test_a_row_does_not_depend_on_its_place_or_its_neighbours():
    x, gain = random(300, 40), random(40, seed=1)
    whole = norm_silu_cpu(x, gain)
    for start, end in ((0, 1), (1, 300), (77, 155), (299, 300)):
        assert torch.equal(norm_silu_cpu(x[start:end], gain), whole[start:end])
    assert torch.equal(norm_silu_cpu(x.flip(0), gain).flip(0), whole)


def test_the_number_of_threads_changes_no_bit():
    x, gain, added = random(2000, 48), random(48, seed=1), random(2000, 48, seed=2)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = norm_silu_cpu(x, gain, added)
        torch.set_num_threads(2)
        two = norm_silu_cpu(x, gain, added)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(one, two)


@pytest.mark.parametrize("over", ["x", "added"])
def test_the_result_may_take_the_memory_of_what_is_read(over):
    x, gain, added = random(90, 48), random(48, seed=1), random(90, 48, seed=2)
    wanted = norm_silu_cpu(x, gain, added)
    place = x if over == "x" else added
    assert norm_silu_cpu(x, gain, added, out=place) is place
    assert torch.equal(place, wanted)


def test_inputs_are_read_where_they_lie_and_left_alone():
    wide, gain = random(6, 5, 96), random(96, seed=1)
    x, part = wide[::2, :, 8:56], gain[::2]
    before = wide.clone()
    assert torch.allclose(norm_silu_cpu(x, part), norm_silu(x, part), atol=1e-5)
    assert torch.equal(wide, before)


def test_shapes_that_do_not_fit_are_refused():
    x, gain = random(4, 8), random(8)
    with pytest.raises(ValueError, match=r"needs a gain \[C\], .* got \(4, 8\), \(7,\)"):
        norm_silu_cpu(x, gain[:7])
    with pytest.raises(ValueError, match=r"\(3, 8\)"):
        norm_silu_cpu(x, gain, x[:3])
    with pytest.raises(ValueError, match=r"out must be contiguous \(4, 8\)"):
        norm_silu_cpu(x, gain, out=torch.empty(8, 4).t())
