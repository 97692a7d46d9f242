"""The ladder: rungs differ in one thing, draw the same pictures, and save the work that they name."""

import itertools
import json
from collections import Counter
from dataclasses import fields, replace

import pytest
import torch

from benchmarks import climbing, ladder, naive
from benchmarks.chunk import Chunk
from benchmarks.climbing import Climber, LadderPlan
from benchmarks.rungs import ATTEND, LeftOut, Rung, card_rungs, laptop_rungs, renderer_for
from demos.benches.parts import PartsPlan
from demos.renderer.factory import RendererPlan
from diffusion_render.model import attention, decoder, layers
from diffusion_render.model import generator as generators
from diffusion_render.stream import guides

SIZE = 64, 32
TOY = RendererPlan("toy", random_weights=True, number_type="float32")


@pytest.fixture(scope="module")
def chunk():
    with torch.inference_mode():
        return Chunk(PartsPlan(TOY, SIZE))


@pytest.fixture(scope="module")
def climbers(chunk):
    with torch.inference_mode(), naive.replaced(climbing, "WARM_UP", 1):
        return {r.name: Climber(r, chunk, "eager", print) for r in measurable(card_rungs(False, False))}


def measurable(rungs):
    return [rung for rung in rungs if isinstance(rung, Rung)]


def names_that_differ(a, b):
    return [f.name for f in fields(Rung) if f.name != "name" and getattr(a, f.name) != getattr(b, f.name)]


@pytest.mark.parametrize("rungs", [card_rungs(True, True), card_rungs(False, True), laptop_rungs(True)])
def test_each_rung_differs_from_the_one_before_in_one_thing(rungs):
    rungs = measurable(rungs)
    assert [len(names_that_differ(a, b)) for a, b in itertools.pairwise(rungs)] == [1] * (len(rungs) - 1)


def test_what_cannot_be_climbed_is_named_with_its_reason():
    left_out = {rung.name: rung.reason for rung in card_rungs(False, False) if isinstance(rung, LeftOut)}
    assert "need --device cuda" in left_out["+ graphs"]
    assert "--compile" in left_out["+ compile"]
    assert all(left_out.values())
    assert {r.name for r in card_rungs(True, True) if isinstance(r, LeftOut)} == set(left_out) - {
        "+ graphs",
        "+ compile",
    }


def test_every_rung_draws_the_pictures_of_the_first(climbers):
    first, *others = climbers.values()
    assert first.made.pictures.float().std() > 1
    for climber in others:
        differs = climbing.difference(climber.made, first.made)
        assert differs["latents"] < 1e-5, climber.rung.name
        assert differs["levels"] <= 1, climber.rung.name


def test_a_rung_that_reads_another_prefix_is_caught(climbers):
    """What the comparison is for: a cache of something else shows in the pictures."""
    first, kept = (climbers[name] for name in ("eager, nothing kept", "+ keys of the prefix kept"))
    whole = kept._prefix
    kept._prefix = [type(kv)(kv.key, -kv.value) for kv in whole]
    try:
        with torch.inference_mode():
            made = kept.draw()
    finally:
        kept._prefix = whole
    assert climbing.difference(made, first.made)["latents"] > 1e-3


def test_caches_save_the_tokens_that_they_name(climbers):
    prefix, history, chunk, layers_of_toy, steps = 64 + 2, 4, 4, 2, 2
    tokens, levels = [], []
    for climber in list(climbers.values())[:4]:  # nothing, prefix, history, AdaLN
        generator = climber._renderer.generator
        generator = getattr(generator, "generator", generator)
        seen = Counter()
        for part in (generator.modulation.out, *(block.attention.qkv for block in generator.blocks)):
            part.register_forward_hook(lambda m, given, _, seen=seen: seen.update({m: given[0][..., 0].numel()}))
        with torch.inference_mode():
            climber.draw()
        levels.append(seen.pop(generator.modulation.out))
        tokens.append(sum(seen.values()) // layers_of_toy)
    kept = history + steps * chunk
    assert tokens == [steps * (prefix + history + chunk), steps * (history + chunk), kept, kept]
    units = 2 + steps * 2  # of history and chunk
    assert levels[2:] == [kept + units, units]


def test_rungs_leave_the_process_as_it_was(climbers):
    places = (attention, "attend"), (generators, "rotary_table"), (layers, "can_fuse"), (decoder, "on_processor")
    before = [getattr(*place) for place in places]
    bare = Rung("bare", fused=False, threads=2)
    threads = torch.get_num_threads()
    with torch.inference_mode(), climbing.set_as(bare, climbers["eager, nothing kept"]._renderer):
        assert [getattr(*place) for place in places] != before
        assert torch.get_num_threads() == 2
    assert [getattr(*place) for place in places] == before
    assert torch.get_num_threads() == threads
    generator = climbers["eager, nothing kept"]._renderer.generator.generator
    assert not any(block._forward_pre_hooks for block in generator.blocks)


def test_tables_in_every_layer_are_made_in_every_layer(climbers, monkeypatch):
    made = []

    def counted(*args):
        made.append(1)
        return attention.rotary_table(*args)

    monkeypatch.setattr(naive, "rotary_table", counted)
    with torch.inference_mode():
        climbers["eager, nothing kept"].draw()
    layers_of_toy, steps = 2, 2
    assert len(made) == steps * (1 + layers_of_toy)


def test_fused_kernels_are_off_where_a_rung_says_so(chunk, monkeypatch):
    calls = []
    for module, name in ((layers, "norm_silu_cpu"), (decoder, "block_picture_cpu"), (guides, "anchored_noise_cpu")):
        fast = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, fast=fast, name=name: (calls.append(name), fast(*a))[1])
    made = {}
    for fused in (False, True):
        with torch.inference_mode():
            made[fused] = Climber(Rung("", "prefix and history", fused=fused), chunk, "eager", print).made
        assert set(calls) == ({"norm_silu_cpu", "block_picture_cpu", "anchored_noise_cpu"} if fused else set())
    assert climbing.difference(made[True], made[False])["levels"] <= 1


