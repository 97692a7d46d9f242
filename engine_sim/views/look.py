"""A look: everything that decides the teacher view besides moment and place. Frozen, complete, says itself in words.

A look is drawn from its seed alone, by named streams, so ``sample_look(7)`` is the same picture everywhere. Looks
divide into a train and a held-out set by rule: see ``look_split``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine_sim.core.errors import UserError
from engine_sim.core.files import read_given_file
from engine_sim.core.random import Stream

from .look_fields import one_of, read_record, records, span
from .look_lighting import LIGHTING_TABLE, Lighting
from .look_livery import RIVALS, Livery, draw_grid
from .look_palettes import STYLES, Palette, draw_palette, draw_style

LIGHTINGS: tuple[str, ...] = tuple(LIGHTING_TABLE)
"""The ten names."""

LOOK_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "looks"
SEED_LIMIT = 2**63 - 1


@dataclass(frozen=True)
class Weather:
    """Sun, clouds, air and water.

    Args:
        sun_azimuth: radians counter-clockwise from east, where the sun stands.
        sun_elevation: degrees above the horizon.
        cloud_cover: 0 … 1. haze: extinction at the ground, 1/km. wetness: 0 dry … 1 puddles.
        warmth: −1 cooler … 1 warmer than the lighting's own light.
        cloud_seed: which clouds.
    """

    lighting: str = one_of(LIGHTINGS)
    sun_azimuth: float = span(0.0, 7.0)
    sun_elevation: float = span(-8.0, 90.0)
    cloud_cover: float = span(0.0, 1.0)
    haze: float = span(0.0, 20.0)
    wetness: float = span(0.0, 1.0)
    warmth: float = span(-1.0, 1.0)
    cloud_seed: int = span(0, 65535)


@dataclass(frozen=True)
class Surfaces:
    """How surfaces are worn and made.

    Args:
        road_wear, rubber, line_wear: 0 new … 1 old. kerb_length: of one stripe, metres.
        mown_width: of a stripe, metres; mown_strength: 0 none … 1. dryness, flowers: of the grass, 0 … 1.
        leaf_gaps: dark gaps in crowns, 0 … 1. dust: on walls and barriers, 0 … 1. crowd: share of seats taken.
        tower_glass: share of the tower blocks' faces that is glass, 0 … 1.
    """

    road_wear: float = span(0.0, 1.0)
    rubber: float = span(0.0, 1.0)
    line_wear: float = span(0.0, 1.0)
    kerb_length: float = span(0.5, 5.0)
    mown_width: float = span(1.0, 20.0)
    mown_strength: float = span(0.0, 1.0)
    dryness: float = span(0.0, 1.0)
    flowers: float = span(0.0, 1.0)
    leaf_gaps: float = span(0.0, 1.0)
    dust: float = span(0.0, 1.0)
    crowd: float = span(0.0, 1.0)
    tower_glass: float = span(0.0, 1.0)


@dataclass(frozen=True)
class Look:
    """One complete look; ``sample_look``, ``named_look`` or ``Look.from_dict`` make it.

    Args:
        seed: that it was drawn from; also moves the small print (which brand where).
        style: of the palette, e.g. ``"autumn"``.
        player, rivals: liveries; rival i drives car i + 1.
    """

    weather: Weather
    palette: Palette
    surfaces: Surfaces
    player: Livery
    seed: int = span(0, SEED_LIMIT)
    style: str = one_of(tuple(STYLES))
    rivals: tuple[Livery, ...] = records(RIVALS)

    @property
    def lighting(self) -> Lighting:
        """The row of the lighting table that this look is lit by."""
        return LIGHTING_TABLE[self.weather.lighting]

    def prompt(self, classes: Iterable[int] | None = None) -> str:
        """The look in English; ``classes`` (ids) leaves out what does not occur. See ``prompt.write_prompt``."""
        from .prompt import write_prompt

        return write_prompt(self, classes)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, read back by ``from_dict``."""
        values = dataclasses.asdict(self)
        values["rivals"] = list(values["rivals"])
        return values

    @staticmethod
    def from_dict(values: object) -> Look:
        """Inverse of ``to_dict``. UserError names a missing, unknown, ill-typed or out-of-range field."""
        return read_record(Look, values, "look")


