"""Shared by all tests: deterministic property tests, no screen, no sound, one core for each worker."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Jobs in the background start with these ignored, and so would every process that a test starts and ends by them.
for name in ("SIGINT", "SIGHUP"):
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(getattr(signal, name), signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)

# Threads for every core in every worker, and in every process that it starts, only keep each other waiting.
if "PYTEST_XDIST_WORKER" in os.environ:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "LP_NUM_THREADS"):
        os.environ.setdefault(name, "1")

os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

# No deadline: the first call of a kernel may compile it.
settings.register_profile("paintover", derandomize=True, deadline=None, database=None)
settings.load_profile("paintover")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The second, short run of ``make test`` reads only the files that have a part in it."""
    if config.option.markexpr != "alone" or collection_path.suffix != ".py":
        return None
    return "mark.alone" not in collection_path.read_text() or None
