"""The discriminator at work: what it judges, whom its gradients reach, and that it learns to tell apart."""

import dataclasses

import pytest
import torch

from diffusion_render.train.adversary import Adversary
from tests.diffusion_render.toys import TOY_ADVERSARY

CPU = torch.device("cpu")


def pictures(seed, frames=8):
    return torch.rand(2, frames, 3, 32, 32, generator=torch.Generator().manual_seed(seed)) * 2 - 1


MAPS = torch.zeros(2, 8, 32, 32, dtype=torch.uint8)


@pytest.mark.parametrize(("pairs", "reached"), [(3, 6), (100, 16)])
def test_so_many_pairs_are_judged_and_no_more(pairs, reached):
    judge = Adversary(dataclasses.replace(TOY_ADVERSARY, pairs=pairs), CPU)
    output = pictures(1).requires_grad_()
    terms, _ = judge(output, pictures(0), MAPS)
    terms.backward()
    touched = output.grad.flatten(2).abs().sum(-1) > 0  # [clip, frame]
    assert int(touched.sum()) == reached
    assert torch.equal(touched[:, ::2], touched[:, 1::2])


def test_the_painter_s_terms_leave_the_judge_as_it_is():
    judge = Adversary(TOY_ADVERSARY, CPU)
    terms, _ = judge(pictures(1).requires_grad_(), pictures(0), MAPS)
    judge.optimizer.zero_grad()
    terms.backward()
    assert all(p.grad is None for p in judge.judge.parameters())


def test_it_learns_to_tell_dark_pictures_from_bright_ones():
    torch.manual_seed(0)
    judge = Adversary(TOY_ADVERSARY, CPU)
    losses = []
    for step in range(60):
        real, fake = pictures(step) * 0.2 + 0.7, pictures(1000 + step) * 0.2 - 0.7
        losses.append(float(judge(fake, real, MAPS)[1]["judge"]))
    assert losses[-1] < 0.6 * losses[0]
