"""The block table: one linear map, two ways to read it."""

import pytest
import torch

from diffusion_render.model.structure import (
    BlockTable,
    block_codes,
    sum_rows_by_comparison,
    sum_rows_by_lookup,
    sum_rows_by_matmul,
)


def test_codes_name_place_and_class_of_every_pixel():
    maps = torch.randint(0, 13, (2, 3, 8, 12), dtype=torch.uint8)
    codes = block_codes(maps, 13)
    assert codes.shape == (2, 3, 2, 3, 16)
    row, col = 5, 9
    place = (row % 4) * 4 + col % 4
    assert codes[1, 2, row // 4, col // 4, place] == place * 13 + maps[1, 2, row, col]


def test_lookup_equals_multi_hot_product():
    codes = block_codes(torch.randint(0, 13, (2, 5, 8, 8), dtype=torch.uint8), 13).reshape(2, -1, 16)
    table = torch.randn(2, 208, 7)
    by_matmul = sum_rows_by_matmul(codes, table)
    assert torch.allclose(sum_rows_by_lookup(codes, table), by_matmul, atol=1e-5)
    assert torch.equal(sum_rows_by_comparison(codes, table), by_matmul)


def test_features_equal_a_convolution_over_one_hot_planes():
    torch.manual_seed(0)
    table_of = BlockTable(6, 5)
    table = table_of.table(torch.randn(1, 13, 6))
    maps = torch.randint(0, 13, (1, 1, 1, 8, 8), dtype=torch.uint8)
    features = table_of(block_codes(maps, 13), table)[0, 0, 0]
    hot = torch.nn.functional.one_hot(maps[0, 0, 0].long(), 13).permute(2, 0, 1).float()
    kernel = table[0].view(4, 4, 13, 5).permute(3, 2, 0, 1)
    wanted = torch.nn.functional.conv2d(hot[None], kernel, stride=4)[0]
    assert torch.allclose(features, wanted, atol=1e-5)


def test_sizes_that_do_not_divide_are_named():
    with pytest.raises(ValueError, match="divisible by 4, got 6 × 8"):
        block_codes(torch.zeros(6, 8, dtype=torch.uint8), 13)
