"""When the fused kernels of the processor may stand in for plain torch, and on how many threads they run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, cast

import numba
import torch
from torch import Tensor

LEAST_WORK = 1 << 15
"""Numbers below which waking a second thread costs more than it saves."""

_ONE_AT_A_TIME = threading.Lock()


def on_processor(*tensors: Tensor | None) -> bool:
    """Whether kernels for processors may take these: they know no gradients, and cannot be compiled."""
    if torch.compiler.is_compiling():
        return False
    grad = torch.is_grad_enabled()
    return all(t is None or (t.device.type == "cpu" and not (grad and t.requires_grad)) for t in tensors)


def can_fuse(*tensors: Tensor | None) -> bool:
    """``on_processor``, for kernels that take fp32 alone."""
    return all(t is None or t.dtype is torch.float32 for t in tensors) and on_processor(*tensors)


def compiled_for_play() -> bool:
    """Whether this is being compiled, and for no gradients: the same numbers may then take the order that the compiler
    makes the fewest kernels of."""
    return torch.compiler.is_compiling() and not torch.is_grad_enabled()


def run_parallel(kernel: Callable[..., None], work: int, *args: Any) -> None:
    """Call a parallel kernel on torch's number of threads, or on one if ``work`` (numbers to write) is little.

    On Linux numba's OpenMP layer binds to the runtime that torch has loaded: same threads, same way of waiting.
    Elsewhere it brings sleeping threads of its own.
    """
    wanted, config = torch.get_num_threads(), cast(Any, numba.config)
    # numba's simplest threading layer ends the process when two threads call at once, so here they take turns.
    with _ONE_AT_A_TIME:
        numba.set_num_threads(1 if work < LEAST_WORK else min(wanted, config.NUMBA_NUM_THREADS))
        if torch.get_num_threads() != wanted:  # the first call starts numba's layer, which sets OpenMP's number anew
            torch.set_num_threads(wanted)
        kernel(*args)
