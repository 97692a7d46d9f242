"""Several GPUs on one run: every member sees other clips, gradients are averaged, weights stay the same bit for bit.

Started by ``torchrun --nproc-per-node N``; alone, everything here does nothing. Only the first member writes files,
scores held-out clips and reads the clock: the others follow its word.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn


@dataclass(frozen=True)
class Team:
    """A member's place.

    Args:
        rank: of this member, from 0.
        size: members in all.
    """

    rank: int = 0
    size: int = 1

    @staticmethod
    def join() -> Team:
        """The team that torchrun's variables describe, or a team of one. ValueError: they describe none."""
        text = os.environ.get("WORLD_SIZE") or "1"
        if not text.isdecimal() or not (size := int(text)):
            raise ValueError(f"WORLD_SIZE is {text!r}, expected how many take part: torchrun sets it, else unset it")
        if size == 1:
            return Team()
        # Tensors on the CPU travel by gloo also beside GPUs: words must not wait for those.
        dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo")
        return Team(dist.get_rank(), size)

    @property
    def leads(self) -> bool:
        """Whether this member writes, scores and reads the clock."""
        return self.rank == 0

    @property
    def device(self) -> torch.device:
        """The member's own GPU, or the CPU."""
        if not torch.cuda.is_available():
            return torch.device("cpu")
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(device)
        return device

    def draw(self, step: int) -> int:
        """Number of the draw of this member at a step: no two members and steps share one."""
        return step * self.size + self.rank

    def agree(self, value: float) -> float:
        """The first member's value, for all; also a meeting point."""
        if self.size == 1:
            return value
        shared = torch.tensor([value], dtype=torch.float64)
        dist.broadcast(shared, 0)
        return float(shared)

    @torch.no_grad()
    def share(self, module: nn.Module) -> None:
        """Give all members the first one's parameters and buffers."""
        if self.size > 1:
            for tensor in module.state_dict().values():
                dist.broadcast(tensor, 0)

    @torch.no_grad()
    def average_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Mean of all members' gradients, in one exchange; a parameter without one counts as zero."""
        if self.size == 1:
            return
        owned = list(parameters)
        for p in owned:
            if p.grad is None:
                p.grad = torch.zeros_like(p)
        grads = [p.grad for p in owned if p.grad is not None]
        flat = torch.cat([g.flatten() for g in grads])
        dist.all_reduce(flat)
        flat /= self.size
        parts = flat.split([g.numel() for g in grads])
        torch._foreach_copy_(grads, [part.view_as(g) for part, g in zip(parts, grads, strict=True)])


ALONE = Team()
