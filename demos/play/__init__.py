"""The game that people play: a pure core (loop, inputs, display maths) and a thin shell (window, processes)."""
