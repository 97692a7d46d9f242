"""What every stage does with a loss: optimiser, team, clipped gradients, weight average, and the state of it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from .run import WeightAverage, learning_rate
from .team import ALONE, Team


class Group(NamedTuple):
    """Parameters of ``module`` that learn at the peak ``rate``."""

    module: nn.Module
    rate: float


@dataclass(frozen=True)
class LearnerConfig:
    """How a stage learns.

    Args:
        warmup: steps until the peak rate.
        average: decay of the weight average.
        betas: of AdamW.
        decay: weight decay.
        clip: largest norm of the gradient.
    """

    warmup: int
    average: float
    betas: tuple[float, float] = (0.9, 0.98)
    decay: float = 0.01
    clip: float = 1.0


class Learner:
    """AdamW over groups of parameters, and an average of them.

    Args:
        groups: what learns, and how fast.
        config: how.
        device: that it lies on.
        team: whose gradients are averaged; all members start from the first one's weights.
    """

    def __init__(
        self, groups: Sequence[Group], config: LearnerConfig, device: torch.device, team: Team = ALONE
    ) -> None:
        self.config, self.team = config, team
        self.module = nn.ModuleList([group.module for group in groups])
        team.share(self.module)
        self.average = WeightAverage(self.module, config.average)
        rows = [{"params": list(g.module.parameters()), "peak": g.rate} for g in groups]
        self.optimizer = torch.optim.AdamW(
            rows, 1.0, config.betas, weight_decay=config.decay, fused=device.type == "cuda"
        )

    def state(self) -> dict[str, Any]:
        """Weights, optimiser and average."""
        return {
            "weights": self.module.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "average": self.average.state(),
        }

    def load(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` gave."""
        self.module.load_state_dict(state["weights"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.average.load(state["average"])

    def descend(self, loss: Tensor, step: int, share: float) -> Tensor:
        """One optimiser step of run step ``step`` at ``share`` of the budget; returns the norm of the gradient."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(step, share, group["peak"], self.config.warmup)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.team.average_gradients(self.module.parameters())
        norm = clip_grad_norm_(self.module.parameters(), self.config.clip)
        self.optimizer.step()
        self.average.update(self.module)
        return norm.detach()

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Inside, the networks have their averaged weights."""
        self.average.swap(self.module)
        try:
            yield
        finally:
            self.average.swap(self.module)

    def settle(self) -> None:
        """Give the networks their averaged weights for good: the end of a stage."""
        self.average.swap(self.module)
