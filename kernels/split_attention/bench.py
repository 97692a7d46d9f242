"""`python -m kernels.split_attention.bench [device]`: a chunk of 2016 queries against 5104 keys; one JSON object."""

from __future__ import annotations

import json
import platform
import sys
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from kernels.timing import milliseconds_on

from .split import split_attention

QUERIES, KEYS, HEADS, WIDTH = 2016, 5104, 4, 128
PARTS = 1, 2, 4


@torch.inference_mode()
def main() -> None:
    """Measure and print milliseconds of one call, and the largest difference from attention in one piece."""
    device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cpu")
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    q = torch.randn(1, QUERIES, HEADS, WIDTH, device=device, dtype=dtype)
    k, v = torch.randn(2, 1, KEYS, HEADS, WIDTH, device=device, dtype=dtype)
    backend = SDPBackend.CUDNN_ATTENTION if device.type == "cuda" else SDPBackend.FLASH_ATTENTION

    def whole() -> Tensor:
        with sdpa_kernel(backend):
            made = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
        return made.transpose(1, 2)

    figures: dict[str, object] = {"whole_ms": milliseconds_on(device, whole)}
    for parts in PARTS:
        call = torch.compile(split_attention, dynamic=False) if device.type == "cuda" else split_attention
        figures[f"{parts}_parts_ms"] = milliseconds_on(device, partial(call, q, k, v, parts))
        figures[f"{parts}_parts_differ"] = (call(q, k, v, parts) - whole()).abs().max().item()
    size = {"queries": QUERIES, "keys": KEYS, "heads": HEADS, "width": WIDTH, "device": str(device)}
    print(
        json.dumps(
            {"bench": "split_attention", **size, **figures, "torch": torch.__version__, "cpu": platform.machine()}
        )
    )


if __name__ == "__main__":
    main()
