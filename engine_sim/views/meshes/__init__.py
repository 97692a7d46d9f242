"""Mesh builders: one module an idea, numpy in, vertices and triangles out. Nothing here needs a context."""
