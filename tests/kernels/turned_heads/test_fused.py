"""Turned heads from halves against the plain twin: equal but for rounding, in one graph."""

import pytest
import torch

from kernels.turned_heads.fused import turned_heads_fused
from kernels.turned_heads.plain import rotate, turned_heads


def some(heads=3, width=128, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 5, 3 * heads, width, generator=generator, dtype=dtype)[:, :, heads : 2 * heads]
    gain = torch.rand(width, generator=generator).to(dtype)
    angle = torch.randn(5, 1, width // 2, generator=generator)
    sine = angle.sin()
    return x, gain, angle.cos().repeat(1, 1, 2).to(dtype), torch.cat([-sine, sine], -1).to(dtype)


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("width", [2, 48, 128])
def test_both_twins_agree(heads, width):
    given = some(heads, width)
    assert torch.allclose(turned_heads_fused(*given), turned_heads(*given), atol=1e-5)


def test_every_head_may_have_its_own_gain():
    x, _, cos, sin = some()
    gain = torch.rand(3, 128, generator=torch.Generator().manual_seed(1))
    assert torch.allclose(turned_heads_fused(x, gain, cos, sin), turned_heads(x, gain, cos, sin), atol=1e-5)


def test_in_bf16_it_errs_no_more_than_the_plain_twin():
    given = some(dtype=torch.bfloat16)
    truth = turned_heads(*(part.float() for part in given))
    fused, plain = turned_heads_fused(*given), turned_heads(*given)
    assert fused.dtype is torch.bfloat16
    assert (fused - truth).abs().max() <= 1.1 * (plain - truth).abs().max()


def test_no_turn_is_the_norm_and_a_quarter_turn_swaps_halves():
    x = some()[0]
    ones, zeros = torch.ones(5, 1, 128), torch.zeros(5, 1, 128)
    assert torch.equal(rotate(x, ones, zeros), x)
    a, b = x.chunk(2, -1)
    sine = torch.cat([-ones[..., :64], ones[..., :64]], -1)
    assert torch.equal(rotate(x, zeros, sine), torch.cat([-b, a], -1))


def test_one_graph_holds_it_when_compiled():
    given = some()
    compiled = torch.compile(turned_heads_fused, backend="aot_eager", fullgraph=True, dynamic=False)
    assert torch.allclose(compiled(*given), turned_heads(*given), atol=1e-5)
