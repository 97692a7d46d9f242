"""The look score on painted regions."""

import torch

from diffusion_render.evaluate.color import ciede2000, lab_of, linear_light
from diffusion_render.evaluate.look import class_colors, look_distance

CLASSES = 13
MAPS = torch.zeros(2, 32, 64, dtype=torch.uint8)
MAPS[:, :, 32:] = 10
MAPS[1, 0, 0] = 4  # one pixel: below the least share


def painted(road: tuple[int, int, int], sky: tuple[int, int, int]) -> torch.Tensor:
    colors = torch.zeros(CLASSES, 3, dtype=torch.uint8)
    colors[0], colors[10] = torch.tensor(road), torch.tensor(sky)
    return colors[MAPS.long()].permute(0, 3, 1, 2)


def lab(*rgb: int) -> torch.Tensor:
    return lab_of(linear_light(torch.tensor(rgb, dtype=torch.uint8)))


def test_regions_have_their_colour_and_small_or_absent_ones_none():
    colors = class_colors(painted((90, 90, 96), (120, 180, 240)), MAPS, CLASSES)
    assert torch.allclose(colors[0, 10], lab(120, 180, 240), atol=1e-4)
    assert colors[1, 4].isnan().all()
    assert colors[0, 5].isnan().all()


def test_the_distance_of_a_region_is_ciede2000_of_its_colours():
    found = look_distance(painted((90, 90, 96), (120, 180, 240)), painted((90, 90, 96), (200, 120, 80)), MAPS, CLASSES)
    assert torch.allclose(found[:, 10], ciede2000(lab(120, 180, 240), lab(200, 120, 80)).expand(2), atol=1e-4)
    assert float(found[:, 0].max()) < 1e-6
    assert int(found.isfinite().sum()) == 4


def test_grain_around_the_same_mean_light_costs_nothing():
    even = torch.full((1, 3, 32, 32), 128, dtype=torch.uint8)
    light = linear_light(torch.tensor([100, 128], dtype=torch.uint8))
    share = float(linear_light(torch.tensor(160, dtype=torch.uint8)) - light[1])
    share /= float(linear_light(torch.tensor(160, dtype=torch.uint8)) - light[0])
    dark = torch.rand(32, 32, generator=torch.Generator().manual_seed(0)) < share
    grainy = torch.where(dark, 100, 160).to(torch.uint8).expand(1, 3, 32, 32)
    assert float(look_distance(grainy, even, torch.zeros(1, 32, 32, dtype=torch.uint8), CLASSES)[0, 0]) < 1.0
