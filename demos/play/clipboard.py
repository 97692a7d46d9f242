"""Text of the system's clipboard, as SDL has it."""

from __future__ import annotations

import pygame
import pygame.scrap

TYPES = ("text/plain;charset=utf-8", pygame.SCRAP_TEXT)
"""What text is called there: in SDL 2, and before."""


def clipboard_text() -> str:
    """The text that was copied last, anywhere; empty without any, or without a window."""
    try:
        pygame.scrap.init()
        found = next((data for kind in TYPES if (data := pygame.scrap.get(kind))), b"")
    except pygame.error:
        return ""
    return found.decode("utf-8", "replace").rstrip("\0")
