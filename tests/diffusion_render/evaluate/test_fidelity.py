"""Fidelity on pictures whose answers follow from the definitions."""

import math

import numpy as np
import pytest
import torch

from diffusion_render.evaluate.fidelity import psnr, saturation_ratio, ssim, ssim_map
from diffusion_render.evaluate.pictures import check_pair, from_bytes, luma

PICTURE = torch.rand(2, 3, 32, 48, generator=torch.Generator().manual_seed(0)) * 2 - 1


def flat(level: float) -> torch.Tensor:
    return torch.full((1, 3, 32, 32), level)


def test_equal_pictures_have_the_best_scores():
    assert float(psnr(PICTURE, PICTURE)) == pytest.approx(126.02, abs=0.01)
    assert float(ssim(PICTURE, PICTURE)) == pytest.approx(1.0, abs=1e-6)
    assert float(saturation_ratio(PICTURE, PICTURE)) == 1.0


def test_psnr_of_a_known_error():
    assert float(psnr(flat(0.1), flat(0.0))) == pytest.approx(10 * math.log10(4 / 0.01), abs=1e-3)


def test_psnr_does_not_count_what_lies_outside_the_range():
    assert float(psnr(flat(3.0), flat(1.0))) == float(psnr(flat(1.0), flat(1.0)))


@pytest.mark.parametrize(("a", "b"), [(0.0, 0.5), (-0.8, -0.6), (1.0, -1.0)])
def test_ssim_of_flat_pictures_is_its_luminance_term(a, b):
    x, y, c1 = a + 1, b + 1, (0.01 * 2) ** 2
    expected = (2 * x * y + c1) / (x * x + y * y + c1)
    assert float(ssim(flat(a), flat(b))) == pytest.approx(expected, abs=1e-4)


def naive_ssim(x: np.ndarray, y: np.ndarray, row: int, col: int) -> float:
    """The definition, spelt out for one pixel; x and y are luma from 0 to 2."""
    place = np.arange(-5, 6)
    g = np.exp(-(place[:, None] ** 2 + place[None] ** 2) / (2 * 1.5**2))
    g /= g.sum()
    a, b = (v[row - 5 : row + 6, col - 5 : col + 6] for v in (x, y))
    ma, mb = (g * a).sum(), (g * b).sum()
    va, vb, cov = (g * (a - ma) ** 2).sum(), (g * (b - mb) ** 2).sum(), (g * (a - ma) * (b - mb)).sum()
    c1, c2 = 0.02**2, 0.06**2
    return (2 * ma * mb + c1) * (2 * cov + c2) / ((ma**2 + mb**2 + c1) * (va + vb + c2))


def test_ssim_of_pixels_is_the_definition():
    other = (PICTURE + 0.3 * torch.randn(PICTURE.shape, generator=torch.Generator().manual_seed(1))).clamp(-1, 1)
    found = ssim_map(other, PICTURE)
    x, y = (luma(p)[1].double().numpy() + 1 for p in (other, PICTURE))
    for row, col in ((5, 5), (16, 20), (26, 42)):
        assert float(found[1, row, col]) == pytest.approx(naive_ssim(x, y, row, col), abs=1e-4)
    assert found.shape == (2, 32, 48)


def test_ssim_falls_with_blur_where_the_mean_stays():
    soft = torch.nn.functional.avg_pool2d(PICTURE, 3, 1, 1, count_include_pad=False)
    softer = torch.nn.functional.avg_pool2d(PICTURE, 7, 1, 3, count_include_pad=False)
    assert 1 > float(ssim(soft, PICTURE)) > float(ssim(softer, PICTURE))


def test_pairs_of_unknown_range_or_shape_are_refused():
    picture = torch.zeros(2, 3, 32, 32, dtype=torch.uint8)
    maps = torch.zeros(2, 32, 32, dtype=torch.uint8)
    check_pair(picture, picture, maps)
    for output, teacher, class_maps in (
        (from_bytes(picture), picture, maps),
        (picture, picture[:1], maps),
        (picture, picture, maps[:1]),
        (picture, picture, maps.long()),
        (picture[:0], picture[:0], maps[:0]),
    ):
        with pytest.raises(ValueError, match=r"expected|must be uint8"):
            check_pair(output, teacher, class_maps)
