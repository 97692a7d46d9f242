"""Compiled play: the same pictures, and nothing that the tracer has to leave to Python."""

import copy

import torch
from torch._dynamo.utils import counters

from diffusion_render.stream.guides import cameras_of
from diffusion_render.stream.window import compiled_window
from kernels.anchored_noise.plain import noise_volume
from tests.diffusion_render.stream.test_guides import RENDERER, some_guides
from tests.diffusion_render.stream.test_session import MAPS, render, session


def test_a_compiled_window_equals_a_plain_one_and_traces_in_one_piece():
    plain = session(first=1, sink=0, history=1, chunk=1)
    render(plain, MAPS[:4], 4)
    compiled = copy.copy(plain)
    compiled._pending = []
    compiled.renderer = copy.deepcopy(plain.renderer)
    compiled.renderer.compile_for_play(backend="eager")  # the tracer without the code generator, which takes a minute
    compiled._render = compiled_window("eager")
    before = counters["stats"]["unique_graphs"]
    ours, theirs = (torch.stack(render(stream, MAPS[4:8], 4)).int() for stream in (compiled, plain))
    assert (ours - theirs).abs().max() <= 1  # of 255: the plain twins of kernels round in another order
    assert counters["stats"]["unique_graphs"] > before
    assert not counters["graph_break"]


def test_a_compiled_anchor_equals_the_plain_one():
    compiled, guides = copy.deepcopy(RENDERER), some_guides(4)
    compiled.compile_for_play(backend="eager")
    arguments = guides.depth, cameras_of(guides.camera), torch.from_numpy(noise_volume())
    assert torch.equal(compiled.autoencoder.anchor(*arguments), RENDERER.autoencoder.anchor(*arguments))
    assert not counters["graph_break"]
