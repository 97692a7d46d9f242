"""Choices of view: which pictures are shown, and how they lie to each other."""

from __future__ import annotations

VIEWS = ("class", "teacher", "both")
"""Choices of view without a renderer."""
PAINT_VIEWS = ("paint", "split", "all", "class", "teacher", "both")
"""Choices of view with one: ``paint`` is its picture."""
PANELS = {
    "both": ("class", "teacher"), "split": ("class", "paint"), "all": ("class", "paint", "teacher"),
    "wipe": ("class", "teacher"), "wipe map": ("class", "paint"), "wipe teacher": ("paint", "teacher"),
}  # fmt: skip
WIPES, PAINT_WIPES = ("wipe",), ("wipe map", "wipe teacher")
"""Views whose two pictures lie upon each other, parted by a line; for windows that can move it."""


def shown_views(view: str) -> tuple[str, ...]:
    """The panels of a choice of view, left to right."""
    return PANELS.get(view, (view,))
