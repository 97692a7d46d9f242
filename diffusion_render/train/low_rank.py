"""Low-rank adapters (Hu et al., 2021): a frozen network that learns through small matrices beside its large ones."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize


class LowRank(nn.Module):
    """weight → weight + up · down; ``up`` starts at zero, where it changes nothing.

    Args:
        rows, columns: of the weight.
        rank: of the change.
    """

    def __init__(self, rows: int, columns: int, rank: int) -> None:
        super().__init__()
        self.down = nn.Parameter(torch.randn(rank, columns) / columns**0.5)
        self.up = nn.Parameter(torch.zeros(rows, rank))

    def forward(self, weight: Tensor) -> Tensor:
        """The changed weight ``[rows, columns]``."""
        return weight + self.up @ self.down


def adapt(network: nn.Module, rank: int) -> nn.ModuleList:
    """Freeze ``network`` and put an adapter beside each of its linear layers that is larger than the adapter.

    Returns:
        the adapters: all that learns.

    Raises:
        ValueError: if the network has no such layer.
    """
    network.requires_grad_(False)
    adapters = []
    for layer in [m for m in network.modules() if isinstance(m, nn.Linear)]:
        rows, columns = layer.weight.shape
        if min(rows, columns) > rank:
            adapter = LowRank(rows, columns, rank).to(layer.weight.device)
            parametrize.register_parametrization(layer, "weight", adapter)
            adapters.append(adapter)
    if not adapters:
        raise ValueError(f"no linear layer is larger than the rank {rank} on both sides")
    return nn.ModuleList(adapters)
