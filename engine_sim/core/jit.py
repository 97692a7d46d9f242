"""Compiled kernels whose plain twin is the same Python function.

Rules are written once, as scalar loops over float64 and int64 with + − × ÷ and
square root. ``kernel`` compiles them without fast-math, so LLVM may neither
reassociate nor contract; ``kernel_fn.py_func`` is the uncompiled twin and must give
the same bits (a parity test holds it). Division by zero raises in both.

numba's disk cache only watches the file of the outermost function. Ours is keyed by
a hash of every source file that defines a kernel, so a changed helper in another file can never
leave a stale binary behind.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

_ROOT = Path(__file__).resolve().parents[1]


def _source_key() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(_ROOT.rglob("*.py")):
        text = path.read_bytes()
        if b"kernel" in text:
            digest.update(str(path.relative_to(_ROOT)).encode() + b"\0" + text)
    return digest.hexdigest()[:16]


def cache_dir() -> Path:
    """Folder of the compiled kernels; ``PAINTOVER_CACHE`` moves it."""
    base = os.environ.get("PAINTOVER_CACHE")
    root = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "paintover"
    return root / "kernels" / _source_key()


if not numba.config.CACHE_DIR:
    numba.config.CACHE_DIR = str(cache_dir())


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a rule: float64/int64 scalars, arrays and named tuples of arrays in and out."""
    return numba.njit(cache=True, fastmath=False, nogil=True)(function)
