"""Tensors of the CPU on their way to the device that works with them."""

from __future__ import annotations

import torch
from torch import Tensor


def send(values: Tensor, device: torch.device) -> Tensor:
    """A CPU tensor on ``device``, without waiting for the device.

    A plain copy to a GPU waits until all work queued before it is done, and the GPU then idles while Python prepares
    the rest; copies from pinned memory line up behind that work instead. What is pinned or there already is not
    copied once more.
    """
    if device.type != "cuda" or values.device.type != "cpu":
        return values.to(device)
    return values.pin_memory().to(device, non_blocking=True)
