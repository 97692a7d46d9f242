"""A whole world state as named arrays: hashed every tick, saved and restored exactly.

A state is a NamedTuple of C-contiguous float64, int64 or uint64 arrays, so kernels take it
as it is, and nothing that affects the next tick can live anywhere else.
"""

from __future__ import annotations

import hashlib
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import UserError

S = TypeVar("S", bound=tuple)  # a NamedTuple of arrays
_DTYPES = {np.dtype(np.float64): "<f8", np.dtype(np.int64): "<i8", np.dtype(np.uint64): "<u8"}
_MAGIC = b"paintover-state-1\0"


def check_state(state: tuple) -> None:
    """Raise TypeError unless every field is an array that can be hashed and restored exactly."""
    for name, array in zip(_fields(state), state, strict=True):
        if not isinstance(array, np.ndarray) or array.dtype not in _DTYPES or not array.flags.c_contiguous:
            raise TypeError(f"state field {name!r} must be a C-contiguous float64, int64 or uint64 array")


def state_hash(state: tuple) -> str:
    """16 hex digits over the bytes of every field, in the order of the fields."""
    digest = hashlib.blake2b(digest_size=8)
    for array in state:
        digest.update(_little_endian(array))
    return digest.hexdigest()


def save_state(state: tuple) -> bytes:
    """All bytes of the state behind a tag and a layout digest."""
    return _MAGIC + _layout(state) + b"".join(bytes(_little_endian(a)) for a in state)


def restore_state(state: S, saved: bytes) -> None:
    """Write saved bytes back into the arrays of ``state``, in place.

    Raises:
        UserError: if the bytes come from another layout (other car count, other version) or are cut short.
    """
    head = _MAGIC + _layout(state)
    size = len(head) + sum(a.nbytes for a in state)
    if saved[: len(head)] != head or len(saved) != size:
        raise UserError(
            f"saved state does not fit this world: expected {size} bytes of layout {_layout(state).hex()}, "
            f"got {len(saved)} bytes of {saved[len(_MAGIC) : len(head)].hex()}; was it another race or version?"
        )
    offset = len(head)
    for array in state:
        chunk = saved[offset : offset + array.nbytes]
        array[...] = np.frombuffer(chunk, _DTYPES[array.dtype]).reshape(array.shape)
        offset += array.nbytes


def _fields(state: tuple) -> tuple[str, ...]:
    return getattr(state, "_fields", tuple(str(i) for i in range(len(state))))


def _layout(state: tuple) -> bytes:
    text = ";".join(f"{n}:{a.dtype.str[1:]}{a.shape}" for n, a in zip(_fields(state), state, strict=True))
    return hashlib.sha256(text.encode()).digest()[:8]


def _little_endian(array: NDArray) -> memoryview:
    return array.astype(_DTYPES[array.dtype], copy=False).data
