"""References from any picture, and from the prompt alone."""

import numpy as np
import pytest
import torch

from diffusion_render.stream.look_source import dream_reference, fit_picture
from diffusion_render.stream.session import SessionConfig, StreamSession
from tests.diffusion_render.toys import HEIGHT, WIDTH, some_maps, some_picture, toy_renderer

RENDERER = toy_renderer()
CONFIG = SessionConfig(0, WIDTH, HEIGHT)
MAP = some_maps(1)[0]
TEXT = torch.randn(4, 12, generator=torch.Generator().manual_seed(5))


def test_a_picture_of_the_wanted_size_is_left_as_it_is():
    picture = np.random.default_rng(0).integers(0, 256, (256, 448, 3), dtype=np.uint8)
    assert np.array_equal(fit_picture(picture, 448, 256), picture)


@pytest.mark.parametrize("shape", [(16, 16), (17, 900), (900, 17), (2000, 1000), (256, 449)])
def test_any_shape_is_cut_at_its_middle_and_fills_the_size(shape):
    picture = np.zeros((*shape, 3), np.uint8)
    h, w = shape
    picture[h // 2 - 3 : h // 2 + 3, w // 2 - 3 : w // 2 + 3] = 255
    fitted = fit_picture(picture, 448, 256)
    assert fitted.shape == (256, 448, 3)
    assert fitted.dtype == np.uint8
    assert fitted[128, 224].min() > fitted[0, 0].max()


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros((15, 400, 3), np.uint8),
        np.zeros((400, 400), np.uint8),
        np.zeros((400, 400, 4), np.uint8),
        np.zeros((400, 400, 3), np.float32),
        np.lib.stride_tricks.as_strided(np.zeros(3, np.uint8), (9000, 9000, 3), (0, 0, 1)),
    ],
)
def test_pictures_that_cannot_be_a_reference_are_refused(bad):
    with pytest.raises(ValueError, match="a reference"):
        fit_picture(bad, 448, 256)


def test_a_dream_depends_on_prompt_map_and_seed_alone():
    first = dream_reference(RENDERER, CONFIG, MAP, TEXT)
    assert first.shape == (3, HEIGHT, WIDTH)
    assert first.dtype == torch.uint8
    assert torch.equal(first, dream_reference(RENDERER, CONFIG, MAP, TEXT))
    others = [
        dream_reference(RENDERER, CONFIG, MAP, -TEXT),
        dream_reference(RENDERER, CONFIG, some_maps(1, seed=9)[0], TEXT),
        dream_reference(RENDERER, SessionConfig(1, WIDTH, HEIGHT), MAP, TEXT),
    ]
    assert not any(torch.equal(first, other) for other in others)


def test_a_stream_without_a_reference_differs_from_one_with_a_black_one():
    maps = some_maps(28)
    without = StreamSession(RENDERER, CONFIG, None, MAP, TEXT).push(maps)
    black = StreamSession(RENDERER, CONFIG, -torch.ones(3, HEIGHT, WIDTH), MAP, TEXT).push(maps)
    assert not torch.equal(torch.stack(without), torch.stack(black))


def test_the_dream_can_stand_as_reference_from_a_chunk_border_on():
    stream = StreamSession(RENDERER, CONFIG, some_picture(), MAP, TEXT)
    maps = some_maps(36)
    stream.push(maps[:28])
    picture = dream_reference(RENDERER, CONFIG, MAP, TEXT)
    stream.change_look(picture.float() / 127.5 - 1, MAP, TEXT)
    assert len(stream.push(maps[28:])) == 8
