"""Public shapes beside ours: the arithmetic is counted right, the cache is written, a toy runs through."""

import json

import pytest
import torch

from benchmarks import beside, peers
from benchmarks.beside import build_public, generate, gigaflops, our_peers
from benchmarks.chunk import Chunk
from benchmarks.public_dit import PublicDitConfig
from demos.benches.parts import PartsPlan
from demos.renderer.factory import RendererPlan
from diffusion_render.stream.window import render_window

SMALL = PublicDitConfig(layers=2, width=256, hidden=384, rows=2, columns=3, frames=2, history=3, text=5, steps=2)


@pytest.fixture(scope="module")
def chunk():
    with torch.inference_mode():
        return Chunk(PartsPlan(RendererPlan("toy", random_weights=True, number_type="float32"), (64, 32)))


@pytest.fixture(scope="module")
def public(chunk):
    return build_public(SMALL, chunk)


def drawn(public, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(1, public.config.tokens, public.config.patch, generator=generator)


def test_the_shape_is_the_public_one(public):
    config = PublicDitConfig()
    assert (config.layers, config.width, config.heads, config.hidden, config.text) == (30, 1536, 12, 8960, 512)
    assert (config.rows * config.columns, config.tokens, config.steps) == (1560, 4680, 4)

    def weights(c):
        d = c.width  # products with their biases; three norms of the queries and keys, one with a bias; modulation
        return 6 * (d * d + d) + 2 * d * c.hidden + c.hidden + d + 3 * d + 2 * d + 6 * d

    assert sum(p.numel() for p in public.blocks[0].parameters()) == weights(SMALL)
    assert 1.2e9 < config.layers * weights(config) < 1.3e9


@torch.inference_mode()
def test_the_products_of_a_chunk_are_those_of_the_formula(public):
    c, state, noise = SMALL, public.begin(), drawn(public)
    n, d = c.tokens, c.width
    linear = n * (3 * d * d + d * d + 2 * d * d + 2 * d * c.hidden)
    attention = 2 * n * d * (c.kept + n) + 2 * n * d * c.text
    ends = 2 * n * c.patch * d + 256 * d + 6 * d * d
    expected = 2 * (c.steps + 1) * (c.layers * (linear + attention) + ends) / 1e9
    assert gigaflops(lambda: public.chunk(noise, *state)) == pytest.approx(expected, rel=1e-6)


@torch.inference_mode()
def test_the_last_pass_leaves_the_keys_of_the_clean_chunk_behind(public):
    window, prompt, rotary = public.begin()
    before = [kv.key.clone() for kv in window]
    clean = public.chunk(drawn(public), window, prompt, rotary)
    kept = SMALL.kept
    assert all(torch.equal(kv.key[:, :kept], old[:, :kept]) for kv, old in zip(window, before))
    left = [kv.key[:, kept:].clone() for kv in window]
    assert not any(torch.equal(new, old[:, kept:]) for new, old in zip(left, before))
    again = public.chunk(drawn(public), window, prompt, rotary)
    assert torch.equal(clean, again)
    assert all(torch.equal(kv.key[:, kept:], new) for kv, new in zip(window, left))


@torch.inference_mode()
@pytest.mark.parametrize("which", ["window", "prompt"])
def test_history_and_prompt_reach_the_chunk(public, which):
    window, prompt, rotary = public.begin()
    before = public.chunk(drawn(public), window, prompt, rotary)
    for kv in window if which == "window" else prompt:
        kv.value.neg_()
    assert (public.chunk(drawn(public), window, prompt, rotary) - before).abs().max() > 1e-4


@torch.inference_mode()
def test_our_transformer_makes_the_latents_of_our_whole_chunk(chunk):
    model = chunk.bench.model
    inputs = chunk.inputs(chunk.prefix(model))
    whole = render_window(model, chunk.steps, inputs, list(chunk.noise_maker(model, True)()))
    alone = generate(model, chunk.steps, inputs)
    alone = alone / alone.square().mean(2, keepdim=True).sqrt()
    assert torch.allclose(alone, whole.latents, atol=1e-4)
    counts = [gigaflops(peer.work) for peer in our_peers(chunk)]
    assert 0 < counts[0] < counts[1]


def test_a_toy_runs_through_and_every_figure_is_there(capsys, monkeypatch):
    monkeypatch.setattr(beside, "LEAST", 1)
    words = "--toy", "--preset", "toy", "--size", "64x32", "--seconds", "0.001", "--threads", "1", "--json"
    assert peers.main(words) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [row["frames"] for row in report["rows"]] == [12, 8, 8]
    for row in report["rows"]:
        assert row["fps"] == pytest.approx(1000 * row["frames"] / row["ms"]["median"], rel=0.01)
        assert row["gflop_a_chunk"] > 0
    assert report["public_shape"]["layers"] == 1
    assert (report["device"], report["recorded"], report["compiled"]) == ("cpu", False, False)


@pytest.mark.parametrize("word", ["--layers", "--history"])
def test_sizes_that_cannot_be_are_refused(capsys, word):
    assert peers.main((word, "0")) == 2
    assert f"{word} must be 1 to 1000, got 0" in capsys.readouterr().err


def test_widths_that_no_head_divides_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match="width 200 must be divisible by the head width 128"):
        PublicDitConfig(width=200)
