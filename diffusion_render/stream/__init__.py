"""Streaming: schedule, window, caches, session. All state is O(window)."""
