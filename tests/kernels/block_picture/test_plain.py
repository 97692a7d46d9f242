"""Block picture: every pixel is what its block says of its place, plus what it says of the pixel's class."""

import pytest
import torch

from kernels.block_picture.plain import block_picture

from .blocks import CLASSES, FRAMES, HEIGHT, WIDTH, some_blocks


def test_every_pixel_is_the_sum_of_its_place_and_its_class():
    values, base, codes, corrections = some_blocks()
    picture = block_picture(values, base, codes, corrections)
    assert picture.shape == (FRAMES, 3, 4 * HEIGHT, 4 * WIDTH)
    for m, row, col, color in ((0, 0, 0, 0), (2, 19, 27, 2), (1, 6, 13, 1)):
        block, place = (m, slice(None), row // 4, col // 4), row % 4 * 4 + col % 4
        kind = int(codes[m, row // 4, col // 4, place]) % CLASSES
        wanted = (values + base)[block][16 * color + place] + corrections[block][3 * kind + color]
        assert picture[m, color, row, col] == wanted


def test_without_corrections_it_is_the_shuffled_sum():
    values, base, codes, corrections = some_blocks()
    bare = block_picture(values, base, None, None)
    assert torch.equal(bare, torch.nn.functional.pixel_shuffle(values + base, 4))
    assert torch.equal(block_picture(values, base, codes, None), bare)
    assert not torch.equal(block_picture(values, base, codes, corrections), bare)


def test_shapes_that_do_not_fit_are_refused_with_both():
    values, base, codes, corrections = some_blocks()
    with pytest.raises(ValueError, match=r"both be \[M, 48, h, w\], got \(3, 48, 5, 7\) and \(3, 47, 5, 7\)"):
        block_picture(values, base[:, 1:], codes, corrections)
    with pytest.raises(ValueError, match="both be"):
        block_picture(values[:, 1:], base[:, 1:], codes, corrections)
    with pytest.raises(ValueError, match="need the codes"):
        block_picture(values, base, None, corrections)
    with pytest.raises(ValueError, match=r"corrections must be \[3, classes · 3, 5, 7\]"):
        block_picture(values, base, codes[1:], corrections[1:])
