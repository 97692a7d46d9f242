"""Trained renderers as they lie in a folder: where, how they are opened, in which number type they run."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from render_bridge.palette import RACING

from .packing import STEP_RATIO
from .places import has_weights as has_weights
from .places import weights_folder as weights_folder
from .places import weights_path
from .renderer import PRESETS, Renderer, RendererConfig
from .weights import WeightsError, WeightsHeader, load_weights, read_header, save_packed

MOST_PARAMETERS = 2**27
MOST_LAYERS, MOST_SIZE = 64, 4096
"""Bounds of what a file may ask to be built: 512 MiB in fp32, and no network that takes minutes to put together."""


def open_renderer(
    preset: str = "nano",
    folder: Path | None = None,
    device: torch.device | str = "cpu",
    dtype: torch.dtype | None = None,
) -> Renderer:
    """A trained renderer in evaluation mode, without gradients.

    Args:
        preset: name of a preset; sizes come from the file's own header.
        folder: of the weights; ``weights_folder()`` if None.
        device: where it runs.
        dtype: number type of its weights; ``best_dtype(device)`` if None.

    Raises:
        WeightsError: if the file is missing, damaged, or made for another preset or class table; by name.
        ValueError: if there is no such device.
    """
    if preset not in PRESETS:
        raise WeightsError(f"unknown preset {preset!r}; expected one of {', '.join(PRESETS)}")
    if torch.device(device).type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"there is no {device} here that torch could use; device 'cpu' is always there")
    path = weights_path(preset, folder)
    expected = {"part": "renderer", "preset": preset, "class_table": RACING.hash}
    header = read_header(path, **expected)
    try:
        config = read_config(header.config)
        renderer = _build_renderer(config)
    except ValueError as error:
        raise WeightsError(f"{path.name}: {error}") from None
    if config.preset != preset or config.autoencoder.classes != len(RACING):
        raise WeightsError(
            f"{path.name}: expected a config for {preset!r} with {len(RACING)} classes, "
            f"found {config.preset!r} with {config.autoencoder.classes}"
        )
    load_weights(path, renderer, **expected)
    chosen = best_dtype(device) if dtype is None else dtype
    return renderer.to(device, chosen).eval().requires_grad_(False)


def save_renderer(path: Path, renderer: Renderer, header: WeightsHeader, ratio: float = STEP_RATIO) -> int:
    """Write a renderer packed, as it is shipped; returns the size in bytes.

    Raises:
        WeightsError: if the header does not describe this renderer.
        PackError: if weights are not finite.
    """
    own = renderer.config
    if header.part != "renderer" or header.preset != own.preset or read_config(header.config) != own:
        raise WeightsError(
            f"the header ({header.part!r}, preset {header.preset!r}) does not describe this renderer "
            f"('renderer', preset {own.preset!r}): give it that preset and dataclasses.asdict(config)"
        )
    return save_packed(path, renderer, header, ratio)


def best_dtype(device: torch.device | str, cpu: Mapping[str, Any] | None = None) -> torch.dtype:
    """The number type in which a renderer runs fastest on a device, of those that it was measured in.

    bfloat16 on CUDA, and on processors that multiply it natively: with AMX (2 to 3 × float32 at the sizes of ``nano``),
    or an AMD with AVX-512 BF16 (1.5 × for a generator step, 1.8 × for the decoder). Intel's AVX-512 BF16 without AMX
    was slower than float32.

    Args:
        device: where the renderer runs.
        cpu: what ``torch.cpu.get_capabilities`` says; asked if None.
    """
    kind = torch.device(device).type
    if kind == "cuda":
        return torch.bfloat16
    if kind != "cpu":
        return torch.float32
    has = cpu_capabilities() if cpu is None else cpu
    amd = "amd" in str(has.get("cpu_name", "")).lower()
    native = has.get("amx_bf16") or (amd and has.get("avx512_bf16"))
    return torch.bfloat16 if native else torch.float32


def cpu_capabilities() -> Mapping[str, Any]:
    """The processor's name and units, by torch's names; empty where torch does not know."""
    ask = getattr(torch.cpu, "get_capabilities", None)
    return ask() if ask else {}


def read_config(values: dict[str, Any]) -> RendererConfig:
    """A header's config as a dataclass; fields that it lacks have their default. Raises ValueError naming the field."""
    return _build(RendererConfig, values, "config")


class _Budget(TorchFunctionMode):
    """Stops a network from being built as soon as its tensors outgrow ``MOST_PARAMETERS``.

    A dry run on the meta device would do, but the first draw of random numbers there imports torch's compiler: 0.8 s.
    """

    def __init__(self) -> None:
        super().__init__()
        self.spent = 0

    def __torch_function__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in (torch.empty, torch.randn, torch.zeros, torch.ones):
            self.spent += result.numel()
            if self.spent > MOST_PARAMETERS:
                raise ValueError(f"its config asks for more than {MOST_PARAMETERS} parameters")
        return result


def _build_renderer(config: RendererConfig) -> Renderer:
    """An untrained renderer; ValueError if it cannot or must not be built. Leaves the random numbers as they are."""
    try:
        with torch.random.fork_rng(devices=[]), _Budget():
            return Renderer(config)
    except (RuntimeError, TypeError, ArithmeticError) as error:
        raise ValueError(f"its config cannot be built ({error})") from None


def _build(kind: Any, values: Any, place: str) -> Any:
    """``values`` as ``kind``: a config dataclass, ``int``, ``str`` … or a tuple of integers."""
    if dataclasses.is_dataclass(kind):
        if not isinstance(values, dict):
            raise ValueError(f"{place} must be a table, got {values!r:.40}")
        hints = typing.get_type_hints(kind)
        unknown = sorted(set(values) - set(hints))
        if unknown:
            raise ValueError(f"{place} has the unknown field {unknown[0]!r:.40}: was it written by a newer version?")
        return typing.cast(type, kind)(**{k: _build(hints[k], v, f"{place}.{k}") for k, v in values.items()})
    if isinstance(kind, types.GenericAlias):
        if not isinstance(values, list | tuple) or len(values) > MOST_LAYERS:
            raise ValueError(f"{place} must be a short list, got {values!r:.40}")
        return tuple(_build(kind.__args__[0], v, place) for v in values)
    if type(values) is not kind:
        raise ValueError(f"{place} must be {kind.__name__}, got {values!r:.40}")
    most = MOST_LAYERS if place.endswith(("layers", "blocks")) else MOST_SIZE
    if kind is int and not 0 <= values <= most:
        raise ValueError(f"{place} must lie between 0 and {most}, got {values}")
    return values
