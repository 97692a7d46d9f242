"""Turned heads: queries and keys, normalised and turned by their places; what stands before every attention."""
