"""Anchored noise: full-resolution texture that stays with its place in the world, for the decoder to shape."""
