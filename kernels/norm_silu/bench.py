"""`python -m kernels.norm_silu.bench`: both twins on the rows of one unit of 4 frames; one JSON object."""

from __future__ import annotations

import json
import platform

import torch

from kernels.timing import milliseconds

from .fast_cpu import norm_silu_cpu
from .plain import norm_silu

FRAMES, HEIGHT, WIDTH, CHANNELS = 4, 64, 112, 48


@torch.inference_mode()
def main() -> None:
    """Measure and print."""
    x, added = torch.randn(2, FRAMES, HEIGHT, WIDTH, CHANNELS)
    gain = torch.rand(CHANNELS)
    figures = {
        "plain_ms": milliseconds(lambda: norm_silu(x, gain)),
        "fast_cpu_ms": milliseconds(lambda: norm_silu_cpu(x, gain)),
        "plain_of_a_sum_ms": milliseconds(lambda: norm_silu(x, gain, added)),
        "fast_cpu_of_a_sum_ms": milliseconds(lambda: norm_silu_cpu(x, gain, added)),
    }
    size = {"rows": x[..., 0].numel(), "channels": CHANNELS, "threads": torch.get_num_threads()}
    print(json.dumps({"bench": "norm_silu", **size, **figures, "torch": torch.__version__, "cpu": platform.machine()}))


if __name__ == "__main__":
    main()