def test_the_layout_of_weights_is_what_the_rung_says(chunk):
    for channels_last in (False, True):
        made = renderer_for(Rung("", channels_last=channels_last), chunk.bench.model, "eager")
        weight = made.autoencoder.decoder.head.conv.weight
        assert weight.is_contiguous(memory_format=torch.channels_last) == channels_last
        assert weight.is_contiguous() != channels_last
        assert torch.equal(weight, chunk.bench.model.autoencoder.decoder.head.conv.weight)


def test_every_way_of_attention_gives_the_same():
    q, k, v = (torch.randn(2, n, 3, attention.HEAD, generator=torch.Generator().manual_seed(n)) for n in (5, 7, 7))
    plain, *others = (attend(q, k, v) for attend in ATTEND.values())
    v64 = torch.einsum("nqhd,nkhd->nhqk", q.double(), k.double()) * attention.HEAD**-0.5
    truth = torch.einsum("nhqk,nkhd->nqhd", v64.softmax(-1), v.double()).flatten(2)
    assert torch.allclose(plain.double(), truth, atol=1e-5)
    assert all(torch.allclose(other, plain, atol=1e-5) for other in others)


@pytest.fixture
def quick(monkeypatch):
    """One chunk a figure of two rungs, on one thread: two wait for each other where tests keep every core busy."""
    monkeypatch.setattr(climbing, "LEAST", 1)
    monkeypatch.setattr(climbing, "WARM_UP", 1)
    card, laptop = card_rungs(False, False), measurable(laptop_rungs(False))
    short = {
        "card_rungs": [*measurable(card)[:2], *(r for r in card if isinstance(r, LeftOut))],
        "laptop_rungs": [replace(r, threads=1) for r in (laptop[0], laptop[-1])],
    }
    for name, rungs in short.items():
        monkeypatch.setattr(climbing, name, lambda *given, rungs=rungs: rungs)


def test_the_ladder_reports_every_rung(capsys, quick):
    words = "--presets", "toy", "--size", "64x32", "--seconds", "1e-6", "--threads", "1", "--json"
    assert ladder.main(words) == 0
    (report,) = json.loads(capsys.readouterr().out.splitlines()[-1])["ladders"]
    assert (report["preset"], report["size"], report["device"], report["ladder"]) == ("toy", [64, 32], "cpu", "card")
    assert report["torch"]
    rungs = [row for row in report["rows"] if "ms" in row]
    assert len(rungs) == 2
    assert [row["rung"] for row in report["rows"] if "left_out" in row][-2:] == ["+ compile", "+ graphs"]
    assert all(row["ms"]["samples"] == 1 for row in rungs)
    assert rungs[0]["times_as_fast_as_the_first"] == 1
    assert all(row["greatest_difference"]["latents"] < 0.1 for row in rungs)


def test_the_laptops_ladder_climbs_to_bfloat16(quick):
    report = climbing.measure(LadderPlan(TOY, "laptop", SIZE, 1e-6), say=lambda line: None)
    assert report["rows"][-1]["rung"] == "+ bfloat16"
    assert report["rows"][-1]["greatest_difference"]["latents"] > 1e-4  # another number type shows


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--presets", "nano,huge"), "unknown preset 'huge'"),
        (("--ladder", "laptop", "--threads", "1"), "climbs from one to another itself"),
        (("--ladder", "laptop", "--device", "cuda"), "is a processor's"),
        (("--seconds", "0"), "--seconds must be a positive number"),
        (("--size", "65x32"), "divisible by 32"),
    ],
)
def test_options_that_cannot_be_are_one_line(capsys, words, said):
    assert ladder.main(words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
