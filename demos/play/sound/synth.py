"""Sound of a car from its state: pure arithmetic, no device. The same states give the same samples.

The engine is a sum of sines at halves and multiples of its firing rate (three bursts a turn for six cylinders in four
strokes); tyres and wind are loops of band-limited noise whose loudness follows slip and speed.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float64]
BURSTS_A_TURN = 3.0
HARMONICS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
QUIET = (0.30, 0.55, 0.16, 0.26, 0.10, 0.05, 0.02)
"""Loudness of each harmonic with the throttle closed …"""
LOUD = (0.42, 0.80, 0.40, 0.52, 0.34, 0.22, 0.12)
"""… and open: a working engine is not only louder, it is brighter."""
LOOP_SECONDS = 2
NOISE_SEED = 7
LOUDEST = 0.9


@dataclass(frozen=True)
class SoundConfig:
    """The instrument.

    Args:
        rate: samples a second.
        squeal, wind: Hz, low and high end of the bands of noise.
        slip_from, slip_to: slip at which tyres begin to be heard, and at which they scream.
        fastest: m/s at which the wind is loudest.
    """

    rate: int = 22050
    squeal: tuple[float, float] = (650.0, 1500.0)
    wind: tuple[float, float] = (60.0, 420.0)
    slip_from: float = 0.05
    slip_to: float = 0.20
    fastest: float = 85.0


class CarSound(NamedTuple):
    """What of a car is heard.

    Args:
        rpm: of the engine. throttle: 0 … 1. speed: m/s. slip: share of the speed at which tyres slide, 0 or more.
        paved: 1 on a road that squeals, 0 on loose ground.
    """

    rpm: float = 0.0
    throttle: float = 0.0
    speed: float = 0.0
    slip: float = 0.0
    paved: float = 1.0


class Voice(NamedTuple):
    """Where the sound is: phase of the firing rate in turns, position in the loops, and the car of the last sample."""

    phase: float = 0.0
    at: int = 0
    last: CarSound = CarSound()


def sounded(voice: Voice, car: CarSound, count: int, config: SoundConfig = SoundConfig()) -> tuple[Voice, Samples]:
    """The next ``count`` samples, while the car changes evenly from what was heard last to ``car``.

    Returns:
        The voice behind them, and the samples, float64 ``[count]`` in −1 … 1.
    """
    way = np.arange(1, count + 1) / count
    rpm, throttle, speed, slip, paved = (a + (b - a) * way for a, b in zip(voice.last, car, strict=True))
    phase = voice.phase + np.cumsum(rpm) / 60.0 * BURSTS_A_TURN / config.rate
    mix = 0.30 * _engine(phase, throttle) * np.clip(rpm / 900.0, 0.0, 1.0)
    place = (voice.at + np.arange(count)) % (LOOP_SECONDS * config.rate)
    tyres = np.clip((slip - config.slip_from) / (config.slip_to - config.slip_from), 0.0, 1.0)
    rolling = np.clip(np.abs(speed) / 6.0, 0.0, 1.0)
    mix += 0.55 * tyres * rolling * (0.25 + 0.75 * paved) * noise_loop(*config.squeal, config.rate)[place]
    mix += (
        0.30 * np.clip(np.abs(speed) / config.fastest, 0.0, 1.0) ** 1.5 * noise_loop(*config.wind, config.rate)[place]
    )
    turns = float(phase[-1]) % 2.0 if count else voice.phase  # two turns of the rate hold the half harmonics whole
    at = (voice.at + count) % (LOOP_SECONDS * config.rate)
    return Voice(turns, at, car if count else voice.last), LOUDEST * np.tanh(mix)


def _engine(phase: Samples, throttle: Samples) -> Samples:
    total = np.zeros_like(phase)
    for harmonic, quiet, loud in zip(HARMONICS, QUIET, LOUD, strict=True):
        total += (quiet + (loud - quiet) * throttle) * np.sin(2.0 * np.pi * harmonic * phase)
    return total


@functools.lru_cache(maxsize=8)
def noise_loop(low: float, high: float, rate: int) -> Samples:
    """Noise between two frequencies that ends where it begins, of the loudness of a full sine."""
    count = LOOP_SECONDS * rate
    frequencies = np.fft.rfftfreq(count, 1.0 / rate)
    spectrum = np.fft.rfft(np.random.default_rng(NOISE_SEED).standard_normal(count))
    spectrum[(frequencies < low) | (frequencies > high)] = 0.0
    loop = np.fft.irfft(spectrum, count)
    return np.asarray(loop / (np.sqrt(2.0) * loop.std()), np.float64)


def pcm(samples: Samples, volume: float) -> NDArray[np.int16]:
    """Samples of −1 … 1 as 16-bit numbers."""
    return np.asarray(np.clip(samples * volume, -1.0, 1.0) * 32767.0, np.int16)
