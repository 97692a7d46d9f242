"""Screens around the race: start, pause, settings, keys, recordings. Plain state in, pages out; pygame at the edge."""
