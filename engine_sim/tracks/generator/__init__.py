"""Circuits from written parameters: control points with radii and heights, a setting and a seed."""

from .circuit import make_circuit as make_circuit
from .parameters import CircuitPlan as CircuitPlan
from .parameters import read_plan as read_plan
