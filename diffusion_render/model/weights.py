"""Weights on disk: safetensors whose header says what they are, and a loader that refuses the wrong ones by name.

Nothing executable is ever read: safetensors holds numbers and strings only. Two forms: plain, which training writes and
continues from, and packed (see ``packing``), which is shipped.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from .packing import HIGH, LOW, STEP_RATIO, STEPS, PackError, Shapes, pack, packed_shapes, unpack

FORMAT = "paintover-weights-1"
PACKED_FORMAT = "paintover-packed-1"

FLOATS = ("F16", "BF16", "F32", "F64")
WHOLES = ("BOOL", "U8", "I8", "I16", "I32", "I64")
"""Names that safetensors gives to the number types read here."""


class WeightsError(ValueError):
    """A weights file that does not fit; the message says what was expected and what came."""


@dataclasses.dataclass(frozen=True)
class WeightsHeader:
    """What a weights file says about itself.

    Args:
        part: ``renderer``, ``autoencoder``, ``generator`` or ``segmenter``.
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

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            kind = dict if field.name == "config" else str
            if not isinstance(getattr(self, field.name), kind):
                raise TypeError(f"{field.name} must be a {kind.__name__}, got {getattr(self, field.name)!r}")


def save_weights(path: Path, module: nn.Module, header: WeightsHeader, dtype: torch.dtype = torch.bfloat16) -> int:
    """Write a module's tensors and its header; returns the size in bytes. The file appears whole or not at all."""
    state = module.state_dict()
    tensors = {k: t.detach().to("cpu", dtype if t.is_floating_point() else t.dtype) for k, t in state.items()}
    tensors = {k: t.contiguous() for k, t in tensors.items()}
    return write_whole(path, tensors, {"format": FORMAT, "header": json.dumps(dataclasses.asdict(header))})


def save_packed(path: Path, module: nn.Module, header: WeightsHeader, ratio: float = STEP_RATIO) -> int:
    """The same, packed small for shipping; ``ratio`` trades size for exactness. Raises PackError for NaN weights."""
    packed = pack(module.state_dict(), ratio)
    meta = {"format": PACKED_FORMAT, "header": json.dumps(dataclasses.asdict(header)), "packed": packed.index_json}
    return write_whole(path, packed.tensors, meta)


def write_whole(path: Path, tensors: dict[str, Tensor], meta: dict[str, str]) -> int:
    """Write a safetensors file that appears whole or not at all; returns its size in bytes."""
    temporary = path.with_suffix(".part")
    save_file(tensors, temporary, meta)
    temporary.replace(path)
    return path.stat().st_size


def read_header(path: Path, **expected: Any) -> WeightsHeader:
    """The header alone. Raises WeightsError if the file is missing, truncated, foreign or not as ``expected``."""
    meta = read_meta(path)
    if meta.get("format") not in (FORMAT, PACKED_FORMAT):
        raise WeightsError(
            f"{path.name}: expected format {FORMAT!r} or {PACKED_FORMAT!r}, found {meta.get('format')!r}"
        )
    try:
        header = WeightsHeader(**json.loads(meta["header"]))
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise WeightsError(f"{path.name}: its header cannot be read ({error})") from None
    for name, value in expected.items():
        found = getattr(header, name)
        if found != value:
            raise WeightsError(f"{path.name}: expected {name} {value!r}, found {found!r}")
    return header


def read_meta(path: Path) -> dict[str, str]:
    """The strings of a safetensors file. Raises WeightsError if it is missing or not whole."""
    try:
        with safe_open(path, "pt") as file:
            return file.metadata() or {}
    except FileNotFoundError:
        raise WeightsError(f"no weights at {path}: train them or restore the file from the repository") from None
    except OSError as error:
        raise WeightsError(f"cannot read {path}: {error}") from None
    except SafetensorError as error:
        raise WeightsError(f"{path.name} is not a whole safetensors file ({error}); was it truncated?") from None


def load_weights(path: Path, module: nn.Module, may_be_missing: Collection[str] = (), **expected: Any) -> WeightsHeader:
    """Fill ``module`` from a file, plain or packed.

    Args:
        path: the file.
        module: receives the tensors in its own dtype.
        may_be_missing: names of tensors that the file need not have; the module keeps its own.
        expected: header fields that must match, e.g. ``preset="nano"``, ``class_table=RACING.hash``.

    Raises:
        WeightsError: naming the first field that differs, or the tensors that are missing, too many or damaged.
    """
    header = read_header(path, **expected)
    fill(module, path, f"{header.preset} {header.part}", may_be_missing)
    return header


def fill(module: nn.Module, path: Path, what: str, may_be_missing: Collection[str] = ()) -> None:
    """Fill ``module`` (called ``what`` in messages) from a file, whatever its header says. The rest as above."""
    own = module.state_dict()
    try:
        tensors = _read_tensors(path, what, own, frozenset(may_be_missing))
    except (SafetensorError, PackError) as error:
        raise WeightsError(f"{path.name} is damaged: {error}") from None
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise WeightsError(f"{path.name}: {name} has values that are not finite")
    module.load_state_dict(own | {k: t.to(own[k].dtype) for k, t in tensors.items()})


def _read_tensors(path: Path, what: str, own: dict[str, Tensor], optional: frozenset[str]) -> dict[str, Tensor]:
    """Tensors of a file that has those of ``own``, and no others, in their shapes; nothing is read before that.

    Those of ``optional`` may be missing.
    """
    with safe_open(path, "pt") as file:
        meta = file.metadata() or {}
        is_packed = "packed" in meta
        packed: Shapes = packed_shapes(meta["packed"]) if is_packed else {}
        loose = set(file.keys()) - ({LOW, HIGH, STEPS} if is_packed else set())
        plain: Shapes = {k: tuple(file.get_slice(k).get_shape()) for k in loose}
        found = packed.keys() | plain.keys()
        wrong = sorted((own.keys() - found - optional) | (found - own.keys())) + sorted(packed.keys() & plain.keys())
        wrong += [k for k, shape in (packed | plain).items() if k in own and tuple(own[k].shape) != shape]
        if wrong:
            raise WeightsError(f"{path.name}: tensors do not fit the {what}: {', '.join(wrong[:4])}")
        for name in loose:
            kind = file.get_slice(name).get_dtype()
            if own[name].is_floating_point() != (kind in FLOATS) or kind not in FLOATS + WHOLES:
                raise WeightsError(f"{path.name}: {name} must be {own[name].dtype}, found {kind}")
        tensors = {k: file.get_tensor(k) for k in loose}
        if is_packed:
            tensors |= unpack(file.get_tensor(LOW), file.get_tensor(HIGH), file.get_tensor(STEPS), packed)
        return tensors
