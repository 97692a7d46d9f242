"""What every stage shares: learning rate, averages, a journal of curves, and the files of a run.

A run folder holds ``settings.json``, ``curves.jsonl`` (one object a line) and ``state.pt`` (everything that the next
step needs). The same command again goes on where the last one stopped.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

try:
    import fcntl
except ImportError:  # not there on Windows, where two runs of one folder are not noticed
    fcntl = None  # type: ignore[assignment]

STATE = "state.pt"


class RunError(ValueError):
    """A run folder that cannot be used, or a run that came to nothing; the message names the folder."""


def learning_rate(step: int, share: float, peak: float, warmup: int) -> float:
    """Linear warm-up over ``warmup`` steps, times a cosine from the peak down to 2 % of it as ``share`` goes 0 → 1."""
    fall = 0.02 + 0.98 * 0.5 * (1.0 + math.cos(math.pi * min(1.0, share)))
    return peak * min(1.0, (step + 1) / warmup) * fall


class WeightAverage:
    """Exponential moving average of a module's parameters, started at its own values."""

    def __init__(self, module: nn.Module, decay: float) -> None:
        self.decay, self.steps = decay, 0
        self.values = [p.detach().clone() for p in module.parameters()]

    @torch.no_grad()
    def update(self, module: nn.Module) -> None:
        """One step; early steps average faster, so that the start does not linger."""
        self.steps += 1
        decay = min(self.decay, self.steps / (self.steps + 10.0))
        torch._foreach_lerp_(self.values, list(module.parameters()), 1.0 - decay)

    def state(self) -> dict[str, Any]:
        """Averages and the count of steps."""
        return {"values": self.values, "steps": self.steps}

    def load(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` gave."""
        self.values, self.steps = state["values"], state["steps"]

    @torch.no_grad()
    def swap(self, module: nn.Module) -> None:
        """Exchange the averages with the module's parameters; call twice to come back."""
        for own, value in zip(module.parameters(), self.values, strict=True):
            kept = own.detach().clone()
            own.copy_(value)
            value.copy_(kept)


class Journal:
    """Appends measured values to ``curves.jsonl`` and shows the newest in a progress bar.

    Args:
        folder: run folder; created.
        total: what counts as done (seconds or steps), for the bar.
        settings: written to ``settings.json``.
    """

    def __init__(self, folder: Path, total: float, unit: str, settings: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(settings, indent=1, default=str) + "\n")
        curves = folder / "curves.jsonl"
        cut = curves.exists() and curves.read_bytes()[-1:] not in (b"", b"\n")  # killed within a line
        self._file = curves.open("a", encoding="utf-8")
        if cut:
            self._file.write("\n")
        self._bar = tqdm(total=round(total), unit=unit, mininterval=5.0)
        self._start = time.monotonic()

    def write(self, step: int, **values: float) -> None:
        """One line of curves; values are plain floats, and null where they are not finite, for JSON has no such."""
        row: dict[str, float | None] = {"step": step, "seconds": round(time.monotonic() - self._start, 1)}
        row |= {k: round(float(v), 5) if math.isfinite(v) else None for k, v in values.items()}
        self._file.write(json.dumps(row, allow_nan=False) + "\n")
        self._file.flush()
        shown = " ".join(f"{k} {v:.3g}" for k, v in values.items())
        tqdm.write(f"step {step:6d}  {row['seconds']:7.1f} s  {shown}")

    def progress(self, done: float) -> None:
        """Move the bar to ``done``."""
        self._bar.update(round(done) - self._bar.n)

    def close(self) -> None:
        """End the bar and the file."""
        self._bar.close()
        self._file.close()


def save_run(folder: Path, **parts: Any) -> None:
    """Write the resumable state whole or not at all; parts are state dictionaries and numbers.

    Raises:
        RunError: the disk refuses; an earlier state is untouched.
    """
    temporary = folder / "state.part"
    try:
        torch.save(parts, temporary)
        temporary.replace(folder / STATE)
    except (OSError, RuntimeError) as error:  # torch's writer has a RuntimeError for a full disk
        raise RunError(
            f"cannot write {folder / STATE} ({first_line(error)}): is the disk full? A state from before is untouched"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def load_run(folder: Path, device: torch.device) -> dict[str, Any] | None:
    """The state of an earlier run of this folder, or None. Loads tensors only, never code.

    Raises:
        RunError: the file is no state of a run, or not all of one.
    """
    path = folder / STATE
    if not path.exists():
        return None
    try:
        saved = torch.load(path, map_location=device, weights_only=True)
        if not isinstance(saved, dict) or not {"trainer", "step", "seconds"} <= saved.keys():
            raise ValueError("it lacks trainer, step and seconds")
    except torch.OutOfMemoryError:
        raise
    except Exception as error:  # zip, pickle and the system have errors of their own, KeyError among them
        raise RunError(
            f"{path} cannot be read as the state of a run ({first_line(error)}): was it cut short, or is it another "
            "program's? Without this file the stage begins anew"
        ) from error
    return saved


def all_finite(state: Any) -> bool:
    """Whether every number of nested dictionaries and lists is finite; one wait for each device."""
    flags: dict[torch.device, list[Tensor]] = {}
    for tensor in _tensors(state):
        if tensor.is_floating_point():
            flags.setdefault(tensor.device, []).append(torch.isfinite(tensor).all())
    return all(bool(torch.stack(there).all()) for there in flags.values())


def _tensors(state: Any) -> Iterator[Tensor]:
    """Every tensor of nested dictionaries and lists."""
    if isinstance(state, Tensor):
        yield state
    elif isinstance(state, dict | list | tuple):
        for part in state.values() if isinstance(state, dict) else state:
            yield from _tensors(part)


@contextlib.contextmanager
def sole_use(folder: Path) -> Iterator[None]:
    """Inside, no other run has this folder. RunError if one has; the system lets go of it with the process."""
    folder.mkdir(parents=True, exist_ok=True)
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(f"another run is training in {folder}: wait for it, or take another folder") from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(handle)


def first_line(error: Exception) -> str:
    """What an error says first, or its name if it says nothing."""
    return next(iter(str(error).strip().splitlines()), "")[:160] or type(error).__name__
