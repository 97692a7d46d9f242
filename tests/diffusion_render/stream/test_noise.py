"""Noise of units: a function of the seed, the unit and its purpose alone, drawn once and ahead."""

import torch

from diffusion_render.stream.noise import Draw, UnitNoise
from tests.diffusion_render.stream.test_session import session

SHAPE = 1, 1, 8, 2, 3


def test_draws_that_are_made_together_are_those_that_are_made_one_by_one():
    noise = UnitNoise(SHAPE, torch.device("cpu"), torch.float32)
    draws = [Draw(3, unit, purpose) for unit in range(3) for purpose in ("chunk", "history")]
    each = [noise([draw]) for draw in reversed(draws)][::-1]
    assert torch.equal(noise(draws), torch.cat(each, 1))
    assert len({tensor.sum().item() for tensor in each}) == len(draws)


def test_a_stream_draws_every_unit_once_and_ahead(monkeypatch):
    stream, made = session(1), []
    make = stream._unit_noise._make
    monkeypatch.setattr(stream._unit_noise, "_make", lambda draw: made.append(draw) or make(draw))
    for _ in range(4):
        stream.push(torch.zeros(stream.frames_wanted, stream.config.height, stream.config.width, dtype=torch.uint8))
    assert len(made) == len(set(made))
    begun = stream._memory.units + stream.config.schedule.chunk
    assert {d.unit for d in made if d.purpose == "chunk"} == set(range(begun))
