"""`python -m kernels.turned_heads.bench [device]`: both twins, compiled, on a chunk of 2016 tokens; one JSON object."""

from __future__ import annotations

import json
import platform
import sys
from functools import partial

import torch

from kernels.timing import milliseconds_on

from .fused import turned_heads_fused
from .plain import turned_heads

TOKENS, HEADS, WIDTH = 2016, 4, 128


@torch.inference_mode()
def main() -> None:
    """Measure and print."""
    device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cpu")
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    x = torch.randn(1, TOKENS, HEADS, WIDTH, device=device, dtype=dtype)
    gain = torch.rand(WIDTH, device=device, dtype=dtype)
    angle = torch.randn(TOKENS, 1, WIDTH // 2, device=device)
    cos, sin = angle.cos().repeat(1, 1, 2).to(dtype), torch.cat([-angle.sin(), angle.sin()], -1).to(dtype)
    figures = {}
    for name, twin in (("plain", turned_heads), ("fused", turned_heads_fused)):
        compiled = torch.compile(twin, dynamic=False)
        figures[f"{name}_ms"] = milliseconds_on(device, partial(compiled, x, gain, cos, sin))
    size = {"tokens": TOKENS, "heads": HEADS, "width": WIDTH, "device": str(device), "dtype": str(dtype)}
    print(
        json.dumps({"bench": "turned_heads", **size, **figures, "torch": torch.__version__, "cpu": platform.machine()})
    )


if __name__ == "__main__":
    main()
