"""What stands around a circuit, placed by rule and seed.

Axes of an object: origin in the middle of its footprint at ground level, own x along its front, own y from front
to back, z up; seen from in front (looking along +y) own x points right. So the front faces own −y: the face of a
board, the open side and the seats of a stand, the garages of a pit building, the door of a house. A gantry's own
x spans the road from foot to foot, its beam lies in the top metre and a half of ``size_z``; a lamp post's arm reaches
along −y. ``yaw`` turns own x counter-clockwise from east. Trees, bushes and boulders have size_x = size_y = the width
of the crown or stone. Sizes are of the whole object: a prototype of unit size is scaled by (size_x, size_y, size_z).
"""

from .place import place_scenery
from .surroundings import SURROUNDINGS, Surroundings, surroundings_of

__all__ = ["SURROUNDINGS", "Surroundings", "place_scenery", "surroundings_of"]
