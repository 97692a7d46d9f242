"""`python -m kernels.class_select.bench`: both twins on one unit of 4 frames; one JSON object."""

from __future__ import annotations

import json
import platform
from functools import partial

import torch

from kernels.timing import milliseconds

from .fast_cpu import class_select_cpu
from .plain import BLOCK, COLORS, PLACES, class_select

FRAMES, HEIGHT, WIDTH, CLASSES = 4, 256, 448, 13


def main() -> None:
    """Measure and print."""
    torch.set_num_threads(1)
    blocks = FRAMES, HEIGHT // BLOCK, WIDTH // BLOCK
    classes = torch.randint(0, CLASSES, (*blocks, PLACES), dtype=torch.int32)
    codes = classes + torch.arange(PLACES, dtype=torch.int32) * CLASSES
    figures = {}
    for dtype in (torch.float32, torch.bfloat16):
        values = torch.randn(*blocks, CLASSES * COLORS).to(dtype).permute(0, 3, 1, 2)
        name = str(dtype).removeprefix("torch.")
        figures[f"plain_{name}_ms"] = milliseconds(partial(class_select, codes, values))
        figures[f"fast_cpu_{name}_ms"] = milliseconds(partial(class_select_cpu, codes, values))
    size = {"frames": FRAMES, "width": WIDTH, "height": HEIGHT, "threads": 1}
    print(
        json.dumps({"bench": "class_select", **size, **figures, "torch": torch.__version__, "cpu": platform.machine()})
    )


if __name__ == "__main__":
    main()