def sample_look(seed: int, lighting: str | None = None) -> Look:
    """The look of a seed.

    Args:
        seed: 0 … 2^63 − 1.
        lighting: one of LIGHTINGS in place of the drawn one; palette, surfaces and liveries stay the seed's.

    Raises:
        UserError: seed out of range or unknown lighting.
    """
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= SEED_LIMIT:
        raise UserError(f"look seed: expected a whole number from 0 to 2^63 - 1, got {seed!r}")
    if lighting is not None and lighting not in LIGHTING_TABLE:
        known = ", ".join(LIGHTINGS)
        raise UserError(f"unknown lighting {lighting!r}: expected one of {known}{_close(lighting, LIGHTINGS)}")
    drawn = Stream(seed, "look-lighting").choice(LIGHTINGS)
    style = draw_style(Stream(seed, "look-style"))
    player, rivals = draw_grid(Stream(seed, "look-liveries"))
    return Look(
        seed=seed,
        style=style,
        weather=_draw_weather(lighting or drawn, style, Stream(seed, "look-weather")),
        palette=draw_palette(style, Stream(seed, "look-palette")),
        surfaces=_draw_surfaces(style, Stream(seed, "look-surfaces")),
        player=player,
        rivals=rivals,
    )


def _draw_weather(name: str, style: str, stream: Stream) -> Weather:
    light = LIGHTING_TABLE[name]
    wetness = stream.uniform(*light.wetness)
    dry = style in ("desert", "dry summer") and name != "storm"
    return Weather(
        lighting=name,
        sun_azimuth=stream.uniform(0.0, 2.0 * math.pi),
        sun_elevation=stream.uniform(*light.elevation),
        cloud_cover=stream.uniform(*light.cloud_cover),
        haze=stream.uniform(*light.haze),
        wetness=0.0 if dry else wetness,
        warmth=stream.uniform(-0.6, 0.6),
        cloud_seed=stream.integer(0, 65536),
    )


def _draw_surfaces(style: str, stream: Stream) -> Surfaces:
    parched = 0.35 if style in ("desert", "dry summer", "mediterranean") else 0.0
    bloom = 0.5 if style in ("spring", "alpine", "candy", "pastel") else 0.15
    return Surfaces(
        road_wear=stream.uniform(0.1, 1.0),
        rubber=stream.uniform(0.25, 1.0),
        line_wear=stream.uniform(0.05, 0.75),
        kerb_length=stream.uniform(0.8, 2.4),
        mown_width=stream.uniform(2.5, 7.0),
        mown_strength=stream.uniform(0.1, 1.0),
        dryness=parched + stream.uniform(0.0, 0.55),
        flowers=stream.uniform(0.0, bloom),
        leaf_gaps=stream.uniform(0.3, 0.9),
        dust=stream.uniform(0.05, 0.7),
        crowd=stream.uniform(0.35, 0.97),
        tower_glass=stream.uniform(0.3, 0.75),
    )


def look_names() -> list[str]:
    """Names of the curated looks, one per lighting and in their order."""
    return [name.replace(" ", "-") for name in LIGHTINGS]


@lru_cache(maxsize=16)
def named_look(name: str) -> Look:
    """A curated look from ``assets/looks``. UserError on an unknown name, or a file that is not a look."""
    if name not in look_names():
        known = ", ".join(look_names())
        raise UserError(f"unknown look {name!r}: expected one of {known}{_close(name, look_names())}")
    return read_look(LOOK_FOLDER / f"{name}.json")


LARGEST_FILE = 65_536


def read_look(path: Path) -> Look:
    """A look from a JSON file. UserError: cannot be read, is no JSON, or is no look; names the file."""
    try:
        values = json.loads(read_given_file(path, LARGEST_FILE).decode("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the look {path}: {error}; expected JSON as of 'paintover looks --json'") from None
    try:
        return Look.from_dict(values)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


def look_split(seed: int) -> str:
    """``"held-out"`` for about one seed of eight, else ``"train"``.

    The rule: SHA-256 of ``paintover-look-split/<seed>``; a first byte below 32 holds the look out. It reads the seed
    alone, so no change of ranges or palettes ever moves a look across. Held-out looks are for scoring, never for
    training; curated looks (``named_look``) are held out, too.
    """
    digest = hashlib.sha256(f"paintover-look-split/{seed}".encode()).digest()
    return "held-out" if digest[0] < 32 else "train"


def _close(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""
