"""Guide planes in the stream: they reach the decoder whole, whatever the plan of pushes, and are never needed."""

from dataclasses import replace

import pytest
import torch

from diffusion_render.model.renderer import Renderer, RendererConfig
from diffusion_render.stream.guides import GuideNoise, Guides
from diffusion_render.stream.session import SessionConfig, StreamSession
from tests.diffusion_render.toys import HEIGHT, TOY_AUTOENCODER, WIDTH, some_maps, some_picture, toy_renderer, waken

FRAMES = 36
MAPS = some_maps(FRAMES)
TEXT = torch.zeros(4, 12)


def noisy_renderer() -> Renderer:
    plain = toy_renderer()
    torch.manual_seed(0)
    autoencoder = replace(TOY_AUTOENCODER, noise_octaves=3)
    renderer = Renderer(RendererConfig("toy", WIDTH, HEIGHT, autoencoder, plain.config.generator))
    waken(renderer)
    return renderer.eval()


RENDERER = noisy_renderer()


def some_guides(frames: int = FRAMES) -> Guides:
    """A camera that drives over a plane two metres below it."""
    rows = torch.arange(HEIGHT)[:, None].expand(HEIGHT, WIDTH)
    depth = torch.where(rows > HEIGHT // 2, 60.0 / (rows - HEIGHT // 2).clamp(min=1), torch.tensor(2e4))
    camera = torch.tensor([0.0, 0, 2, 1, 0, 0, 0, 0, 1, 1.0, 0.3, 2500], dtype=torch.float64).repeat(frames, 1)
    camera[:, 0] = torch.arange(frames) * 0.7
    return Guides(depth.expand(frames, -1, -1).half(), camera)


def session(renderer=RENDERER) -> StreamSession:
    return StreamSession(renderer, SessionConfig(0, WIDTH, HEIGHT), some_picture(), MAPS[0], TEXT)


def render(stream, guides, plan=FRAMES):
    pictures = []
    for start in range(0, FRAMES, plan):
        part = slice(start, start + plan)
        pictures += stream.push(MAPS[part], None if guides is None else Guides(guides.depth[part], guides.camera[part]))
    return torch.stack(pictures)


def test_guides_change_the_picture_and_only_where_the_world_is():
    with_guides, without = render(session(), some_guides()), render(session(), None)
    assert not torch.equal(with_guides, without)
    assert torch.equal(with_guides[:, :, : HEIGHT // 2 - 8], without[:, :, : HEIGHT // 2 - 8])


@pytest.mark.parametrize("plan", [1, 5, 12])
def test_grouping_of_pushes_never_changes_a_picture(plan):
    assert torch.equal(render(session(), some_guides(), plan), render(session(), some_guides()))


def test_a_unit_with_a_frame_without_guides_is_drawn_from_its_maps_alone():
    stream, guides = session(), some_guides()
    mixed = []
    for k in range(FRAMES):
        mixed += stream.push(MAPS[k : k + 1], None if k == 30 else guides.frame(k))
    whole, without = render(session(), guides), render(session(), None)
    assert torch.equal(torch.stack(mixed)[:28], whole[:28])
    assert not torch.equal(torch.stack(mixed)[28:32], whole[28:32])
    assert torch.equal(torch.stack(mixed)[28:32, :, :20], without[28:32, :, :20])


def test_a_decoder_that_reads_no_noise_takes_guides_and_ignores_them():
    plain = toy_renderer()
    assert torch.equal(render(session(plain), some_guides()), render(session(plain), None))
    assert GuideNoise(plain.autoencoder, torch.device("cpu"))(some_guides(4), torch.float32) is None


def test_guides_that_do_not_fit_are_refused_with_both_shapes():
    guides = some_guides(4)
    with pytest.raises(ValueError, match=r"\(3, 64, 96\).*got \(4, 64, 96\)"):
        session().push(MAPS[:3], guides)
    with pytest.raises(ValueError, match=r"cameras \(4, 12\), got .* \(4, 11\)"):
        session().push(MAPS[:4], Guides(guides.depth, guides.camera[:, :11]))
