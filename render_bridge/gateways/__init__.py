"""Gateways: the frame protocol over other transports, unchanged."""
