"""`python -m kernels.block_picture.bench`: both twins on one unit of 4 frames; one JSON object."""

from __future__ import annotations

import json
import platform

import torch

from kernels.class_select.plain import COLORS, PLACES
from kernels.timing import milliseconds

from .fast_cpu import block_picture_cpu
from .plain import block_picture

FRAMES, HEIGHT, WIDTH, CLASSES = 4, 64, 112, 13


@torch.inference_mode()
def main() -> None:
    """Measure and print."""
    values, base = torch.randn(2, FRAMES, HEIGHT, WIDTH, COLORS * PLACES).permute(0, 1, 4, 2, 3)
    corrections = torch.randn(FRAMES, HEIGHT, WIDTH, COLORS * CLASSES).permute(0, 3, 1, 2)
    classes = torch.randint(0, CLASSES, (FRAMES, HEIGHT, WIDTH, PLACES), dtype=torch.int32)
    codes = classes + torch.arange(PLACES, dtype=torch.int32) * CLASSES
    figures = {
        "plain_ms": milliseconds(lambda: block_picture(values, base, codes, corrections)),
        "fast_cpu_ms": milliseconds(lambda: block_picture_cpu(values, base, codes, corrections)),
    }
    size = {"frames": FRAMES, "width": 4 * WIDTH, "height": 4 * HEIGHT, "threads": torch.get_num_threads()}
    print(
        json.dumps({"bench": "block_picture", **size, **figures, "torch": torch.__version__, "cpu": platform.machine()})
    )


if __name__ == "__main__":
    main()
