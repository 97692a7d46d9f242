"""The reader of light: where things lie in a picture tells it the side, and it takes any size."""

import pytest
import torch

from diffusion_render.model.generator import BASE, NANO
from diffusion_render.model.light import LightConfig, LightReader

CONFIG = LightConfig(latent=4, structure=3, width=16, rows=2, columns=3)


def reader():
    torch.manual_seed(0)
    return LightReader(CONFIG)


def lit_pictures(count, draw, h=4, w=6):
    """Latents that are bright on the light's side, warm above where it stands ahead; structure says nothing of it."""
    around = 6.28 * torch.rand(count, generator=draw)
    light = torch.stack([around.cos(), around.sin(), torch.full_like(around, 0.5)], 1)
    side = torch.linspace(1, -1, w).expand(h, w)  # the picture's left is the camera's
    above = torch.linspace(1, -1, h)[:, None].expand(h, w)
    latents = 0.1 * torch.randn(count, 1, 4, h, w, generator=draw)
    latents[:, 0, 0] += light[:, 1, None, None] * side
    latents[:, 0, 1] += light[:, 0, None, None] * above
    return latents, torch.randn(count, 1, 3, h, w, generator=draw), light


@torch.no_grad()
def test_it_says_nothing_before_it_has_learnt_anything():
    latents, structure, _ = lit_pictures(3, torch.Generator().manual_seed(1))
    assert reader()(latents, structure).tolist() == [[0.0] * 3] * 3


def test_it_learns_on_which_side_pictures_are_bright():
    model, draw = reader(), torch.Generator().manual_seed(1)
    learner = torch.optim.Adam(model.parameters(), 5e-3)
    for _ in range(40):
        latents, structure, light = lit_pictures(48, draw)
        learner.zero_grad()
        (model(latents, structure) - light).square().mean().backward()
        learner.step()
    latents, structure, light = lit_pictures(200, draw)
    with torch.no_grad():
        read = model(latents, structure)
        mirrored = model(latents.flip(-1), structure.flip(-1))
    assert (read - light).square().mean() < 0.1 * light.square().mean()
    assert (mirrored[:, 1] + light[:, 1]).square().mean() < 0.1  # a light from the left comes from the right


def test_of_what_no_picture_shows_it_says_less():
    model, draw = reader(), torch.Generator().manual_seed(1)
    learner = torch.optim.Adam(model.parameters(), 5e-3)
    for _ in range(40):
        latents, structure, light = lit_pictures(48, draw)
        latents[:, :, 0] = 0.0  # the side cannot be told any more
        learner.zero_grad()
        (model(latents, structure) - light).square().mean().backward()
        learner.step()
    with torch.no_grad():
        read = model(latents, structure)
    assert read[:, 1].abs().mean() < 0.35 * light[:, 1].abs().mean()
    assert (read[:, 0] - light[:, 0]).square().mean() < 0.1


@torch.no_grad()
@pytest.mark.parametrize(("h", "w"), [(1, 1), (2, 3), (8, 14), (24, 42)])
def test_it_reads_pictures_of_every_size(h, w):
    model = reader()
    torch.nn.init.normal_(model.say.weight)
    light = model(torch.randn(2, 1, 4, h, w), torch.randn(2, 1, 3, h, w))
    assert light.shape == (2, 3)
    assert light.dtype == torch.float32
    assert light.isfinite().all()


def test_more_than_one_unit_is_refused():
    with pytest.raises(ValueError, match="a reference is one unit, got 2 of latents and 1 of structure"):
        reader()(torch.zeros(1, 2, 4, 2, 2), torch.zeros(1, 1, 3, 2, 2))


@pytest.mark.parametrize("preset", [NANO, BASE], ids=["nano", "base"])
def test_it_is_small_and_no_preset_has_it_yet(preset):
    assert not preset.light
    model = LightReader(LightConfig(preset.latent, preset.structure))
    assert 100_000 < sum(p.numel() for p in model.parameters()) < 300_000
