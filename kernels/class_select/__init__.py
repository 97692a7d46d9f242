"""Class select: every pixel takes its own class's value from its 4×4 block, so that edges inside a block are exact."""
