"""Test vectors (bytes ↔ message) as files that any language can read, and a checker of other people's ends."""
