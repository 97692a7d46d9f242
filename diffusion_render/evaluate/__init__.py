"""Scores: how well the picture follows the map, the look and the teacher. Pictures in, numbers out."""
