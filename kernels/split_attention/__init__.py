"""Split attention: one attention as several with fewer keys each, so that few queries fill a whole graphics card."""
