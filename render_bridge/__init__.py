"""The frame protocol between an engine and a renderer. No torch, no GL."""
