"""The loudspeaker: blocks of samples to pygame's mixer, always one ahead. Nothing is opened before sound is wanted."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pygame
from numpy.typing import NDArray

from ..sdl import SILENCED
from .synth import CarSound, SoundConfig, Voice, pcm, sounded

BLOCK = 1024
"""Samples of a block: 46 ms. One plays and one waits."""
DRIVER = "SDL_AUDIODRIVER"


class Speaker:
    """Plays a car.

    Args:
        say: told once if there is no sound device.
        config: the instrument.
    """

    def __init__(self, say: Callable[[str], None], config: SoundConfig | None = None) -> None:
        self._say = say
        self._config = config or SoundConfig()
        self._voice = Voice()
        self._channel: pygame.mixer.Channel | None = None
        self._channels = 1
        self._failed = False

    def turn(self, on: bool, volume: float, car: Callable[[], CarSound]) -> None:
        """Keep the mixer fed; called often. ``car`` is asked once a block.

        Args:
            on: the player wants sound. volume: 0 … 1.
        """
        if not on:
            self.close()
            return
        if self._channel is None and not self._open():
            return
        channel = self._channel
        while channel is not None and channel.get_queue() is None:
            self._voice, samples = sounded(self._voice, car(), BLOCK, self._config)
            block = pygame.sndarray.make_sound(self._shaped(pcm(samples, volume)))
            if channel.get_busy():
                channel.queue(block)
            else:
                channel.play(block)

    def close(self) -> None:
        """Silence; the device is given back."""
        if self._channel is not None:
            self._channel.stop()
            self._channel = None
            pygame.mixer.quit()
        self._failed = False

    def _open(self) -> bool:
        if self._failed:
            return False
        before = os.environ.pop(DRIVER, None) if SILENCED else None  # ours kept ALSA quiet while nobody wanted sound
        try:
            pygame.mixer.init(self._config.rate, -16, 1, 512)
            self._channels = pygame.mixer.get_init()[2]
            self._channel = pygame.mixer.Channel(0)
        except pygame.error as error:
            self._failed = True
            self._say(f"no sound: {error}")
            return False
        finally:
            if before is not None:
                os.environ[DRIVER] = before
        return True

    def _shaped(self, block: NDArray[np.int16]) -> NDArray[np.int16]:
        """The block for as many channels as the device took."""
        return block if self._channels == 1 else np.repeat(block[:, None], self._channels, axis=1)
