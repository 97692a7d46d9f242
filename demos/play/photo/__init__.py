"""Photo mode: a free camera in a moment that stands still."""
