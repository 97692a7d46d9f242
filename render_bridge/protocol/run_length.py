"""Run-length encoding of class maps (R-43): records of 3 bytes, u8 value and u16 little-endian count, row-major."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .faults import Fault, RemoteProtocolError
from .message_base import Buffer

LONGEST_RUN = 65_535
RUN = np.dtype([("value", "u1"), ("count", "<u2")])
WORD = np.dtype("u8")
"""Eight answers at once; only their order in memory matters, which is that of the pixels on any machine."""


def encode_runs(flat: NDArray[np.uint8]) -> bytes:
    """Pixels uint8 ``[N]`` → records, no run longer than it must be split."""
    bounds = np.concatenate(([0], run_starts(flat), [flat.size]))
    counts = np.diff(bounds)
    values = flat[bounds[:-1]]
    if counts.max() > LONGEST_RUN:
        parts = -(-counts // LONGEST_RUN)
        values = np.repeat(values, parts)
        last = np.cumsum(parts) - 1
        rest = counts - (parts - 1) * LONGEST_RUN
        counts = np.full(values.size, LONGEST_RUN)
        counts[last] = rest
    runs = np.empty(values.size, RUN)
    runs["value"], runs["count"] = values, counts
    return runs.tobytes()


def read_runs(view: memoryview, size: int) -> NDArray[np.void]:
    """Records of ``size`` pixels in all, as an array of RUN. RemoteProtocolError if they are not."""
    if view.nbytes % RUN.itemsize:
        text = f"run-length data come in records of {RUN.itemsize} bytes, got {view.nbytes} bytes"
        raise RemoteProtocolError(Fault.CORRUPT_DATA, text)
    runs: NDArray[np.void] = np.frombuffer(view, RUN)
    counts = runs["count"]
    total = int(counts.sum(dtype=np.int64))
    if counts.size == 0 or counts.min() == 0 or total != size:
        text = f"runs of {total} pixels in all, each at least 1, expected {size}"
        raise RemoteProtocolError(Fault.CORRUPT_DATA, text)
    return runs


def lay_runs(runs: NDArray[np.void]) -> NDArray[np.uint8]:
    """Records → pixels uint8 ``[N]``."""
    return np.repeat(runs["value"], runs["count"].astype(np.intp))


def highest_value(data: Buffer) -> int:
    """Of records that were read, without a look at every pixel."""
    return int(np.frombuffer(data, RUN)["value"].max())


def run_starts(flat: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Places, but for 0, whose pixel differs from the one before; the same as ``run_starts_plain`` at two thirds of the
    price: whoever looks for the few places that differ skips eight that do not at once."""
    differs = np.empty(-(-flat.size // 8) * 8, np.bool_)
    differs[:1] = False
    differs[flat.size :] = False
    np.not_equal(flat[1:], flat[:-1], out=differs[1 : flat.size])
    words = differs.view(WORD)
    at = np.flatnonzero(words != 0)
    inside = np.flatnonzero(words[at].view(np.bool_))
    starts: NDArray[np.intp] = at[inside >> 3] * 8 + (inside & 7)
    return starts


def run_starts_plain(flat: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Places, but for 0, whose pixel differs from the one before."""
    return np.flatnonzero(flat[1:] != flat[:-1]) + 1
