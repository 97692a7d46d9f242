"""Shared by all tests: deterministic property tests, no screen, no sound."""

import os

from hypothesis import settings

os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

# No deadline: the first call of a kernel may compile it.
settings.register_profile("paintover", derandomize=True, deadline=None, database=None)
settings.load_profile("paintover")
