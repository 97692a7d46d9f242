"""Circuits: our generator, a reader of TORCS files, and questions about any point."""
