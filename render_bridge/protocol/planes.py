"""Guide planes (R-18, R-44): optional companions of the class map, whose types are fixed by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .faults import Fault, LocalProtocolError, ProtocolError, RemoteProtocolError


@dataclass(frozen=True)
class PlaneType:
    """Element type and channels of a guide plane, and what its numbers mean."""

    name: str
    dtype: str
    channels: int
    meaning: str

    def shape(self, width: int, height: int) -> tuple[int, ...]:
        """``[H, W]``, or ``[H, W, C]`` with more than one channel."""
        return (height, width) if self.channels == 1 else (height, width, self.channels)

    def offer(self) -> dict[str, Any]:
        """PLANE of the specification."""
        return {"name": self.name, "dtype": self.dtype, "channels": self.channels}


PLANES = {
    p.name: p
    for p in (
        PlaneType("depth", "float16", 1, "metres along the viewing axis; sky 65504"),
        PlaneType("motion", "float32", 2, "pixels, x right, y down, to this point in the last frame sent"),
        PlaneType("object", "uint8", 1, "0 static, else object number"),
    )
}
"""Every plane of this version, by name."""


def choose_planes(offers: Iterable[Mapping[str, Any]], wanted: Iterable[str]) -> tuple[str, ...]:
    """Names of the offered planes that the renderer wants, in the order of the offer.

    Raises:
        RemoteProtocolError: a known name is offered with other types.
    """
    chosen = []
    for offer in offers:
        known = PLANES.get(offer["name"])
        if known is None:
            continue
        if known.offer() != dict(offer):
            text = f"plane {known.name!r} is {known.dtype} x {known.channels}, offered as {dict(offer)}"
            raise RemoteProtocolError(Fault.OUT_OF_RANGE, text)
        if known.name in set(wanted):
            chosen.append(known.name)
    return tuple(chosen)


def check_planes(names: Sequence[str], chosen: Sequence[str]) -> None:
    """R-18: a frame carries exactly the chosen planes. RemoteProtocolError otherwise."""
    if tuple(names) != tuple(chosen):
        text = f"the greeting chose the planes {list(chosen)}, the frame carries {list(names)}"
        raise RemoteProtocolError(Fault.WRONG_PLANES, text)


def check_finite(name: str, plane: NDArray[np.generic], blame: type[ProtocolError]) -> None:
    """R-44: ``blame`` with the first pixel, in row order, that is not a number or infinite."""
    if plane.dtype.kind != "f" or _is_finite(plane):
        return
    row, column = (int(v) for v in np.argwhere(~np.isfinite(plane))[0][:2])
    text = f"plane {name!r} holds {plane[row, column]} at row {row}, column {column}; every value must be finite"
    raise blame(Fault.BAD_PLANE, text, {"plane": name, "row": row, "column": column})


def _is_finite(plane: NDArray[np.generic]) -> bool:
    """By the bits, whose order is that of the numbers: for float16 25 times as fast as asking each number."""
    size = plane.dtype.itemsize
    endless = {2: 0x7C00, 4: 0x7F800000}[size]  # infinity; what is beyond it is not a number
    sign = 1 << (8 * size - 1)
    return int(plane.view(f"i{size}").max()) < endless and int(plane.view(f"u{size}").max()) < sign + endless


def check_plane(name: str, plane: NDArray[np.generic], width: int, height: int) -> None:
    """Our own plane has its type and shape and is finite. LocalProtocolError otherwise."""
    kind = PLANES[name]
    if plane.dtype != np.dtype(kind.dtype) or plane.shape != kind.shape(width, height):
        shape = list(kind.shape(width, height))
        text = f"plane {name!r} is {kind.dtype} {shape}, got {plane.dtype} {list(plane.shape)}"
        raise LocalProtocolError(Fault.WRONG_PLANES, text)
    check_finite(name, plane, LocalProtocolError)
