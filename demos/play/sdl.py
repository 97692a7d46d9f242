"""What SDL is told before it opens anything, and what it calls its drivers."""

from __future__ import annotations

import os

SILENCED = "SDL_AUDIODRIVER" not in os.environ
"""True if it is we who keep SDL silent, and not whoever started us."""
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")  # silent until sound is wanted: ALSA complains where none is
os.environ.setdefault("SDL_WINDOWS_DPI_AWARENESS", "permonitorv2")  # sizes in the screen's own pixels, never stretched

UNSEEN = ("dummy", "offscreen", "evdev")
"""SDL's video drivers that nobody can look at; it falls back to them when there is no display."""
