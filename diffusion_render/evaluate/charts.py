"""Curves as inline SVG: one small chart a score, one line a stream, nothing to load."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLORS = ("#4cc38a", "#5b9dff", "#ff7a59", "#c9a227", "#b57bff", "#8a93a3")
"""Of the lines, by their order."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 26, 22
_MOST_POINTS = 600

Scale = Callable[[float], float]
"""A value → its place in pixels."""


@dataclass(frozen=True)
class Chart:
    """One chart.

    Args:
        title: above it.
        lines: values a second by name of the stream; NaN leaves a gap.
        colors: by name of the stream.
        limit: a goal, drawn as a dashed line, or NaN.
        width, height: in pixels.
    """

    title: str
    lines: Mapping[str, Sequence[float]]
    colors: Mapping[str, str]
    limit: float = math.nan
    width: int = 420
    height: int = 180

    def svg(self) -> str:
        """The chart as an ``<svg>`` element."""
        low, high = self._range()
        longest = max((len(v) for v in self.lines.values()), default=1)
        wide, tall = self.width - _LEFT - _RIGHT, self.height - _TOP - _BOTTOM

        def x(second: float) -> float:
            return _LEFT + wide * second / max(1, longest - 1)

        def y(value: float) -> float:
            return _TOP + tall * (high - value) / (high - low)

        parts = [f'<text x="{_LEFT}" y="16" class="title">{escape(self.title)}</text>']
        for value in _ticks(low, high):
            parts.append(f'<line x1="{_LEFT}" x2="{self.width - _RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
            parts.append(f'<text x="{_LEFT - 6}" y="{y(value) + 4:.1f}" class="tick">{value:.4g}</text>')
        for second, anchor in ((0, "start"), (longest - 1, "end")):
            text = f"{second} s" if longest > 1 or second == 0 else ""
            place = f'x="{x(second):.1f}" y="{self.height - 6}" text-anchor="{anchor}"'
            parts.append(f'<text {place} class="second">{text}</text>')
        if math.isfinite(self.limit):
            at = f"{y(self.limit):.1f}"
            parts.append(f'<line class="goal" x1="{_LEFT}" x2="{self.width - _RIGHT}" y1="{at}" y2="{at}"/>')
        for name, values in self.lines.items():
            parts.append(_path(name, values, self.colors.get(name, COLORS[-1]), x, y))
        size = f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}"'
        return f'<svg {size} role="img" aria-label="{escape(self.title)}">{"".join(parts)}</svg>'

    def _range(self) -> tuple[float, float]:
        """Lowest and highest value shown, with a little air."""
        known = [v for values in self.lines.values() for v in values if math.isfinite(v)]
        known += [self.limit] if math.isfinite(self.limit) else []
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        air = 0.06 * (high - low) or 0.05 * abs(high) or 0.5
        return low - air, high + air


def _path(name: str, values: Sequence[float], color: str, x: Scale, y: Scale) -> str:
    """One line; a lone point becomes a dot."""
    step = max(1, len(values) // _MOST_POINTS)
    pieces: list[list[str]] = [[]]
    for second in range(0, len(values), step):
        if math.isfinite(values[second]):
            pieces[-1].append(f"{x(second):.1f},{y(values[second]):.1f}")
        elif pieces[-1]:
            pieces.append([])
    drawn = []
    for points in pieces:
        if len(points) > 1:
            drawn.append(f'<polyline points="{" ".join(points)}" style="stroke:{color}"/>')
        elif points:
            cx, cy = points[0].split(",")
            drawn.append(f'<circle cx="{cx}" cy="{cy}" r="3" style="fill:{color}"/>')
    return f"<g><title>{escape(name)}</title>{''.join(drawn)}</g>"


def _ticks(low: float, high: float) -> list[float]:
    """Three to six round values inside the range."""
    rough = (high - low) / 4
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)
    first = math.ceil(low / step)
    return [k * step for k in range(first, math.floor(high / step) + 1)]
