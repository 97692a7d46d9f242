"""Class select: each pixel takes the value of its own class from its own block, and sends its gradient there."""

import pytest
import torch

from kernels.class_select.plain import class_select

from .blocks import CLASSES, FRAMES, HEIGHT, WIDTH, some_blocks


def test_every_pixel_has_the_value_of_its_class_in_its_block():
    maps, codes, values = some_blocks()
    picture = class_select(codes, values)
    assert picture.shape == (FRAMES, 3, HEIGHT, WIDTH)
    for m, row, col in ((0, 0, 0), (1, 9, 14), (2, 19, 27), (0, 6, 25), (1, 3, 1)):
        first = 3 * maps[m, row, col]
        assert torch.equal(picture[m, :, row, col], values[m, first : first + 3, row // 4, col // 4])
    rows = values.repeat_interleave(4, 2).repeat_interleave(4, 3).unflatten(1, (CLASSES, 3))
    hot = torch.nn.functional.one_hot(maps, CLASSES).permute(0, 3, 1, 2)[:, :, None]
    assert torch.equal(picture, (rows * hot).sum(1))


def test_the_gradient_of_a_value_is_the_sum_over_its_pixels():
    maps, codes, values = some_blocks()
    values.requires_grad_(True)
    upstream = torch.randn(FRAMES, 3, HEIGHT, WIDTH, generator=torch.Generator().manual_seed(5))
    class_select(codes, values).backward(upstream)
    assert values.grad is not None
    blocks = upstream.unfold(2, 4, 4).unfold(3, 4, 4)
    for k in range(CLASSES):
        mine = (maps == k)[:, None].unfold(2, 4, 4).unfold(3, 4, 4)
        assert torch.allclose(values.grad[:, 3 * k : 3 * k + 3], (blocks * mine).sum((-1, -2)), atol=1e-5)


def test_memory_order_of_the_values_does_not_matter():
    _, codes, values = some_blocks()
    assert torch.equal(
        class_select(codes, values.contiguous(memory_format=torch.channels_last)), class_select(codes, values)
    )


def test_one_graph_holds_it_when_compiled():
    _, codes, values = some_blocks(torch.bfloat16)
    compiled = torch.compile(class_select, backend="aot_eager", fullgraph=True, dynamic=False)
    assert torch.equal(compiled(codes, values), class_select(codes, values))


@pytest.mark.parametrize("channels", [38, 39])
def test_shapes_that_do_not_fit_are_refused_with_both(channels):
    codes = torch.zeros(1, 2, 3, 16, dtype=torch.int32)
    with pytest.raises(ValueError, match=rf"got \(1, {channels}, 2, 4\) and \(1, 2, 3, 16\)"):
        class_select(codes, torch.zeros(1, channels, 2, 4))
    with pytest.raises(ValueError, match="classes"):
        class_select(codes, torch.zeros(1, 38, 2, 3))
