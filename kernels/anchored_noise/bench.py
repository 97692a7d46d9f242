"""`python -m kernels.anchored_noise.bench`: both twins on one chunk of 8 frames; one JSON object."""

from __future__ import annotations

import json
import platform

import torch

from kernels.timing import milliseconds

from .fast_cpu import anchored_noise_cpu
from .plain import Cameras, anchored_noise, noise_volume

FRAMES, HEIGHT, WIDTH = 8, 256, 448


def main() -> None:
    """Measure and print."""
    torch.set_num_threads(1)
    ahead, up = torch.tensor([[1.0, 0.0, 0.0]]), torch.tensor([[0.0, 0.0, 1.0]])
    cameras = Cameras(torch.rand(FRAMES, 3) * 100, ahead.repeat(FRAMES, 1), up.repeat(FRAMES, 1), torch.ones(FRAMES))
    depth = torch.rand(FRAMES, HEIGHT, WIDTH) * 100 + 1
    volume = torch.from_numpy(noise_volume())
    figures = {
        "plain_ms": milliseconds(lambda: anchored_noise(depth, cameras, volume)),
        "fast_cpu_ms": milliseconds(lambda: anchored_noise_cpu(depth, cameras)),
    }
    size = {"frames": FRAMES, "width": WIDTH, "height": HEIGHT, "threads": 1}
    print(
        json.dumps(
            {"bench": "anchored_noise", **size, **figures, "torch": torch.__version__, "cpu": platform.machine()}
        )
    )


if __name__ == "__main__":
    main()
