"""Material ids: the one list that mesh builders write and the teacher's shaders read.

``uv`` means, per material, what its comment says. Classes come from the class table; a material only matters
for the teacher view.
"""

from __future__ import annotations

from enum import IntEnum


class Material(IntEnum):
    """What a surface is made of."""

    ASPHALT = 0  # uv = (s, d) in metres; so are all ribbon materials
    CONCRETE = 1
    DIRT_ROAD = 2
    EDGE_LINE = 3
    KERB = 4
    GRASS_MOWN = 5  # uv = (s, d) beside the road
    GRASS_WILD = 6  # uv = world x, y on the height field
    SOIL = 7
    GRAVEL = 8
    SAND = 9
    ROCK = 10  # uv = world x, y on the height field; object metres on boulders
    GUARD_RAIL = 11  # uv = (s, height) in metres; so are all barriers
    CONCRETE_WALL = 12
    TYRE_WALL = 13
    FENCE = 14
    BARK = 15  # uv = (around, up) in metres
    LEAVES = 16  # uv = object metres
    NEEDLES = 17
    FACADE_HOUSE = 18  # uv = (along the wall, up) in metres
    FACADE_BLOCK = 19
    FACADE_HANGAR = 20
    FACADE_PIT = 21
    ROOF = 22
    STAND_SEATS = 23  # uv = (along, up the rows) in metres
    STAND_FRAME = 24
    BOARD_FACE = 25  # uv = 0 … 1 over the face, u right, v up
    BOARD_FRAME = 26
    METAL = 27
    CAR_PAINT = 28  # uv = (along the car, across) in metres, nose positive
    CAR_GLASS = 29
    CAR_TYRE = 30
    CAR_RIM = 31
    CAR_TRIM = 32
    CAR_HEADLIGHT = 33
    CAR_TAILLIGHT = 34
    GRID_MARK = 35  # start line and grid boxes, class road; uv = (s, d)
