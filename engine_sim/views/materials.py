"""Material ids: the one list that mesh builders write and the teacher's shaders read.

``uv`` means, per material, what its comment says. Classes come from the class table; a material only matters
for the teacher view.

**uv of scaled instances.** Scenery prototypes fill a unit box (x and y in −0.5 … 0.5, z in 0 … 1) and are scaled by
their instance; their uv is in the same units. A shader gets metres with ``uv * m``, where, with ``n`` the prototype's
own normal (before scale and rotation) and ``scale`` that of the instance:

- facades, STAND_FRAME, BOARD_FRAME, METAL, CONCRETE_WALL: ``m = (|n.x| > |n.y| ? scale.y : scale.x, scale.z)``;
- ROOF, STAND_SEATS: uv is the position in plan, ``m = (scale.x, scale.y)``;
- BARK, LEAVES, NEEDLES, ROCK: ``m = (scale.x, scale.z)``;
- BOARD_FACE: uv is 0 … 1 and stays so.

Static cells and cars have scale 1, so the rule changes nothing there. Normals of scaled instances turn as
``rotation @ (n / scale)``, made unit again. Fronts face −y of the prototype: garages, seats, doors, board faces.
"""

from __future__ import annotations

from enum import IntEnum

LINE_REACH = 24.0
"""Metres on either side of the racing line that the variation of road materials can tell."""

LAMP_HEAD, START_LIGHTS = 200, 158
"""Variations of METAL: what glows at night; the panel of start lights, with uv 0 … 1 over its front."""


class Material(IntEnum):
    """What a surface is made of."""

    ASPHALT = 0  # uv = (s, d) in metres; so are all ribbon materials. Variation: ribbon.from_line; 0 on run-off
    CONCRETE = 1
    DIRT_ROAD = 2  # variation as on asphalt
    EDGE_LINE = 3  # variation 255 on dirt roads: thrown-out stones instead of paint
    KERB = 4
    GRASS_MOWN = 5  # uv = (s, d) beside the road, as on all verges
    GRASS_WILD = 6  # uv = world x, y on the height field
    SOIL = 7
    GRAVEL = 8
    SAND = 9
    ROCK = 10  # uv = world x, y on the height field; object x, z on boulders
    GUARD_RAIL = 11  # barriers: uv = (s, height) in metres; (−s, height) right of the road, so that writing reads
    CONCRETE_WALL = 12
    TYRE_WALL = 13
    FENCE = 14
    BARK = 15  # uv = (around, up) in metres
    LEAVES = 16  # uv = object x, z
    NEEDLES = 17
    FACADE_HOUSE = 18  # uv = (along the wall, up) in metres
    FACADE_BLOCK = 19
    FACADE_HANGAR = 20
    FACADE_PIT = 21
    ROOF = 22  # uv = (along the ridge, across in plan)
    STAND_SEATS = 23  # uv = (along, depth from front to back in plan)
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
    GRID_MARK = 35  # start line and grid boxes, class road; uv = (s, d); variation as on asphalt
