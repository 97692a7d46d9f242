"""Liveries: paint, stripes and number of a car, each clearly apart from the others on the grid."""

from __future__ import annotations

from dataclasses import dataclass

from engine_sim.core.random import Stream

from .look_color import distance, from_oklch, oklch
from .look_fields import one_of, span

PATTERNS = ("plain", "centre stripes", "side bands", "diagonal sash", "two-tone", "hoops")
FINISHES = ("gloss", "metallic", "matte")
RIVALS = 15
_TRIES = 12


@dataclass(frozen=True)
class Livery:
    """How one car is painted: colours ``#rrggbb``, pattern and finish by name, start number 1–99."""

    base: str
    second: str
    accent: str
    pattern: str = one_of(PATTERNS)
    finish: str = one_of(FINISHES)
    number: int = span(1, 99)


def _paint(stream: Stream) -> str:
    kind = stream.uniform()
    hue = stream.uniform(0.0, 360.0)
    if kind < 0.1:
        return from_oklch(stream.uniform(0.88, 0.96), stream.uniform(0.0, 0.015), hue)
    if kind < 0.17:
        return from_oklch(stream.uniform(0.2, 0.3), stream.uniform(0.0, 0.02), hue)
    if kind < 0.25:
        return from_oklch(stream.uniform(0.55, 0.75), stream.uniform(0.004, 0.02), hue)
    if kind < 0.38:
        return from_oklch(stream.uniform(0.3, 0.42), stream.uniform(0.06, 0.12), hue)
    light = 0.8 if 75.0 < hue < 125.0 else stream.uniform(0.5, 0.68)
    return from_oklch(light, stream.uniform(0.15, 0.22), hue)


def _contrast(stream: Stream, base: str) -> str:
    """A stripe colour that stands out on ``base``: mostly white or near-black, else a bright opposite hue."""
    lightness, _, hue = oklch(base)
    kind = stream.uniform()
    if kind < 0.6:
        return "#f4f3ee" if lightness < 0.72 else "#1b1c20"
    if kind < 0.72:
        return "#16171b" if lightness > 0.4 else "#d9dbe0"
    target = lightness + (0.3 if lightness < 0.55 else -0.3)
    return from_oklch(target, stream.uniform(0.12, 0.19), hue + stream.uniform(110.0, 250.0))


def draw_livery(stream: Stream, number: int, taken: list[str]) -> Livery:
    """One livery whose base keeps away from the colours in ``taken`` as far as a few tries allow."""
    def room(color: str) -> float:
        return min((distance(color, other) for other in taken), default=1.0)

    base = max((_paint(stream) for _ in range(_TRIES)), key=lambda c: min(room(c), 0.22))
    second = _contrast(stream, base)
    accent = _contrast(stream, second)
    finish = FINISHES[0] if stream.chance(0.6) else FINISHES[1] if stream.chance(0.7) else FINISHES[2]
    return Livery(base, second, accent, stream.choice(PATTERNS), finish, number)


def draw_grid(stream: Stream) -> tuple[Livery, tuple[Livery, ...]]:
    """Player and 15 rivals with different numbers; the player's colour is drawn first and no rival comes near it."""
    numbers: list[int] = []
    while len(numbers) < RIVALS + 1:
        number = stream.integer(1, 100)
        if number not in numbers:
            numbers.append(number)
    player = draw_livery(stream, numbers[0], [])
    rivals: list[Livery] = []
    for number in numbers[1:]:
        rivals.append(draw_livery(stream, number, [player.base, player.base, *(r.base for r in rivals[-6:])]))
    return player, tuple(rivals)
