"""The order in which a circuit's surroundings are filled: what matters most to a driver chooses first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..track import Ground, PitStraight, TrackArrays
from .buildings import build_buildings
from .distance import distance_field
from .planting import plant
from .roadside import Roadside
from .surroundings import surroundings_of
from .trackside import build_trackside
from .yard import Yard


def place_scenery(
    arrays: TrackArrays, ground: Ground, pit: PitStraight | None, kind: str, setting: str, seed: int
) -> NDArray[np.void]:
    """Everything that stands around a circuit.

    Nothing touches the track between its barriers, on any level; solid objects do not overlap; z is the lowest ground
    under a footprint. The same arguments give the same bytes on every machine.

    Args:
        arrays: the circuit.
        ground: height field that carries the objects.
        pit: pit straight, or None.
        kind: ``road``, ``dirt`` or ``oval``.
        setting: a name of ``tracks.settings.SETTINGS``.
        seed: of every choice.

    Returns:
        SCENERY_DTYPE ``[k]``, roughly 500 to 1500 objects a kilometre of track.

    Raises:
        ValueError: unknown setting.
    """
    land = surroundings_of(setting, kind)
    yard = Yard(arrays, ground, seed)
    road = Roadside(arrays)
    away = distance_field(arrays, ground)
    build_trackside(yard, road, pit, land, seed)
    build_buildings(yard, road, away, land, seed)
    plant(yard, road, away, land, seed)
    return yard.scenery()
