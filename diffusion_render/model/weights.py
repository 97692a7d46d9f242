"""Weights on disk: safetensors whose header says what they are, and a loader that refuses the wrong ones by name.

Nothing executable is ever read: safetensors holds numbers and strings only.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

FORMAT = "paintover-weights-1"


class WeightsError(ValueError):
    """A weights file that does not fit; the message says what was expected and what came."""


@dataclasses.dataclass(frozen=True)
class WeightsHeader:
    """What a weights file says about itself.

    Args:
        part: ``autoencoder``, ``generator`` or ``segmenter``.
        preset: ``nano`` or ``base``, or ``toy`` in tests.
        stage: training stage that made it.
        sampler: the sampler that it needs, ``none`` for parts that do not sample.
        class_table: hash of the class table.
        config: the part's config as a dictionary.
        data: description of the training data.
    """

    part: str
    preset: str
    stage: str
    sampler: str
    class_table: str
    config: dict[str, Any]
    data: str


def save_weights(path: Path, module: nn.Module, header: WeightsHeader, dtype: torch.dtype = torch.bfloat16) -> int:
    """Write a module's tensors and its header; returns the size in bytes. The file appears whole or not at all."""
    tensors = {name: t.detach().to("cpu", dtype).contiguous() for name, t in module.state_dict().items()}
    temporary = path.with_suffix(".part")
    save_file(tensors, temporary, {"format": FORMAT, "header": json.dumps(dataclasses.asdict(header))})
    temporary.replace(path)
    return path.stat().st_size


def read_header(path: Path) -> WeightsHeader:
    """The header alone. Raises WeightsError if the file is missing, truncated or foreign."""
    try:
        with safe_open(path, "pt") as file:
            meta = file.metadata() or {}
    except FileNotFoundError:
        raise WeightsError(f"no weights at {path}: train them or restore the file from the repository") from None
    except SafetensorError as error:
        raise WeightsError(f"{path.name} is not a whole safetensors file ({error}); was it truncated?") from None
    if meta.get("format") != FORMAT:
        raise WeightsError(f"{path.name}: expected format {FORMAT!r}, found {meta.get('format')!r}")
    return WeightsHeader(**json.loads(meta["header"]))


def load_weights(path: Path, module: nn.Module, **expected: Any) -> WeightsHeader:
    """Fill ``module`` from a file.

    Args:
        path: the file.
        module: receives the tensors in its own dtype.
        expected: header fields that must match, e.g. ``preset="nano"``, ``class_table=RACING.hash``.

    Raises:
        WeightsError: naming the first field that differs, or the tensors that are missing or too many.
    """
    header = read_header(path)
    for name, value in expected.items():
        found = getattr(header, name)
        if found != value:
            raise WeightsError(f"{path.name}: expected {name} {value!r}, found {found!r}")
    tensors: dict[str, Tensor] = {}
    with safe_open(path, "pt") as file:
        for key in file.keys():  # noqa: SIM118 - a safetensors file is not a dictionary
            tensors[key] = file.get_tensor(key)
    own = module.state_dict()
    wrong = sorted(own.keys() ^ tensors.keys())
    wrong += [k for k in own.keys() & tensors.keys() if own[k].shape != tensors[k].shape]
    if wrong:
        raise WeightsError(f"{path.name}: tensors do not fit the {header.preset} {header.part}: {', '.join(wrong[:4])}")
    module.load_state_dict({k: t.to(own[k].dtype) for k, t in tensors.items()})
    return header
