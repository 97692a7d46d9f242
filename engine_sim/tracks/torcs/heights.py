"""Heights of a segment's two road edges, and the cubic that joins them.

Each edge is a Hermite cubic from its start to its end height with given tangents (``profil`` spline), or
a straight line (linear). The road's height is the mean of its edges and its bank is their difference over the width,
so banking follows the same curve.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine_sim.core.errors import UserError
from engine_sim.core.exact import sincos

from .document import Section

MAX_BANK = 0.9  # radians
MAX_HEIGHT = 2000.0
MAX_TANGENT = 2.0


@dataclass(frozen=True)
class Edge:
    """One road edge along a segment: heights in metres, tangents as dz/ds."""

    start: float
    end: float
    start_tangent: float
    end_tangent: float

    def at(self, t: float, length: float) -> float:
        """Height at the share t in [0, 1] of a segment of ``length`` metres: the Hermite cubic."""
        t2, t3 = t * t, t * t * t
        return (
            self.start * (2.0 * t3 - 3.0 * t2 + 1.0)
            + self.end * (3.0 * t2 - 2.0 * t3)
            + length * (self.start_tangent * (t3 - 2.0 * t2 + t) + self.end_tangent * (t3 - t2))
        )


@dataclass(frozen=True)
class Heights:
    """Both edges of a segment."""

    left: Edge
    right: Edge

    def at(self, t: float, length: float, width: float) -> tuple[float, float]:
        """(height of the centreline, bank as dz/dd) at the share t of the segment."""
        left, right = self.left.at(t, length), self.right.at(t, length)
        return (left + right) / 2.0, (left - right) / width


def read_heights(section: Section, before: Heights | None, length: float, width: float, spline: bool) -> Heights:
    """Heights of a segment: what it says, else level on from the segment before.

    Raises:
        UserError: heights, banks or tangents outside all reason.
    """
    left0, right0 = (0.0, 0.0) if before is None else (before.left.end, before.right.end)
    given = section.number("z start")
    if given is not None:
        left0 = right0 = given
    else:
        left0 = _or(section.number("z start left"), left0)
        right0 = _or(section.number("z start right"), right0)
    left0, right0 = _banked(section, "banking start", left0, right0, width)
    left1, right1 = _ends(section, before, left0, right0, length)
    left1, right1 = _banked(section, "banking end", left1, right1, width)
    kind = section.word("profil")
    curved = spline if kind is None else kind == "spline"
    heights = Heights(
        _edge(section, left0, left1, length, curved, None if before is None else before.left),
        _edge(section, right0, right1, length, curved, None if before is None else before.right),
    )
    _check(section, heights)
    return heights


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _ends(section: Section, before: Heights | None, left: float, right: float, length: float) -> tuple[float, float]:
    """End heights of the edges before the banking at the end is applied."""
    given, grade = section.number("z end"), section.number("grade")
    if given is not None:
        return given, given
    if grade is not None:
        return left + grade * length, right + grade * length
    return _or(section.number("z end left"), left), _or(section.number("z end right"), right)


def _banked(section: Section, what: str, left: float, right: float, width: float) -> tuple[float, float]:
    angle = section.number(what)
    if angle is None:
        return left, right
    if abs(angle) > MAX_BANK:
        raise UserError(
            f"{section.source}: {what!r} in section {section.name!r}: expected at most {MAX_BANK} rad, got {angle:g}"
        )
    sine, cosine = sincos(angle)
    middle, half = (left + right) / 2.0, sine / cosine * width / 2.0
    return middle + half, middle - half


def _edge(section: Section, start: float, end: float, length: float, curved: bool, before: Edge | None) -> Edge:
    chord = (end - start) / length
    if not curved:
        return Edge(start, end, chord, chord)
    first = chord if before is None else before.end_tangent
    return Edge(
        start, end, _or(section.number("profil start tangent"), first), _or(section.number("profil end tangent"), chord)
    )


def _check(section: Section, heights: Heights) -> None:
    for edge in (heights.left, heights.right):
        if max(abs(edge.start), abs(edge.end)) > MAX_HEIGHT:
            raise UserError(
                f"{section.source}: segment {section.name!r}: expected heights within {MAX_HEIGHT:g} m, "
                f"got {edge.end:g}"
            )
        if max(abs(edge.start_tangent), abs(edge.end_tangent)) > MAX_TANGENT:
            raise UserError(
                f"{section.source}: segment {section.name!r}: expected slopes within {MAX_TANGENT:g}, got "
                f"{max(abs(edge.start_tangent), abs(edge.end_tangent)):g}"
            )
