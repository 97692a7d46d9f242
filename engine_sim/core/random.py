"""Random streams by name, in plain integers, each with its own one-word state.

One stream per purpose (``"ai"``, ``"grid"``, ``"scenery"``): drawing from one never moves
another, and a view never touches the simulation's. The generator is SplitMix64
(Steele, Lea and Flood, 2014): state += odd constant, output = mixed state. It is
ours, so no library version can change a recorded race.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .jit import kernel

T = TypeVar("T")
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0


def stream_seed(seed: int, purpose: str) -> int:
    """First state of the stream ``purpose`` of a session seed: 64 bits of SHA-256."""
    text = f"{seed}/{purpose}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "little")


def stream_state(seed: int, purpose: str) -> NDArray[np.uint64]:
    """One-word state array ``uint64 [1]`` for the kernels below."""
    return np.array([stream_seed(seed, purpose)], np.uint64)


@kernel
def mix64(word):
    """Finalizer of SplitMix64: uint64 → uint64, a bijection that hashes a counter."""
    z = (word ^ (word >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@kernel
def next_u64(state, i):
    """Next word of stream ``state[i]`` (uint64 array), which moves on."""
    state[i] = state[i] + _GAMMA
    return mix64(state[i])


@kernel
def next_float(state, i):
    """Next float64 in [0, 1) with 53 random bits."""
    return np.float64(next_u64(state, i) >> _S11) * _UNIT


class Stream:
    """A named stream for set-up code: generators, scenery, looks.

    Args:
        seed: session, track or look seed.
        purpose: name of the stream.
    """

    def __init__(self, seed: int, purpose: str) -> None:
        self._word = stream_seed(seed, purpose)

    def u64(self) -> int:
        """Next integer in [0, 2^64)."""
        mask = 0xFFFFFFFFFFFFFFFF
        self._word = (self._word + 0x9E3779B97F4A7C15) & mask
        z = ((self._word ^ (self._word >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Float in [low, high)."""
        return low + (high - low) * ((self.u64() >> 11) * _UNIT)

    def integer(self, low: int, high: int) -> int:
        """Integer in [low, high); the bias of the modulo is below 2^-40 for ranges under 2^24."""
        if high <= low:
            raise ValueError(f"integer range [{low}, {high}) is empty")
        return low + self.u64() % (high - low)

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.uniform() < probability

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.integer(0, len(items))]
