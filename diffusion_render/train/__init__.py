"""The recipe: clips in, weights out. One file per stage."""
