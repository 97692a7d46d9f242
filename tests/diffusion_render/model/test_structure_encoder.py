"""Structure features: shares counted once equal maps read in play."""

import pytest
import torch

from diffusion_render.model.structure_encoder import StructureEncoder, class_shares

MAPS = torch.randint(0, 13, (2, 3, 4, 64, 96), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))


def test_shares_count_every_pixel_of_a_block_once():
    shares = class_shares(MAPS, 13)
    assert shares.shape == (2, 3, 4, 13, 8, 12)
    assert (shares.sum(3, dtype=torch.int64) == 64).all()
    assert shares[1, 2, 3, 5, 2, 7] == (MAPS[1, 2, 3, 16:24, 56:64] == 5).sum()


def test_features_from_shares_equal_features_from_maps():
    torch.manual_seed(0)
    encoder = StructureEncoder(13, 8, 8, 16)
    table = encoder.table(torch.randn(2, 13, 9))
    from_maps, from_shares = encoder(MAPS, table), encoder.from_shares(class_shares(MAPS, 13), table)
    assert from_maps.shape == (2, 3, 16, 2, 3)
    assert torch.allclose(from_maps, from_shares, atol=1e-5)


@torch.no_grad()
def test_features_from_shares_are_the_same_when_compiled():
    torch.manual_seed(0)
    encoder = StructureEncoder(13, 8, 8, 16)
    table, shares = encoder.table(torch.randn(2, 13, 9)), class_shares(MAPS, 13)
    compiled = torch.compile(encoder.from_shares, backend="eager", fullgraph=True, dynamic=False)
    assert torch.allclose(compiled(shares, table), encoder.from_shares(shares, table), atol=1e-5)


def test_sizes_that_do_not_divide_are_named():
    with pytest.raises(ValueError, match="divisible by 8, got 12 × 16"):
        class_shares(torch.zeros(12, 16, dtype=torch.uint8), 13)
