"""The one-pass twin against the plain one: equal to the bit, whatever the number type or the order in memory."""

import pytest
import torch

from kernels.class_select.fast_cpu import class_select_cpu
from kernels.class_select.plain import class_select

from .blocks import some_blocks

DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64]


@pytest.mark.parametrize("dtype", DTYPES)
def test_both_twins_make_the_same_picture(dtype):
    _, codes, values = some_blocks(dtype)
    fast = class_select_cpu(codes, values)
    assert fast.dtype == dtype
    assert torch.equal(fast, class_select(codes, values))
    assert fast.is_contiguous(memory_format=torch.channels_last)


def test_slices_and_transposed_values_are_read_where_they_lie():
    _, codes, values = some_blocks()
    wide = values.contiguous(memory_format=torch.channels_last)
    for some_codes, some_values in ((codes[1:], wide[1:]), (codes[::2], wide[::2]), (codes[:, 1:], values[:, :, 1:])):
        assert torch.equal(class_select_cpu(some_codes, some_values), class_select(some_codes, some_values))


def test_values_made_for_inference_or_with_gradients_are_read_and_left_alone():
    _, codes, values = some_blocks()
    wanted, before = class_select(codes, values), values.clone()
    assert torch.equal(class_select_cpu(codes, values.clone().requires_grad_(True)), wanted)
    with torch.inference_mode():
        assert torch.equal(class_select_cpu(codes, values * 1.0), wanted)
    assert torch.equal(values, before)


def test_a_code_of_no_class_never_reads_outside_its_block():
    _, codes, values = some_blocks()
    codes[0, 0, 0] = torch.iinfo(torch.int32).max
    assert torch.equal(class_select_cpu(codes, values), class_select(codes, values))


def test_shapes_that_do_not_fit_are_refused():
    _, codes, values = some_blocks()
    with pytest.raises(ValueError, match="need codes"):
        class_select_cpu(codes[:, 1:], values)
