"""The stages of the recipe as the command line runs them: clips and parts in, parts and scores out."""
