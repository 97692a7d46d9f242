"""A compiled model in play: nothing is compiled once the start is over, whatever changes, and the pictures stay."""

import numpy as np
import pytest
import torch
from torch._dynamo.utils import counters

from diffusion_render.model.renderer import Renderer
from tests.demos.renderer_toys import FIRST, RUN, SIDE, look, run_of, schedule, toy_factory


@pytest.fixture
def traced(monkeypatch):
    """Of the model one part alone is compiled, and everything by the tracer without the code generator: the whole of
    both takes minutes."""
    compile_ = torch.compile
    monkeypatch.setattr(torch, "compile", lambda f, **_: compile_(f, dynamic=False, backend="eager"))

    def compile_codes(renderer: Renderer) -> None:
        renderer.autoencoder.codes = torch.compile(renderer.autoencoder.codes)

    monkeypatch.setattr(Renderer, "compile_for_play", compile_codes)


def drive(renderer) -> list[np.ndarray]:
    """A first window and runs, through a change of look, of the schedule, and a new beginning."""
    made = list(renderer.render(run_of(0, FIRST)))
    for k, control in enumerate([None, look(1), None, schedule(chunk=1), None]):
        if control is not None:
            renderer.apply(control)
        frames = RUN if k < 3 else RUN // 2
        made += renderer.render(run_of(FIRST + RUN * k, frames))
    renderer.reset(None)
    return made + list(renderer.render(run_of(FIRST + 6 * RUN, FIRST)))


def test_changes_in_play_compile_nothing_and_change_no_picture(traced):
    factory = toy_factory(compile=True)
    factory.warm_up()
    before = counters["stats"]["unique_graphs"]
    pictures = drive(factory.renderer((SIDE, SIDE)))
    assert before > 0
    assert counters["stats"]["unique_graphs"] == before
    plain = drive(toy_factory().renderer((SIDE, SIDE)))
    largest = max(int(np.abs(a.astype(int) - b).max()) for a, b in zip(pictures, plain, strict=True))
    assert largest <= 1  # of 255: the plain twins of kernels round in another order
