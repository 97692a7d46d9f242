"""Drives to score: session folders, clips and held-out races as the evaluation reads them, and the files it leaves."""
