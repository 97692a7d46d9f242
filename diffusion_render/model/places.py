"""Where weights lie. No torch, so that asking whether there are any costs nothing."""

from __future__ import annotations

import os
from pathlib import Path

WEIGHTS_VARIABLE = "PAINTOVER_WEIGHTS"
"""Environment variable that names another folder of weights."""


def weights_folder() -> Path:
    """Folder of the shipped weights: ``PAINTOVER_WEIGHTS`` if set, else ``assets/weights`` of the repository."""
    named = os.environ.get(WEIGHTS_VARIABLE)
    return Path(named) if named else Path(__file__).resolve().parents[2] / "assets" / "weights"


def weights_path(preset: str, folder: Path | None = None) -> Path:
    """The file of a preset's renderer."""
    return (folder or weights_folder()) / f"{preset}.safetensors"


def has_weights(preset: str, folder: Path | None = None) -> bool:
    """Whether there is a file for the preset; ``open_renderer`` says whether it is any good."""
    return weights_path(preset, folder).is_file()
