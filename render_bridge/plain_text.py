"""Text that a peer wrote, made fit to be shown: a terminal obeys what it is sent."""

from __future__ import annotations

FIELD = 160
"""Characters of one field of a peer's, such as its name."""
LINE = 600
"""Characters of a text of several."""


def shown(text: object, limit: int = FIELD) -> str:
    """The text with everything that does not print written as an escape, cut to ``limit`` characters.

    Control characters, escape sequences, line ends, marks that turn the direction of writing and private characters
    come out as ``\\x1b`` or ``\\u202e``. What is cut off is marked by ``…``.
    """
    whole = str(text)
    cut = whole if len(whole) <= limit else whole[:limit]
    made = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut)
    return made if len(whole) <= limit and len(made) <= limit else made[: max(0, limit - 1)] + "…"
