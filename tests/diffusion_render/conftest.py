"""Renderer tests run on one thread: toy networks gain nothing from more, and two waiting threads starve each other."""

import torch

torch.set_num_threads(1)
