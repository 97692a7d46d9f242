"""The one-pass twin against the plain one: equal to the bit, whatever the order in memory."""

import pytest
import torch

from kernels.block_picture.fast_cpu import block_picture_cpu
from kernels.block_picture.plain import block_picture

from .blocks import some_blocks


@pytest.mark.parametrize("selects", [True, False])
def test_both_twins_make_the_same_picture(selects):
    values, base, codes, corrections = some_blocks()
    chosen = (codes, corrections) if selects else (None, None)
    fast = block_picture_cpu(values, base, *chosen)
    assert torch.equal(fast, block_picture(values, base, *chosen))
    assert fast.is_contiguous(memory_format=torch.channels_last)


def test_slices_and_other_orders_in_memory_are_read_right():
    values, base, codes, corrections = some_blocks()
    for some in (slice(1, 2), slice(None, None, 2)):
        parts = values[some].contiguous(), base[some], codes[some], corrections[some].contiguous()
        assert torch.equal(block_picture_cpu(*parts), block_picture(*parts))


def test_a_code_of_no_class_never_reads_outside_its_block():
    values, base, codes, corrections = some_blocks()
    codes[0, 0, 0] = torch.iinfo(torch.int32).max
    parts = values, base, codes, corrections
    assert torch.equal(block_picture_cpu(*parts), block_picture(*parts))


def test_shapes_that_do_not_fit_are_refused():
    values, base, codes, corrections = some_blocks()
    with pytest.raises(ValueError, match="corrections must be"):
        block_picture_cpu(values, base, codes[:, 1:], corrections[:, :, 1:])
