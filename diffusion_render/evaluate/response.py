"""Response: how many frames pass from an input to its first visible effect.

The same drive is streamed twice, once with an impulse on the controls from some frame on. Before that frame both
streams get the same class maps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

VISIBLE = 12.75
"""Grey levels (5 % of 255) by which pixels must differ on average to count as an effect."""
_LEAST_SHARE = 0.001


class Response(NamedTuple):
    """Frames from the impulse on; None where nothing visible came.

    ``map``: to the first class map that differs (the engine's own delay). ``picture``: to the first picture that
    differs, by its place in the video. ``shown``: to the moment at which that picture had left the renderer: a chunk is
    drawn once all of its class maps are there.
    """

    map: int | None
    picture: int | None
    shown: int | None


def measure_response(
    start: Callable[[], Callable[[Tensor], list[Tensor]]], calm: Tensor, impulse: Tensor, at: int
) -> Response:
    """Stream both drives frame by frame and compare.

    Args:
        start: begins a fresh stream and returns its ``push``: class maps uint8 ``[1, H, W]`` in, ready pictures uint8
            ``[3, H, W]`` out, in order.
        calm, impulse: class maps uint8 ``[F, H, W]`` of the drive without and with the impulse.
        at: the first frame that the impulse can change.

    Raises:
        ValueError: if the maps differ before ``at``, or in their shapes.
    """
    if calm.shape != impulse.shape or not 0 <= at < len(calm) or not torch.equal(calm[:at], impulse[:at]):
        raise ValueError(
            f"expected two drives of one shape that are equal before frame {at}, got {tuple(calm.shape)} and "
            f"{tuple(impulse.shape)}"
        )
    differs = calm != impulse  # [F, H, W]
    enough = differs.float().mean((1, 2)) >= _LEAST_SHARE
    first_map = _first(enough)
    pictures, ready = _stream(start(), calm)
    others, _ = _stream(start(), impulse)
    seen = torch.tensor([_visible(a, b, d) for a, b, d in zip(pictures, others, differs)], dtype=torch.bool)
    first = _first(seen & enough[: len(seen)])
    if first is None:
        return Response(None if first_map is None else first_map - at, None, None)
    return Response(first_map - at if first_map is not None else None, first - at, ready[first] - at)


def _stream(push: Callable[[Tensor], list[Tensor]], class_maps: Tensor) -> tuple[list[Tensor], list[int]]:
    """Pictures, and for each the number of the frame whose class map released it."""
    pictures: list[Tensor] = []
    ready: list[int] = []
    for k in range(len(class_maps)):
        made = push(class_maps[k : k + 1])
        pictures += made
        ready += [k] * len(made)
    return pictures, ready


def _visible(one: Tensor, two: Tensor, differs: Tensor) -> bool:
    """Whether the pictures differ where the class maps do."""
    if not bool(differs.any()):
        return False
    change = (one.float() - two.float()).abs().mean(0)
    return float(change[differs.to(change.device)].mean()) >= VISIBLE


def _first(flags: Tensor) -> int | None:
    found = flags.nonzero()
    return int(found[0]) if len(found) else None
