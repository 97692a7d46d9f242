"""Norm-silu is what its name says, and has a gradient."""

import pytest
import torch
import torch.nn.functional as F

from kernels.norm_silu.plain import EPS, norm_silu


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("added", [None, random(3, 5, 24, seed=2)])
def test_it_is_torchs_norm_and_torchs_silu(added):
    x, gain = random(3, 5, 24), random(24, seed=1)
    total = x if added is None else x + added
    wanted = F.silu(F.rms_norm(total, (24,), gain, EPS))
    assert torch.allclose(norm_silu(x, gain, added), wanted, atol=1e-5)


def test_gradients_reach_everything_that_went_in():
    parts = [random(2, 8), random(8, seed=1), random(2, 8, seed=2)]
    for part in parts:
        part.requires_grad_(True)
    norm_silu(*parts).sum().backward()
    assert all(part.grad is not None and part.grad.any() for part in parts)


def test_one_graph_holds_it_when_compiled():
    x, gain = random(3, 16), random(16, seed=1)
    compiled = torch.compile(norm_silu, backend="aot_eager", fullgraph=True, dynamic=False)
    assert torch.allclose(compiled(x, gain), norm_silu(x, gain), atol=1e-6)
