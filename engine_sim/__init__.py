"""Deterministic worlds and their views. No torch, no sockets."""
