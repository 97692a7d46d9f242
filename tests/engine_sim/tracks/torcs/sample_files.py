"""Small TORCS files of our own for the tests."""

from __future__ import annotations

from collections.abc import Iterable

DOCTYPE = """<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment with <!DOCTYPE in it -->
<!DOCTYPE params SYSTEM "../../../src/libs/tgf/params.dtd" [
<!ENTITY default-surfaces SYSTEM "../../../data/tracks/surfaces.xml">
]>
"""


def number(name: str, value: object, unit: str = "") -> str:
    """One ``attnum``."""
    return f'<attnum name="{name}" val="{value}" unit="{unit}"/>' if unit else f'<attnum name="{name}" val="{value}"/>'


def word(name: str, value: str) -> str:
    """One ``attstr``."""
    return f'<attstr name="{name}" val="{value}"/>'


def section(name: str, *parts: str) -> str:
    """One ``section``."""
    return f'<section name="{name}">' + "\n".join(parts) + "</section>"


def straight(name: str, length: float, *parts: str) -> str:
    """A straight segment."""
    return section(name, word("type", "str"), number("lg", length, "m"), *parts)


def turn(name: str, kind: str, arc: float, radius: float, *parts: str) -> str:
    """A turn: ``lft`` or ``rgt``, degrees, metres."""
    return section(name, word("type", kind), number("arc", arc, "deg"), number("radius", radius, "m"), *parts)


def track(segments: Iterable[str], *main: str, category: str = "road", doctype: str = DOCTYPE) -> str:
    """A whole version 4 file."""
    return doctype + '<params name="sample" type="trackdef" mode="mw">' + "\n".join((
        section("Surfaces", "&default-surfaces;"),
        section("Header", word("name", "Sample"), word("category", category), number("version", 4)),
        section("Main Track", number("width", 12, "m"), word("surface", "asphalt"), *main,
                section("Track Segments", *segments)),
    )) + "</params>\n"  # fmt: skip


def side(which: str, start: float, end: float, surface: str) -> str:
    """A ``Left Side`` or ``Right Side``."""
    return section(
        f"{which} Side", number("start width", start, "m"), number("end width", end, "m"), word("surface", surface)
    )


def oval() -> str:
    """A flat oval of 2 × 200 m straights and two half circles of 60 m radius, with pits and all kinds of sides."""
    return track(
        (
            straight("start", 200, side("Left", 4, 12, "asphalt-pits")),
            turn("first", "lft", 180, 60, side("Left", 3, 3, "grass"),
                 section("Right Border", number("width", 1.5, "m"), word("surface", "curb-l"), word("style", "curb")),
                 section("Right Barrier", word("surface", "tire-wall"), word("style", "wall"))),
            straight("back", 200,
                     section("Right Border", number("width", 0), word("surface", "grass"), word("style", "plan"))),
            turn("last", "lft", 180, 60),
        ),
        side("Left", 4, 4, "grass"), side("Right", 6, 6, "sand"),
        section("Right Barrier", word("surface", "armco"), word("style", "fence")),
        section("Pits", word("side", "left"), word("start", "last"), word("end", "start"), word("entry", "back")),
        category="oval",
    )  # fmt: skip


def old_oval() -> str:
    """The same kind of oval in version 3: flat side attributes, another name of the list."""
    return f"""{DOCTYPE}<params name="old" type="trackdef" mode="m">
    <section name="Header"><attstr name="name" val="Old"/><attnum name="version" val="3"/></section>
    <section name="Main Track">
      <attnum name="width" val="10"/><attstr name="surface" val="dirt"/>
      <attnum name="lside width" val="5"/><attstr name="lside surface" val="dirt-b"/>
      <attnum name="rside width" val="3"/><attstr name="rside surface" val="sand"/>
      <attstr name="pit side" val="right"/><attstr name="pit start" val="a"/><attstr name="pit end" val="a"/>
      <section name="segments">
        {straight("a", 150)}
        {turn("b", "rgt", 180, 50, number("lside end width", 9))}
        {straight("c", 150)}
        {turn("d", "rgt", 180, 50)}
      </section>
    </section></params>"""
