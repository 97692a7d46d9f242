"""Engines that are not ours, on the frame protocol: each short enough to read in five minutes."""
