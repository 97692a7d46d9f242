"""Figures of the model: its parts alone, and the whole loop beside an engine."""
