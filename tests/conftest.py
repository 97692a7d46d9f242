"""Shared by all tests: deterministic property tests, no screen, no sound."""

import os
import signal

from hypothesis import settings

# Jobs in the background start with these ignored, and so would every process that a test starts and ends by them.
for name in ("SIGINT", "SIGHUP"):
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(getattr(signal, name), signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)

os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

# No deadline: the first call of a kernel may compile it.
settings.register_profile("paintover", derandomize=True, deadline=None, database=None)
settings.load_profile("paintover")
