"""The discriminator at work: its own step on a batch, and what it asks of whoever painted the batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ..model.transfer import send
from .discriminator import Discriminator, DiscriminatorConfig
from .losses import discriminator_loss
from .team import ALONE, Team

RATE = 2e-4


@dataclass(frozen=True)
class AdversaryConfig:
    """Weights of the two terms, and who judges.

    Args:
        adversarial: of the hinge term.
        matching: of feature matching (Salimans et al., 2016).
        pairs: most pairs of neighbouring frames that are judged in a step. At full size the discriminator costs five
            times what the decoder does for the same frames, backward passes not counted.
        discriminator: its sizes.
    """

    adversarial: float = 0.05
    matching: float = 0.5
    pairs: int = 16
    discriminator: DiscriminatorConfig = field(default_factory=DiscriminatorConfig)


class Adversary:
    """A discriminator with its optimiser.

    Args:
        config: weights of its terms.
        device: of the pictures.
        team: of GPUs.
        compiled: compile both passes.
    """

    def __init__(
        self, config: AdversaryConfig, device: torch.device, team: Team = ALONE, compiled: bool = False
    ) -> None:
        self.config, self.device, self.team = config, device, team
        self.judge = Discriminator(config.discriminator).to(device)
        team.share(self.judge)
        fused = device.type == "cuda"
        self.optimizer = torch.optim.AdamW(self.judge.parameters(), RATE, (0.5, 0.99), fused=fused)
        make: Callable[[Any], Any] = (lambda f: torch.compile(f, dynamic=False)) if compiled else lambda f: f
        self._told_apart, self._asked = make(self._told_apart_plain), make(self._asked_plain)

    def state(self) -> dict[str, Any]:
        """Everything that the next step needs."""
        return {"judge": self.judge.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load(self, state: dict[str, Any]) -> None:
        """Take up what ``state`` gave."""
        self.judge.load_state_dict(state["judge"])
        self.optimizer.load_state_dict(state["optimizer"])

    def __call__(self, output: Tensor, frames: Tensor, class_maps: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """One step of the discriminator, then what the painter is asked for, both on the same pairs of frames.

        Args:
            output: painted frames ``[N, F, 3, H, W]``, F even; gradients flow into them.
            frames: true ones.
            class_maps: uint8 ``[N, F, H, W]``.

        Returns:
            The weighted sum of the painter's terms, and values to log.
        """
        count = output.shape[0] * output.shape[1] // 2
        # Drawn on the CPU: the device is not waited for.
        which = send(torch.randperm(count)[: self.config.pairs], self.device)
        maps, real, fake = (_pairs(x)[which] for x in (class_maps, frames, output))
        judged = self._told_apart(real, fake.detach(), maps)
        self.optimizer.zero_grad(set_to_none=True)
        judged.backward()
        self.team.average_gradients(self.judge.parameters())
        self.optimizer.step()
        self.judge.requires_grad_(False)
        score, matching = self._asked(real, fake, maps)
        self.judge.requires_grad_(True)
        terms = self.config.matching * matching - self.config.adversarial * score
        return terms, {"judge": judged.detach(), "matching": matching.detach()}

    def _told_apart_plain(self, real: Tensor, fake: Tensor, maps: Tensor) -> Tensor:
        with self._autocast():
            scores, _ = self.judge(torch.cat([real, fake]), maps.repeat(2, 1, 1, 1))
        return discriminator_loss(*scores.float().chunk(2))

    def _asked_plain(self, real: Tensor, fake: Tensor, maps: Tensor) -> tuple[Tensor, Tensor]:
        with self._autocast():
            with torch.no_grad():
                _, wanted = self.judge(real, maps)
            scores, made = self.judge(fake, maps)
            gaps = [(m - w).abs().float().mean() for m, w in zip(made, wanted, strict=True)]
        return scores.float().mean(), torch.stack(gaps).sum()

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")


def _pairs(x: Tensor) -> Tensor:
    """``[N, F, …]`` → neighbouring frames ``[N · F/2, 2, …]``."""
    return x.unflatten(1, (-1, 2)).flatten(0, 1)
