"""Where the light stands, read from the reference picture.

A generator that knows how far a camera has turned still has to find out where the light was before the turn. The
reader looks for that once a look, in the one picture that shows it, and says it as a vector that turns with the camera.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import rms_norm

LIGHT_VALUES = 3
"""Of a light: x towards where a camera looks over the ground, y to its left, z up; as long as its light is direct."""


@dataclass(frozen=True)
class LightConfig:
    """Sizes of the reader.

    Args:
        latent: channels of a latent pixel.
        structure: channels of structure features per token.
        width: of its convolutions.
        rows, columns: of the grid that says where in the picture things lie; by default every cell that is left of
            448 × 256 pixels. A coarser one blurs shadows and sides together, and the reader errs a third more.
    """

    latent: int
    structure: int
    width: int = 48
    rows: int = 4
    columns: int = 7


class LightReader(nn.Module):
    """Reference in, light out; says nothing (zeros) until it has learnt something.

    Trained by squared error, it gives the mean of all lights that a picture may have been lit by: the less it can tell,
    the shorter its vector.
    """

    def __init__(self, config: LightConfig) -> None:
        super().__init__()
        self.config = c = config
        self.look = nn.Conv2d(c.latent + c.structure, c.width, 3, padding=1)
        self.halve = nn.Conv2d(c.width, c.width, 3, stride=2, padding=1)
        self.weigh = nn.Linear(c.rows * c.columns * c.width, c.width)
        self.say = nn.Linear(c.width, LIGHT_VALUES)
        nn.init.zeros_(self.say.weight)
        nn.init.zeros_(self.say.bias)

    def forward(self, latents: Tensor, structure: Tensor) -> Tensor:
        """Latents ``[N, 1, C, h, w]``, structure ``[N, 1, S, h, w]`` → float32 ``[N, 3]``, the light as the reference's
        camera sees it. ValueError for more than one unit."""
        if latents.shape[1] != 1 or structure.shape[1] != 1:
            raise ValueError(
                f"a reference is one unit, got {latents.shape[1]} of latents and {structure.shape[1]} of structure"
            )
        # Structure features have no scale of their own.
        known = rms_norm(structure[:, 0].movedim(1, -1)).movedim(-1, 1)
        x = torch.cat([latents[:, 0].to(known.dtype), known], 1)  # [N, C + S, h, w]
        x = F.silu(self.look(x))
        x = F.silu(self.halve(x))
        x = F.adaptive_avg_pool2d(x, (self.config.rows, self.config.columns)).flatten(1)
        return self.say(F.silu(self.weigh(x))).float()
