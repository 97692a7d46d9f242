"""What a player has chosen for good: keys, pad, sound, the race that the start screen offers first."""
