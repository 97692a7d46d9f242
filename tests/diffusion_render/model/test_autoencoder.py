"""The autoencoder: causal, the same streamed or whole, edges from the maps."""

import pytest
import torch

from diffusion_render.model import autoencoder, structure
from diffusion_render.model.autoencoder import Autoencoder, AutoencoderConfig
from diffusion_render.model.look_table import measure_look
from tests.diffusion_render.toys import TOY_AUTOENCODER, some_maps, some_picture, waken


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    model = Autoencoder(TOY_AUTOENCODER).eval()
    waken(model)
    return model


@pytest.fixture(scope="module")
def clip(model):
    maps = some_maps(24)[None]
    frames = torch.stack([some_picture(k) for k in range(24)])[None]
    look = model.look(measure_look(frames[:, 0], maps[:, 0], 13))
    with torch.no_grad():
        codes = model.codes(maps)
        latents = model.encode(frames, codes, look)
    return frames, codes, look, latents


@torch.no_grad()
def stream(model, latents, codes, look, plan):
    state, frames, at = None, [], 0
    for size in plan:
        part = slice(at, at + size)
        out, state = model.decode(latents[:, part], codes[:, part], look, state)
        frames.append(out)
        at += size
    return torch.cat(frames, 1)


@pytest.mark.parametrize("plan", [[1] * 6, [3, 3], [1, 4, 1], [2, 2, 2]])
def test_any_grouping_of_calls_gives_the_frames_of_the_whole_clip(model, clip, plan):
    _, codes, look, latents = clip
    whole = stream(model, latents, codes, look, [6])
    assert whole.shape == (1, 24, 3, 64, 96)
    assert (stream(model, latents, codes, look, plan) - whole).abs().max() < 1e-5


def test_two_interleaved_streams_do_not_touch_each_other(model, clip):
    _, codes, look, latents = clip
    alone = stream(model, latents, codes, look, [1] * 6)
    states, outs = [None, None], [[], []]
    other = latents.flip(1)
    with torch.no_grad():
        for k in range(6):
            for which, z in enumerate((latents, other)):
                out, states[which] = model.decode(z[:, k : k + 1], codes[:, k : k + 1], look, states[which])
                outs[which].append(out)
    assert torch.equal(torch.cat(outs[0], 1), alone)


def test_later_latents_and_maps_leave_earlier_frames_bit_identical(model, clip):
    _, codes, look, latents = clip
    changed, other = latents.clone(), codes.clone()
    changed[:, 3:] = -changed[:, 3:]
    other[:, 3:] = model.codes(some_maps(12, seed=9)[None])
    before = stream(model, latents, codes, look, [6])
    after = stream(model, changed, other, look, [6])
    assert torch.equal(before[:, :12], after[:, :12])
    assert not torch.equal(before[:, 12:], after[:, 12:])


def test_later_frames_leave_earlier_latents_bit_identical(model, clip):
    frames, codes, look, latents = clip
    changed = frames.clone()
    changed[:, 16:] = 0.0
    with torch.no_grad():
        after = model.encode(changed, codes, look)
    assert torch.equal(after[:, :4], latents[:, :4])
    assert not torch.equal(after[:, 4:], latents[:, 4:])


def test_encoding_in_two_parts_equals_encoding_at_once(model, clip):
    frames, codes, look, latents = clip
    with torch.no_grad():
        structure = model.encoder_table(codes, look.encoder)
        first, state = model.encoder(frames[:, :8], structure[:, :2])
        second, _ = model.encoder(frames[:, 8:], structure[:, 2:], state)
    assert (torch.cat([first, second], 1) - latents).abs().max() < 1e-5


def test_latents_have_rms_one_at_every_pixel(clip):
    latents = clip[3]
    assert torch.allclose(latents.square().mean(2), torch.ones(1), atol=1e-3)


def test_a_changed_class_pixel_changes_the_picture_near_it_only_in_its_own_frame_and_later(model, clip):
    _frames, _codes, look, latents = clip
    maps = some_maps(24)[None].clone()
    before = stream(model, latents, model.codes(maps), look, [6])
    maps[0, 9, 20, 40] = (maps[0, 9, 20, 40] + 1) % 13
    after = stream(model, latents, model.codes(maps), look, [6])
    assert torch.equal(before[:, :8], after[:, :8])
    changed = (before[0, 9] - after[0, 9]).abs().sum(0)
    assert changed.argmax() == changed.flatten().argmax()
    assert changed[20, 40] > 0


def test_configs_that_miss_a_scale_are_refused():
    with pytest.raises(ValueError, match="decoder_widths needs one entry for each of the 4 scales"):
        AutoencoderConfig(decoder_widths=(8, 8))


def test_clips_that_do_not_divide_are_refused_with_both_numbers(model, clip):
    frames, codes, look, _ = clip
    with pytest.raises(ValueError, match="multiples of 4 frames"):
        model.encode(frames[:, :5], codes[:, :1], look)


@torch.no_grad()
def test_both_tables_read_at_once_as_on_a_card_give_the_same_frames(model, clip, monkeypatch):
    _, codes, look, latents = clip
    frames, _ = model.decode(latents[:, :1], codes[:, :1], look)
    for module in (autoencoder, structure):
        monkeypatch.setattr(module, "reads_by_comparison", lambda table: True)
    at_once, _ = model.decode(latents[:, :1], codes[:, :1], look)
    assert (at_once - frames).abs().max() < 1e-5
