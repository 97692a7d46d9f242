"""Fast forms of the layers equal the plain ones that they stand for."""

import pytest
import torch
import torch.nn.functional as F

from diffusion_render.model.attention import Attention, KeyValue, attend, rotary_table
from diffusion_render.model.decoder import FrameHead
from diffusion_render.model.layers import (
    CausalMemory,
    ChannelRMSNorm,
    Down,
    ResidualBlock,
    Up,
    fold_time,
    in_eights,
    join_frames,
    mix,
    rms_norm,
)


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("gain", [None, random(48, seed=1)])
def test_rms_norm_is_torchs(gain):
    x = random(2, 5, 48)
    assert torch.allclose(rms_norm(x, gain), F.rms_norm(x, (48,), gain, 1e-6), atol=1e-5)


def test_rms_norm_of_rows_of_zeros_is_zero_with_finite_gradients():
    x = torch.zeros(3, 8, requires_grad=True)
    y = rms_norm(x)
    y.sum().backward()
    assert not y.any()
    assert torch.isfinite(x.grad).all()


def test_rms_norm_in_bfloat16_sums_squares_in_fp32():
    x = 300.0 + random(1, 4096)
    exact = F.rms_norm(x, (4096,), None, 1e-6)
    assert (rms_norm(x.bfloat16()).float() - exact).abs().max() < 0.02


@pytest.mark.parametrize(("channels", "out"), [(16, 16), (16, 32), (8, 4)])
def test_half_the_size_is_unshuffle_convolution_and_mean(channels, out):
    torch.manual_seed(0)
    down, x = Down(channels, out), random(2, channels, 6, 8)
    folded = F.pixel_unshuffle(x, 2)
    plain = down.conv(folded) + folded.unflatten(1, (out, -1)).mean(2)
    assert torch.allclose(down(x), plain, atol=1e-5)


