"""Noise of units: the same numbers whether drawn ahead or when needed, and never more memory than a bound."""

import torch

from diffusion_render.stream.noise import KEPT, Draw, UnitNoise
from tests.diffusion_render.stream.test_session import session

SHAPE = 1, 1, 8, 2, 3


def noise():
    return UnitNoise(SHAPE, torch.device("cpu"), torch.float32)


def test_a_draw_made_ahead_equals_one_made_when_it_is_needed():
    ahead, plain = noise(), noise()
    draws = [Draw(3, unit, purpose) for unit in range(4) for purpose in ("chunk", "history")]
    ahead.ahead(draws)
    for draw in reversed(draws):
        assert torch.equal(ahead(draw), plain(draw))
        assert torch.equal(ahead(draw), plain(draw))  # also the second time, when nothing is kept any more


def test_draws_that_nobody_comes_for_do_not_pile_up():
    kept = noise()
    for unit in range(10 * KEPT):
        kept.ahead([Draw(0, unit, "chunk")])
    assert len(kept._kept) == KEPT


def test_a_stream_draws_every_unit_once_and_ahead(monkeypatch):
    stream, made = session(1), []
    make = stream._unit_noise._make
    monkeypatch.setattr(stream._unit_noise, "_make", lambda draw: made.append(draw) or make(draw))
    for _ in range(4):
        stream.push(torch.zeros(stream.frames_wanted, stream.config.height, stream.config.width, dtype=torch.uint8))
    assert len(made) == len(set(made))
    assert {d.unit for d in made if d.purpose == "chunk"} == set(range(stream._units + stream.config.schedule.chunk))
