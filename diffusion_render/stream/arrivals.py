"""Frames that wait for their window: class maps and guides in pieces, as they were pushed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..model.encoder import FRAMES
from .guides import Guides


class Piece(NamedTuple):
    """Frames that came together: ``maps`` uint8 ``[F, H, W]`` on the device, and their guides, if they have any."""

    maps: Tensor
    guides: Guides | None

    def part(self, first: int, end: int) -> Piece:
        """Frames ``first`` to ``end``, that one excluded; at least one of them must exist."""
        if first <= 0 and end >= len(self.maps):
            return self
        return Piece(self.maps[max(first, 0) : end], guides_between(self.guides, first, end))


def guides_between(guides: Guides | None, first: int, end: int) -> Guides | None:
    """Guides of frames ``first`` to ``end``, that one excluded."""
    part = slice(max(first, 0), end)
    return None if guides is None else Guides(guides.depth[part], guides.camera[part])


def frames_in(pieces: Sequence[Piece]) -> int:
    """How many frames the pieces have together."""
    return sum(len(piece.maps) for piece in pieces)


def maps_of(pieces: Sequence[Piece]) -> Tensor:
    """uint8 ``[1, F, H, W]`` of all pieces, contiguous: compiled code is made anew for other strides."""
    maps = [piece.maps for piece in pieces]
    return (maps[0].contiguous() if len(maps) == 1 else torch.cat(maps))[None]


def guides_of(pieces: Sequence[Piece], frames: int = FRAMES) -> list[Guides | None]:
    """Guides of each unit, None for one that has a frame without any.

    Args:
        pieces: a whole number of units.
        frames: of a unit.
    """
    return [_joined(pieces, first, first + frames) for first in range(0, frames_in(pieces), frames)]


def _joined(pieces: Sequence[Piece], first: int, end: int) -> Guides | None:
    """Guides of frames ``first`` to ``end`` of all pieces."""
    parts: list[Guides] = []
    begin = 0
    for piece in pieces:
        after = begin + len(piece.maps)
        if begin < end and after > first:
            guides = guides_between(piece.guides, first - begin, end - begin)
            if guides is None:
                return None
            parts.append(guides)
        begin = after
    return parts[0] if len(parts) == 1 else Guides(*(torch.cat(of_each) for of_each in zip(*parts, strict=True)))
