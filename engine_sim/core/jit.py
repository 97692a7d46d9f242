"""Compiled kernels whose plain twin is the same Python function.

Rules are written once, as scalar loops over float64 and int64 with + − × ÷ and
square root. ``kernel`` compiles them without fast-math, so LLVM may neither
reassociate nor contract; ``kernel_fn.py_func`` is the uncompiled twin and must give
the same bits (a parity test holds it). Division by zero raises in both.

numba's disk cache watches only the file of the outermost function. Ours is keyed by the
sources of that file and of every file that it imports from this package, so a
changed helper elsewhere can never leave a stale binary behind.
"""

from __future__ import annotations

import ast
import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from .errors import UserError

try:
    import numba
except ValueError as error:  # Its settings come from the environment, and it checks them as it is imported.
    raise UserError(f"numba refuses its settings ({error}); correct or unset the NUMBA_… variables") from error

_PACKAGE = Path(__file__).resolve().parents[1]


def cache_root() -> Path:
    """Folder of the compiled kernels; ``PAINTOVER_CACHE`` moves it.

    A folder that cannot be written gives way to one inside the package, and if that cannot be either, rules are
    compiled anew in each process: numba would put them beside their source, by the date of that one file alone.
    """
    places = _places()
    return next((place for place in places if can_be_written(place)), places[0])


def is_off() -> bool:
    """True if numba was told to compile nothing."""
    config: Any = numba.config
    return bool(config.DISABLE_JIT)


def _places() -> list[Path]:
    """Where kernels may lie, best first."""
    base, shared = os.environ.get("PAINTOVER_CACHE"), Path(os.environ.get("XDG_CACHE_HOME", ""))
    own = _PACKAGE / "__pycache__" / "kernels"
    if base:
        return [Path(base) / "kernels", own]
    if shared.is_absolute():  # by its specification anything else does not count
        return [shared / "paintover" / "kernels", own]
    try:
        return [Path.home() / ".cache" / "paintover" / "kernels", own]
    except RuntimeError:  # a user that the system does not know, as in containers
        return [own]


@cache
def can_be_written(folder: Path) -> bool:
    """Whether files can be made there; makes the folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    """Files of this package that ``path`` imports by relative import."""
    found = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for candidate in [base, *(base / alias.name for alias in node.names)]:
                if (file := candidate.with_suffix(".py")).is_file():
                    found.append(file)
    return tuple(found)


@cache
def source_key(path: Path) -> str:
    """16 hex digits over the sources that a kernel in ``path`` can call."""
    pending, seen = [path], {path}
    while pending:
        for file in _imports(pending.pop()):
            if file not in seen:
                seen.add(file)
                pending.append(file)
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sorted(seen):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a rule: float64/int64 scalars, arrays and named tuples of arrays in and out."""
    path = Path(function.__code__.co_filename).resolve()
    if _PACKAGE not in path.parents:
        return numba.njit(nogil=True)(function)
    root = cache_root()
    if not can_be_written(root):
        return numba.njit(nogil=True)(function)
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(root / source_key(path))
    try:
        return numba.njit(cache=True, nogil=True)(function)
    finally:
        config.CACHE_DIR = before
