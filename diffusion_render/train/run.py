"""What every stage shares: learning rate, averages, a journal of curves, and the files of a run.

A run folder holds ``settings.json``, ``curves.jsonl`` (one object a line) and ``state.pt`` (everything that the next
step needs). The same command again goes on where the last one stopped.
"""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn
from tqdm import tqdm


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
        self._file = (folder / "curves.jsonl").open("a", encoding="utf-8")
        self._bar = tqdm(total=round(total), unit=unit, mininterval=5.0)
        self._start = time.monotonic()

    def write(self, step: int, **values: float) -> None:
        """One line of curves; values are plain floats."""
        row = {"step": step, "seconds": round(time.monotonic() - self._start, 1)}
        row |= {k: round(float(v), 5) for k, v in values.items()}
        self._file.write(json.dumps(row) + "\n")
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
    """Write the resumable state whole or not at all; parts are state dictionaries and numbers."""
    temporary = folder / "state.part"
    torch.save(parts, temporary)
    temporary.replace(folder / "state.pt")


def load_run(folder: Path, device: torch.device) -> dict[str, Any] | None:
    """The state of an earlier run of this folder, or None. Loads tensors only, never code."""
    path = folder / "state.pt"
    return torch.load(path, map_location=device, weights_only=True) if path.exists() else None
