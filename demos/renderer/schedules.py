"""A schedule as it comes over the bridge, names to integers, turned into the stream's plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from demos.renderer.fades import NAME
from diffusion_render.model.encoder import FRAMES
from diffusion_render.stream.schedule import Schedule

RANGES = {"chunk": (1, 8), "history": (0, 8), "sink": (0, 4), "steps": (1, 8), "history_noise": (0, 900)}
"""Name → lowest and highest. ``steps`` counts the sampler's steps; ``history_noise`` is in thousandths."""
SHIFT = 1.5
"""Of the noise levels towards 1: two steps then visit the levels (1, 0.6) of the default plan."""


def noise_levels(steps: int) -> tuple[float, ...]:
    """Levels of a sampler of so many steps, from 1 down: u = 1 − k/steps, shifted to SHIFT·u / (1 + (SHIFT − 1)·u)."""
    even = [1.0 - k / steps for k in range(steps)]
    return tuple(SHIFT * u / (1.0 + (SHIFT - 1.0) * u) for u in even)


def read_schedule(values: Mapping[str, int], plan: Schedule, most_frames: int) -> Schedule:
    """The plan with these values; names that are missing keep theirs.

    Args:
        values: see RANGES.
        plan: in force until now.
        most_frames: longest run that can be asked for.

    Raises:
        ValueError: unknown name, value out of range, or a chunk longer than a run may be.
    """
    unknown = sorted(set(values) - set(RANGES))
    if unknown:
        why = "it is what WELCOME says" if unknown[0] == "first" else f"there are {', '.join((*RANGES, NAME))}"
        raise ValueError(f"a schedule has no {unknown[0]!r} to change: {why}")
    for name, value in values.items():
        low, high = RANGES[name]
        if not low <= value <= high:
            raise ValueError(f"schedule: {name} must be {low} to {high}, got {value}")
    changed: dict[str, object] = {k: v for k, v in values.items() if k in ("chunk", "history", "sink")}
    if "steps" in values:
        changed["steps"] = noise_levels(values["steps"])
    if "history_noise" in values:
        changed["history_noise"] = values["history_noise"] / 1000
    remembered = values.get("sink", plan.sink) + values.get("history", plan.history)
    new: Schedule = replace(plan, first=max(plan.first, remembered + 1), **changed)  # type: ignore[arg-type]
    if new.chunk * FRAMES > most_frames:
        raise ValueError(f"schedule: a chunk of {new.chunk} units is {new.chunk * FRAMES} frames; most: {most_frames}")
    return new


def fit_window(plan: Schedule, units: int, begun: bool) -> Schedule:
    """The plan under which a run of so many units is one window.

    Runs are granted before a new plan arrives, and a stream that begins again after a failure gets short ones:
    whatever comes is drawn as a window of its own length, and remembers what it can.
    """
    if begun:
        return replace(plan, chunk=units)
    history = min(plan.history, units)
    sink = min(plan.sink, units - history, units - 1)
    return replace(plan, first=units, history=history, sink=sink)
