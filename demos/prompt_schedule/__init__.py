"""Looks and prompts that change by a plan while a film or a stream runs."""
