"""Who paints: a renderer that play starts itself, or one at an address; and what it starts with."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from diffusion_render.model.places import has_weights

if TYPE_CHECKING:
    from render_bridge.zmq.keys import Keys

PRESETS = ("nano", "base", "toy", "palette")
"""``palette`` is the stand-in without a model: it colours the classes."""


PATIENT = ("--patience", "5")
"""For a renderer of our own: where two cores draw and paint, the threads that keep the bridge alive may wait for a
second and more. That the other one has died is seen from its process, and not from its silence."""


@dataclass(frozen=True)
class PaintPlan:
    """Who paints, and after what.

    Args:
        preset: of the renderer that play starts itself; one of PRESETS.
        random_weights: that renderer has learnt nothing.
        address: of a renderer that is there already, instead of a preset.
        keys: for an address on another machine.
        reference: picture file for the first look, instead of the teacher view.
        prompt: instead of the first look's own.
    """

    preset: str | None = None
    random_weights: bool = False
    address: str | None = None
    keys: Keys | None = None
    reference: Path | None = None
    prompt: str | None = None


def serve_words(plan: PaintPlan) -> list[str]:
    """Words of ``paintover serve`` for a preset, without the address."""
    if plan.preset == "palette":
        return ["--renderer", "palette", "--chunk", "8", "--first-chunk", "28", "--sessions", "1", *PATIENT]
    return ["--preset", str(plan.preset), *(["--random-weights"] if plan.random_weights else []), *PATIENT]


def weights_there(preset: str) -> bool:
    """True if this machine can run a preset: its weights are in the tree, and the renderer's packages installed."""
    return has_weights(preset) and all(importlib.util.find_spec(name) for name in ("torch", "safetensors"))
