"""What people run: the `paintover` command and the programs behind it."""
