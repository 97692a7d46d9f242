"""The places a circuit can lie in: shape of the land, what grows on it, and what stands beside the road."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.errors import UserError
from .track import (
    ASPHALT,
    CONCRETE,
    CONCRETE_WALL,
    DIRT,
    FENCE,
    GRASS_SURFACE,
    GRAVEL,
    GUARD_RAIL,
    SAND,
    TYRE_WALL,
)


@dataclass(frozen=True)
class Land:
    """Shape and cover of the ground; lengths in metres.

    Args:
        roll: height of the rolling country between the circuit and the horizon.
        roll_size: wavelength of it.
        horizon: height of the hills that close the view.
        near, rise: the hills begin this far from the road and are complete ``rise`` metres further out.
        rough: share of ridges in those hills, 0 (round downs) … 1 (crests and gullies).
        infield: share of those hills that also stand inside the lap.
        axis: 0 hills all around, 1 a valley (hills on two sides only).
        sea: 0 none, 1 the land falls to a flat shore on one side.
        terrace: 0 smooth, 1 stepped like mesas and quarries.
        bare: share of the ground that is bare terrain instead of grass.
        rock_slope: slope (rise over run) from which the ground is rock.
    """

    roll: float = 6.0
    roll_size: float = 260.0
    horizon: float = 60.0
    near: float = 70.0
    rise: float = 480.0
    rough: float = 0.2
    infield: float = 0.2
    axis: float = 0.0
    sea: float = 0.0
    terrace: float = 0.0
    bare: float = 0.08
    rock_slope: float = 0.8


@dataclass(frozen=True)
class Roadside:
    """Cross-section rules of a setting; lengths in metres.

    Args:
        verge: least and most distance from the road's edge to the barrier on straights.
        runoff: extra distance outside a bend of medium speed.
        verge_surface, runoff_surface: surfaces there.
        rail, outer, inner: barrier styles along straights, outside and inside of bends.
        kerb: width of kerbs, 0 for none.
        camber: bank of the road in a bend of 60 m radius, slope.
    """

    verge: tuple[float, float] = (5.0, 9.0)
    runoff: float = 11.0
    verge_surface: int = GRASS_SURFACE
    runoff_surface: int = GRAVEL
    rail: int = GUARD_RAIL
    outer: int = TYRE_WALL
    inner: int = GUARD_RAIL
    kerb: float = 1.2
    camber: float = 0.03


@dataclass(frozen=True)
class Setting:
    """One place: its land and its roadside."""

    name: str
    land: Land
    side: Roadside


def _setting(name: str, land: Land, side: Roadside) -> tuple[str, Setting]:
    return name, Setting(name, land, side)


SETTINGS: dict[str, Setting] = dict(
    (
        _setting("meadow", Land(), Roadside()),
        _setting("hills", Land(roll=16.0, roll_size=300.0, horizon=95.0, near=35.0, rise=400.0), Roadside(runoff=9.0)),
        _setting(
            "forest",
            Land(roll=11.0, roll_size=210.0, horizon=70.0, near=45.0, bare=0.3),
            Roadside(verge=(3.5, 6.5), runoff=8.0, outer=GUARD_RAIL),
        ),
        _setting(
            "alpine",
            Land(
                roll=22.0, roll_size=230.0, horizon=240.0, near=22.0, rise=420.0, rough=0.8, axis=0.6, rock_slope=0.58,
            ),
            Roadside(verge=(2.5, 5.0), runoff=6.0, outer=GUARD_RAIL, kerb=1.0, camber=0.04),
        ),
        _setting(
            "coast",
            Land(roll=9.0, roll_size=240.0, horizon=85.0, near=40.0, sea=1.0, rough=0.35, bare=0.2, rock_slope=0.6),
            Roadside(runoff_surface=SAND, inner=FENCE),
        ),
        _setting(
            "city",
            Land(roll=2.0, roll_size=400.0, horizon=45.0, bare=0.55),
            Roadside(
                verge=(0.8, 2.0), runoff=4.5, verge_surface=CONCRETE, runoff_surface=ASPHALT, rail=CONCRETE_WALL,
                inner=CONCRETE_WALL, kerb=0.7, camber=0.015,
            ),
        ),
        _setting(
            "desert",
            Land(
                roll=10.0, roll_size=280.0, horizon=130.0, near=50.0, rise=380.0, rough=0.5, terrace=0.8, bare=0.9,
                rock_slope=0.55,
            ),
            Roadside(
                verge=(6.0, 11.0), runoff=14.0, verge_surface=SAND, runoff_surface=ASPHALT, rail=FENCE, inner=FENCE,
            ),
        ),
        _setting(
            "airfield",
            Land(roll=1.5, roll_size=500.0, horizon=35.0, bare=0.12),
            Roadside(verge=(8.0, 13.0), runoff=16.0, runoff_surface=ASPHALT, rail=FENCE, inner=TYRE_WALL, camber=0.0),
        ),
        _setting(
            "moor",
            Land(
                roll=14.0, roll_size=190.0, horizon=110.0, near=30.0, rise=430.0, rough=0.45, bare=0.4, rock_slope=0.55,
            ),
            Roadside(verge=(4.0, 7.5), runoff=8.0, inner=FENCE, rail=FENCE),
        ),
        _setting(
            "park",
            Land(roll=4.0, roll_size=180.0, horizon=40.0, bare=0.05),
            Roadside(verge=(3.0, 6.0), runoff=7.0, outer=TYRE_WALL, rail=CONCRETE_WALL, kerb=1.0),
        ),
        _setting(
            "quarry",
            Land(
                roll=7.0, roll_size=150.0, horizon=75.0, near=20.0, rise=260.0, rough=0.6, terrace=1.0, bare=0.75,
                rock_slope=0.5,
            ),
            Roadside(verge=(3.0, 6.0), runoff=6.0, verge_surface=DIRT, runoff_surface=DIRT, rail=TYRE_WALL, kerb=0.0),
        ),
    )
)  # fmt: skip
"""All settings by name; scenery and looks go by these names too."""


def named_setting(name: str) -> Setting:
    """The setting of that name. Raises UserError naming the known ones otherwise."""
    if name not in SETTINGS:
        raise UserError(f"unknown setting {name!r}; expected one of {', '.join(SETTINGS)}")
    return SETTINGS[name]
