"""Session folders: write, read back exactly, replay, render anew, cut into clips."""
