"""Adapters: nothing changes at the start, they alone learn, and small layers stay as they are."""

import pytest
import torch
from torch import nn

from diffusion_render.train.low_rank import LowRank, adapt


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(12, 16), nn.SiLU(), nn.Linear(16, 8), nn.Linear(8, 2))


def test_an_adapted_network_starts_as_it_was_and_its_adapters_alone_learn():
    plain, adapted = network(), network()
    adapters = adapt(adapted, 4)
    x = torch.randn(5, 12)
    assert torch.equal(plain(x), adapted(x))
    learns = {id(p) for p in adapted.parameters() if p.requires_grad}
    assert learns == {id(p) for p in adapters.parameters()}
    adapted(x).square().sum().backward()
    torch.optim.SGD(adapters.parameters(), 0.1).step()
    assert not torch.equal(plain(x), adapted(x))
    frozen = [p for p in adapted.parameters() if not p.requires_grad]
    assert all(any(torch.equal(p, q) for q in plain.parameters()) for p in frozen)


def test_the_change_has_the_rank_that_was_asked_for():
    adapter = LowRank(9, 7, 2)
    nn.init.normal_(adapter.up)
    change = adapter(torch.zeros(9, 7))
    assert torch.linalg.matrix_rank(change) == 2


def test_layers_no_larger_than_the_rank_are_left_alone():
    adapters = adapt(network(), 8)
    assert [tuple(a.up.shape) for a in adapters] == [(16, 8)]
    with pytest.raises(ValueError, match="larger than the rank 16"):
        adapt(network(), 16)
