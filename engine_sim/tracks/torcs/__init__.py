"""Reader of TORCS track files: tracks that nobody here wrote, from where the user has them installed."""

from .reader import LEFT_OUT, ReadOptions, find_torcs, read_torcs

__all__ = ["LEFT_OUT", "ReadOptions", "find_torcs", "read_torcs"]
