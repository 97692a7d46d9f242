"""A TORCS track as a list of segments in which nothing is inherited any more.

In the file a segment names only what changes: widths, surfaces, borders, barriers and tangents
carry on from the segment before, and the first one takes them from ``Main Track``. Version 3 writes
sides as flat attributes (``lside width``) and calls the list ``segments``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine_sim.core.errors import UserError

from .document import Section
from .heights import Heights, read_heights
from .surfaces import barrier_of, is_kerb, surface_of

MAX_SEGMENTS = 2000
MAX_STEPS = 2000
LAP_RANGE = (150.0, 60_000.0)  # metres
WIDTH_RANGE = (3.0, 80.0)
RADIUS_RANGE = (2.0, 100_000.0)
ARC_RANGE = (1e-4, 12.6)  # radians: two full turns are a spiral ramp, more is a mistake
DEFAULT_ROAD_WIDTH = 10.0


@dataclass(frozen=True)
class Side:
    """What lies beyond the road on one side of a segment; widths in metres."""

    border_width: float = 0.0
    border_surface: int = 0
    kerb: bool = False
    walled: bool = False  # the border is a wall: nothing beyond it can be driven on
    start_width: float = 0.0
    end_width: float = 0.0
    surface: int = 2
    barrier: int = 1
    border_barrier: int = 2


@dataclass(frozen=True)
class Segment:
    """One straight or turn. ``steps`` are (length, curvature) pairs, curvature positive to the left."""

    name: str
    steps: tuple[tuple[float, float], ...]
    surface: int
    left: Side
    right: Side
    heights: Heights

    @property
    def length(self) -> float:
        """Length of the centreline, metres."""
        total = 0.0
        for length, _ in self.steps:
            total += length
        return total


@dataclass(frozen=True)
class Layout:
    """A whole track as its file tells it."""

    name: str
    description: str
    category: str
    width: float
    segments: tuple[Segment, ...]
    pit_side: int  # +1 left, -1 right, 0 none
    pit_first: int  # index of the first and last segment along the pits
    pit_last: int


def read_layout(root: Section) -> Layout:
    """Layout of a parsed file.

    Raises:
        UserError: sections that a track must have are missing, or numbers are outside all reason.
    """
    main = root.child("Main Track")
    if main is None:
        raise UserError(f"{root.source}: expected a section 'Main Track'; is this a TORCS track?")
    listed = main.child("Track Segments", "segments")
    if listed is None or not 2 <= len(listed.children) <= MAX_SEGMENTS:
        count = 0 if listed is None else len(listed.children)
        raise UserError(f"{root.source}: expected 2 to {MAX_SEGMENTS} sections in 'Track Segments', got {count}")
    header = root.child("Header") or Section("Header", root.source)
    width = _within(main, "width", main.number("width") or DEFAULT_ROAD_WIDTH, WIDTH_RANGE)
    segments = _read_segments(main, listed, width)
    total = 0.0
    for segment in segments:
        total += segment.length
    if not LAP_RANGE[0] <= total <= LAP_RANGE[1]:
        raise UserError(f"{root.source}: expected a lap of {LAP_RANGE[0]:g} to {LAP_RANGE[1]:g} m, got {total:.1f} m")
    side, first, last = _read_pits(main, [s.name for s in segments])
    return Layout(
        name=header.word("name") or root.name,
        description=header.word("description") or "",
        category=(header.word("category") or "road").lower(),
        width=width,
        segments=segments,
        pit_side=side,
        pit_first=first,
        pit_last=last,
    )


def _read_segments(main: Section, listed: Section, width: float) -> tuple[Segment, ...]:
    spline = main.word("profil") == "spline"
    step_length = main.number("profil steps length", "steps length") or 0.0
    surface = main.word("surface") or "asphalt"
    left = _read_side(main, Side(), "Left", "lside")
    right = _read_side(main, Side(), "Right", "rside")
    heights: Heights | None = None
    segments = []
    for section in listed.children:
        steps = _read_steps(section, step_length)
        surface = section.word("surface") or surface
        left = _read_side(section, _carried(left), "Left", "lside")
        right = _read_side(section, _carried(right), "Right", "rside")
        heights = read_heights(section, heights, _nominal_length(section), width, spline)
        segments.append(Segment(section.name, steps, surface_of(surface), left, right, heights))
    return tuple(segments)


def _within(section: Section, what: str, value: float, limits: tuple[float, float]) -> float:
    if not limits[0] <= value <= limits[1]:
        raise UserError(
            f"{section.source}: {what!r} in section {section.name!r}: "
            f"expected {limits[0]:g} to {limits[1]:g}, got {value:g}"
        )
    return value


def _radii(section: Section) -> tuple[float, float]:
    start = _within(section, "radius", section.number("radius") or 0.0, RADIUS_RANGE)
    end = section.number("end radius")
    return start, start if end is None else _within(section, "end radius", end, RADIUS_RANGE)


def _nominal_length(section: Section) -> float:
    """Length by which grades count: a turn has its arc times its mean radius."""
    if section.word("type") == "str":
        return _within(section, "lg", section.number("lg") or 0.0, (1e-3, LAP_RANGE[1]))
    start, end = _radii(section)
    return _within(section, "arc", section.number("arc") or 0.0, ARC_RANGE) * (start + end) / 2.0


def _read_steps(section: Section, step_length: float) -> tuple[tuple[float, float], ...]:
    """The stepped-radius rule: radii run linearly from start to end, equal lengths, angles that add up to the arc."""
    kind = section.word("type")
    length = _nominal_length(section) if kind in ("str", "lft", "rgt") else 0.0
    if kind == "str":
        return ((length, 0.0),)
    if kind not in ("lft", "rgt"):
        raise UserError(
            f"{section.source}: segment {section.name!r}: expected type 'str', 'lft' or 'rgt', got {kind!r}"
        )
    sign = 1.0 if kind == "lft" else -1.0
    start, end = _radii(section)
    if start == end:
        return ((length, sign / start),)
    count = _step_count(section, length, step_length)
    radii = [start + (end - start) * i / (count - 1) for i in range(count)]
    turned = 0.0
    for radius in radii:
        turned += 1.0 / radius
    each = (section.number("arc") or 0.0) / turned
    return tuple((each, sign / radius) for radius in radii)


def _step_count(section: Section, length: float, step_length: float) -> int:
    steps = section.number("profil steps") or 0.0
    if steps <= 1.0:
        own = section.number("profil steps length") or step_length
        steps = int(length / own) + 1 if own > 0.0 else 1
    return int(_within(section, "profil steps", max(2.0, float(int(steps))), (2, MAX_STEPS)))


def _carried(side: Side) -> Side:
    return replace(side, start_width=side.end_width)


def _read_side(section: Section, before: Side, prefix: str, flat: str) -> Side:
    """What a section says about one side, over what was there before."""
    strip = section.child(f"{prefix} Side") or Section("", section.source)
    width = strip.number("width")
    width = section.number(f"{flat} width") if width is None else width
    start = strip.number("start width")
    end = strip.number("end width")
    end = section.number(f"{flat} end width") if end is None else end
    start = before.start_width if start is None and width is None else width if start is None else start
    end = start if end is None and width is None else width if end is None else end
    name = strip.word("surface") or section.word(f"{flat} surface")
    side = replace(
        before,
        start_width=_within(strip, "start width", start or 0.0, (0.0, 1000.0)),
        end_width=_within(strip, "end width", end or 0.0, (0.0, 1000.0)),
        surface=before.surface if name is None else surface_of(name),
    )
    return _with_barrier(_with_border(side, section.child(f"{prefix} Border")), section.child(f"{prefix} Barrier"))


def _with_border(side: Side, border: Section | None) -> Side:
    if border is None:
        return side
    width = border.number("width")
    name, style = border.word("surface"), border.word("style")
    if name is None and style is None:
        return side if width is None else replace(side, border_width=max(0.0, width))
    return replace(
        side,
        border_width=side.border_width if width is None else max(0.0, width),
        border_surface=surface_of(name or ""),
        kerb=is_kerb(name or "", style or "plan"),
        walled=style == "wall",
        border_barrier=barrier_of(name or "", "wall"),
    )


def _with_barrier(side: Side, barrier: Section | None) -> Side:
    if barrier is None or (barrier.word("surface") is None and barrier.word("style") is None):
        return side
    return replace(side, barrier=barrier_of(barrier.word("surface") or "", barrier.word("style") or "fence"))


def _read_pits(main: Section, names: list[str]) -> tuple[int, int, int]:
    """(side, first segment, last segment); (0, 0, 0) without pits or when the named segments are not there."""
    pits = main.child("Pits")
    side = main.word("pit side") if pits is None else pits.word("side")
    start = main.word("pit start") if pits is None else pits.word("start")
    end = main.word("pit end") if pits is None else pits.word("end")
    if side not in ("left", "right") or start not in names or end not in names:
        return 0, 0, 0
    return (1 if side == "left" else -1), names.index(start), names.index(end)