@pytest.mark.parametrize(("channels", "out"), [(16, 16), (16, 8), (8, 16)])
def test_double_the_size_is_convolution_repetition_and_shuffle(channels, out):
    torch.manual_seed(0)
    up, x = Up(channels, out), random(2, channels, 3, 4)
    plain = F.pixel_shuffle(up.conv(x) + x.repeat_interleave(4 * out // channels, 1), 2)
    assert torch.allclose(up(x), plain, atol=1e-5)


def test_frames_of_a_unit_become_channels():
    x = random(2, 3, 4, 6, 7, 5).permute(0, 1, 2, 5, 3, 4)
    joined = join_frames(x)
    assert torch.equal(joined, x.flatten(0, 1).flatten(1, 2))
    assert joined.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("units", [1, 3])
def test_the_head_spreads_features_as_its_convolution_would(units):
    torch.manual_seed(0)
    head, x = FrameHead(12, 8, 5, 0), random(units, 12, 4, 6)
    plain = head.spread(x).unflatten(1, (4, -1)).flatten(0, 1)
    assert torch.allclose(head._spread(x), plain, atol=1e-5)


def blocks(*shape, seed=0):
    """A feature map ``[..., C, H, W]``, channels innermost in memory."""
    return random(*shape[:-3], *shape[-2:], shape[-3], seed=seed).movedim(-1, -3)


@pytest.mark.parametrize("count", [1, 3])
def test_a_convolution_sees_folded_features_as_channels_last(count):
    x = blocks(1, count, 8, 4, 6)
    # A slice of a clip, as a decoder's state is: axes of length 1 keep whatever stride they had.
    for part in (x, x[:, -1:], blocks(4, 8, 4, 6)[::4, None], random(1, count, 8, 4, 6)):
        folded = fold_time(part)
        assert torch.equal(folded, part.flatten(0, 1))
        assert folded.stride() == (192, 1, 48, 8)


@pytest.mark.parametrize("added", [None, blocks(2, 16, 3, 5, seed=1)])
@pytest.mark.parametrize("last_use", [False, True])
def test_norm_and_silu_are_the_same_with_gradients_and_without(added, last_use):
    norm, x = ChannelRMSNorm(16), blocks(2, 16, 3, 5)
    plain = F.silu(norm(x if added is None else x + added))
    assert torch.allclose(norm.silu(x, added, last_use), plain, atol=1e-5)
    kept, other = x.clone(), None if added is None else added.clone()
    with torch.no_grad():
        fused = norm.silu(x, added, last_use)
    assert torch.allclose(fused, plain, atol=1e-5)
    assert torch.equal(x, kept) != last_use
    assert added is None or torch.equal(added, other)


@pytest.mark.parametrize("layer", [ResidualBlock(8), CausalMemory(8)])
def test_sums_in_place_leave_the_input_alone(layer):
    x, state = blocks(2, 3, 8, 4, 6), blocks(2, 8, 4, 6, seed=1)
    inputs = (x, state) if isinstance(layer, CausalMemory) else (fold_time(x),)
    before = [part.clone() for part in inputs]
    plain = layer(*inputs)
    with torch.no_grad():
        fused = layer(*inputs)
    for a, b in zip(*(out if isinstance(out, tuple) else (out,) for out in (plain, fused))):
        assert torch.allclose(a, b, atol=1e-5)
    assert all(torch.equal(a, b) for a, b in zip(inputs, before))


@pytest.mark.parametrize("selected", [0, 13])
@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("units", [1, 2])
def test_the_head_draws_the_same_with_gradients_and_without(units, noisy, selected):
    torch.manual_seed(0)
    head = FrameHead(12, 8, 5, 16, selected)
    frames = 4 * units
    for parameter in head.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    codes = torch.randint(0, 13, (frames, 4, 6, 16), dtype=torch.int32) + 13 * torch.arange(16, dtype=torch.int32)
    parts = blocks(units, 12, 4, 6), blocks(frames, 5, 4, 6, seed=1), blocks(frames, 48, 4, 6, seed=2)
    noise = blocks(frames, 16, 4, 6, seed=3) if noisy else None
    before = [part.clone() for part in parts]
    plain = head(*parts, codes, noise)
    with torch.no_grad():
        fused = head(*parts, codes, noise)
    assert plain.requires_grad
    assert torch.allclose(fused, plain, atol=2e-5)
    assert all(torch.equal(a, b) for a, b in zip(parts, before))


def test_attention_in_bfloat16_is_that_of_fp32_but_for_rounding():
    query, key, value = (random(2, length, 2, 128, seed=length) for length in (7, 11, 12))
    key, value = key[:, :11], value[:, :11]
    exact = attend(query, key, value)
    rounded = attend(query.bfloat16(), key.bfloat16(), value.bfloat16()).float()
    assert (rounded - exact).abs().max() < 0.05
    assert exact.abs().max() > 0.5


@pytest.mark.parametrize("axis", [-1, -2])
def test_an_axis_is_filled_up_with_zeros_to_a_multiple_of_eight(axis):
    x = random(2, 13, 13)
    filled = in_eights(x, axis).movedim(axis, 0)
    assert torch.equal(filled[:13], x.movedim(axis, 0))
    assert filled[13:].shape == (3, 2, 13)
    assert not filled[13:].any()
    whole = random(16, 16)
    assert in_eights(whole, axis) is whole


@torch.no_grad()
@pytest.mark.parametrize("out", [5, 8])
@pytest.mark.parametrize("bias", [True, False])
def test_a_1x1_convolution_is_the_same_as_a_product_of_rows_when_compiled(out, bias):
    torch.manual_seed(0)
    layer, x = torch.nn.Conv2d(6, out, 1, bias=bias), random(2, 6, 3, 4)
    made = torch.compile(lambda x: mix(layer, x), backend="eager", fullgraph=True, dynamic=False)(x)
    assert torch.equal(mix(layer, x), layer(x))
    assert torch.allclose(made, layer(x), atol=1e-5)
    assert made.stride()[1] == 1  # channels-last


@torch.no_grad()
@pytest.mark.parametrize("added", [None, random(2, 8, 3, 4, seed=1)])
def test_norm_silu_of_pictures_is_the_same_when_compiled(added):
    norm, x = ChannelRMSNorm(8), random(2, 3, 4, 8).permute(0, 3, 1, 2)
    made = torch.compile(norm.silu, backend="eager", fullgraph=True, dynamic=False)(x, added)
    assert torch.allclose(made, norm.silu(x, added), atol=1e-5)


@torch.no_grad()
def test_attention_that_fills_a_card_is_the_same():
    torch.manual_seed(0)
    layer, x, before = Attention(256), random(1, 6, 256), KeyValue(*random(2, 1, 1018, 2, 128, seed=1))
    rotary = rotary_table(random(6, 3, seed=2))
    plain, _ = layer(x, rotary, [6], before)
    layer.processors = 4
    filled, _ = layer(x, rotary, [6], before)
    assert torch.allclose(filled, plain, atol=1e-5)
    assert not torch.equal(filled, plain)  # the keys were split
