"""Fitted guidance: its formulas, where its gradients go, and that one call ends as the guided prediction."""

import pytest
import torch

from diffusion_render.train.guidance import (
    Branches,
    Scales,
    ask_branches,
    guided_prediction,
    plain_predictions,
    three_branches,
)
from diffusion_render.train.windows import velocity
from tests.diffusion_render.toys import toy_renderer
from tests.diffusion_render.train.test_teacher_forcing import bank, trainer  # noqa: F401


def branches(*values):
    return Branches(*(torch.tensor(float(v), requires_grad=True) for v in values))


def test_plain_predictions_are_those_of_the_source_text():
    bare, told, mapped = branches(1, 5, 11)
    plain = plain_predictions(Branches(bare, told, mapped), Scales(1.5, 3.0))
    assert [u.item() for u in plain] == pytest.approx([1, (2 * 5 + 1) / 3, (11 + 5 + 1) / 3])


@pytest.mark.parametrize(("link", "factor"), [("bare", 1.0), ("told", 1 / 1.5), ("mapped", 1 / 3.0)])
def test_gradients_flow_into_the_newest_link_alone(link, factor):
    guided = branches(1, 5, 11)
    getattr(plain_predictions(guided, Scales(1.5, 3.0)), link).backward()
    grads = {name: x.grad for name, x in guided._asdict().items() if x.grad is not None}
    assert set(grads) == {link}
    assert float(grads[link]) == pytest.approx(factor)


@pytest.mark.parametrize("scales", [Scales(1.5, 3.0), Scales(3.0, 4.0), Scales(1.0, 1.0)])
def test_at_convergence_one_call_is_the_guided_prediction(scales):
    # A world whose answer is known: the value depends on a prompt t and a map s, which are not independent.
    t, s = torch.tensor([0, 0, 0, 1, 1, 1]), torch.tensor([0, 0, 1, 0, 1, 1])
    value = torch.tensor([0.0, 1.0, 4.0, 2.0, 7.0, 9.0], dtype=torch.float64)
    bare = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    told = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    mapped = torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)
    # Rates that undo the curvature of each link's loss: some tens of steps are enough.
    rates = (0.5, scales.prompt**2, 1.5 * scales.structure**2)
    learner = torch.optim.SGD([{"params": [p], "lr": r} for p, r in zip((bare, told, mapped), rates, strict=True)])
    for _ in range(40):
        plain = plain_predictions(Branches(bare.expand(6), told[t], mapped[t, s]), scales)
        learner.zero_grad()
        sum((u - value).square().mean() for u in plain).backward()
        learner.step()
    for a in (0, 1):
        for b in (0, 1):
            means = [value.mean(), value[t == a].mean(), value[(t == a) & (s == b)].mean()]
            assert mapped[a, b].item() == pytest.approx(guided_prediction(Branches(*means), scales).item(), abs=1e-3)


def test_branches_lose_prompt_map_and_heading_in_turn(bank):  # noqa: F811
    batch = bank.sample(1, 5, 2)
    batch = batch._replace(text=torch.ones_like(batch.text), heading=torch.ones_like(batch.heading))
    bare, told, mapped = (three_branches(batch).text.chunk(3)[k] for k in range(3))
    assert not bare.any()
    assert torch.equal(told, batch.text)
    assert torch.equal(mapped, batch.text)
    for name in ("mapped", "heading"):
        parts = getattr(three_branches(batch), name).chunk(3)
        assert [bool(part.any()) for part in parts] == [False, False, True]
    assert torch.equal(three_branches(batch).latents, batch.latents.repeat(3, 1, 1, 1, 1))


def test_the_last_branch_is_what_play_asks_and_the_others_are_not(bank):  # noqa: F811
    renderer, batch = toy_renderer(), bank.sample(2, 3, 2)
    level = torch.full(batch.latents.shape[:2], 0.5)
    guided = ask_branches(renderer, batch, batch.latents, level, 1)
    assert torch.allclose(guided.mapped, velocity(renderer, batch, batch.latents, level, 1), atol=1e-5)
    assert not torch.allclose(guided.told, guided.mapped, atol=1e-3)


def test_the_forcing_stages_fit_guidance_on_a_third_of_the_windows(bank):  # noqa: F811
    stage = trainer(bank, batch=6, scales=Scales(), first_share=0.0, single_share=0.0)
    sizes = []
    sample = bank.sample
    try:
        bank.sample = lambda number, size, units: sizes.append(size) or sample(number, size, units)
        before = float(stage.train_step(0.0)["loss"])
        for _ in range(25):
            after = float(stage.train_step(0.0)["loss"])
    finally:
        bank.sample = sample
    assert set(sizes) == {2}
    assert after < before
