"""The generator: cached equals uncached, no run of tokens sees a later one, headings are an option."""

from collections import defaultdict
from dataclasses import replace

import pytest
import torch

from diffusion_render.model.attention import rotary_table, rotate
from diffusion_render.model.generator import MAY_BE_MISSING, Generator, GeneratorConfig, Tokens
from tests.diffusion_render.toys import waken

CONFIG = GeneratorConfig(width=256, layers=3, latent=8, structure=6, text=12, text_tokens=4, heading=True)


def run_of(units: int, first: int, seed: int) -> Tokens:
    generator = torch.Generator().manual_seed(seed)
    return Tokens(
        torch.randn(2, units, 8, 2, 3, generator=generator),
        torch.randn(2, units, 6, 2, 3, generator=generator),
        torch.rand(2, units, generator=generator),
        torch.arange(first, first + units),
        torch.randn(2, units, 3, generator=generator),
    )


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    model = Generator(CONFIG).eval()
    waken(model)
    return model


TEXT = torch.randn(2, 4, 12, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("sink", [None, run_of(2, 1, 2)])
@pytest.mark.parametrize("history", [None, run_of(2, 3, 6)])
@torch.no_grad()
def test_cached_prefix_and_history_equal_everything_computed_afresh(model, sink, history):
    reference, chunk = run_of(1, 0, 1), run_of(2, 5, 3)
    plain = model(TEXT, reference, sink, history, chunk)
    cache = model.prefix(TEXT, reference, sink)
    cached = model.step(cache if history is None else model.remember(cache, history), chunk)
    assert plain.abs().max() > 0.01
    assert (plain - cached).abs().max() < 1e-5


@torch.no_grad()
def test_remembering_history_leaves_the_prefix_as_it_was(model):
    cache = model.prefix(TEXT, run_of(1, 0, 1), None)
    before = [kv.key.clone() for kv in cache]
    longer = model.remember(cache, run_of(2, 3, 6))
    assert all(torch.equal(kv.key, old) for kv, old in zip(cache, before))
    assert all(kv.key.shape[1] == old.shape[1] + 2 * 6 for kv, old in zip(longer, before))


@torch.no_grad()
def test_room_for_the_chunk_changes_no_bit_however_often_it_is_written(model):
    cache = model.prefix(TEXT, run_of(1, 0, 1), None)
    before = [kv.key.clone() for kv in cache]
    history, first, second = run_of(2, 3, 6), run_of(2, 5, 3), run_of(2, 5, 4)
    copied, held = model.remember(cache, history), model.remember(cache, history, room=2 * 6)
    for chunk in (first, second, first):
        assert torch.equal(model.step(held, chunk), model.step(copied, chunk))
    assert all(room.key.shape[1] == kv.key.shape[1] + 2 * 6 for room, kv in zip(held, copied))
    assert all(torch.equal(kv.key, old) for kv, old in zip(cache, before))


@torch.no_grad()
def test_history_does_not_see_the_chunk_nor_the_prefix_history(model):
    """Poison in a later run never comes out of an earlier one, in the uncached path."""
    reference, history, chunk = run_of(1, 0, 1), run_of(2, 3, 6), run_of(2, 5, 3)
    seen = defaultdict(list)
    hooks = [b.attention.out.register_forward_hook(lambda m, _, made: seen[m].append(made)) for b in model.blocks]
    for run in (chunk, chunk._replace(latents=torch.full_like(chunk.latents, torch.nan))):
        model(TEXT, reference, None, history, run)
    for hook in hooks:
        hook.remove()
    assert len(seen) == len(model.blocks)
    early = 4 + 6 + 2 * 6
    for clean, poisoned in seen.values():
        assert torch.equal(clean[:, :early], poisoned[:, :early])
        assert poisoned[:, early:].isnan().all()


def test_runs_are_split_between_units_in_all_that_they_hold():
    whole = run_of(3, 1, 1)
    early, late = whole.split(1)
    assert whole.split(0)[0] is None
    for name in ("latents", "structure", "level", "heading"):
        assert torch.equal(torch.cat([getattr(early, name), getattr(late, name)], 1), getattr(whole, name)), name
    assert late.positions.tolist() == [2, 3]


@torch.no_grad()
def test_every_condition_reaches_the_velocity(model):
    reference, sink, history, chunk = run_of(1, 0, 1), run_of(2, 1, 2), run_of(2, 3, 6), run_of(2, 5, 3)
    before = model(TEXT, reference, sink, history, chunk)
    changes = {
        "text": (TEXT + 1, reference, sink, history, chunk),
        "reference": (TEXT, run_of(1, 0, 7), sink, history, chunk),
        "sink": (TEXT, reference, run_of(2, 1, 8), history, chunk),
        "history": (TEXT, reference, sink, run_of(2, 3, 9), chunk),
        "structure": (TEXT, reference, sink, history, chunk._replace(structure=-chunk.structure)),
        "level": (TEXT, reference, sink, history, chunk._replace(level=1 - chunk.level)),
        "heading of the reference": (TEXT, turned(reference), sink, history, chunk),
        "heading of the sink": (TEXT, reference, turned(sink), history, chunk),
        "heading of the history": (TEXT, reference, sink, turned(history), chunk),
        "heading": (TEXT, reference, sink, history, turned(chunk)),
        "position": (TEXT, reference, sink, history, chunk._replace(positions=chunk.positions + 3)),
    }
    for name, arguments in changes.items():
        assert (model(*arguments) - before).abs().max() > 1e-6, name


def turned(run: Tokens) -> Tokens:
    return run._replace(heading=-run.heading)


@torch.no_grad()
def test_no_heading_and_a_layer_at_zero_are_no_layer_bit_for_bit():
    torch.manual_seed(0)
    config = replace(CONFIG, light=True)
    plain, fresh, awake = Generator(replace(CONFIG, heading=False)), Generator(config), Generator(config)
    waken(plain)
    waken(awake)
    for target in (fresh, awake):
        missing, unexpected = target.load_state_dict(plain.state_dict(), strict=False)
        assert (tuple(missing), unexpected) == (MAY_BE_MISSING, [])
    runs = [lit(run_of(*sizes)) for sizes in RUNS]
    silent = [run._replace(heading=None) for run in runs]
    unknown = [run._replace(heading=torch.zeros_like(run.heading)) for run in runs]
    dark = [lit(run, 0.0) for run in runs]
    expected = plain(TEXT, *silent)
    assert torch.equal(fresh(TEXT, *runs), expected)
    assert torch.equal(awake(TEXT, *silent), expected)
    assert torch.equal(awake(TEXT, *unknown), expected)
    assert not torch.equal(awake(TEXT, *dark), expected)
    assert not torch.equal(awake(TEXT, *runs), awake(TEXT, *dark))


RUNS = (1, 0, 1), (2, 1, 2), (2, 3, 6), (2, 5, 3)
"""Reference, sink, history and chunk."""


def lit(run: Tokens, share: float = 1.0) -> Tokens:
    """The same with a light for every unit."""
    light = share * torch.randn(*run.heading.shape[:2], 3, generator=torch.Generator().manual_seed(8))
    return run._replace(heading=torch.cat([run.heading[..., :3], light], -1))


@torch.no_grad()
@pytest.mark.parametrize("light", [False, True])
def test_headings_of_another_kind_are_refused_with_both_numbers(light):
    reads, comes = (6, 3) if light else (3, 6)
    run = run_of(1, 0, 1) if light else lit(run_of(1, 0, 1))
    with pytest.raises(ValueError, match=f"reads {reads} values of a unit's heading, got {comes}"):
        Generator(replace(CONFIG, light=light)).prefix(TEXT, run, None)


def test_light_without_headings_is_refused():
    with pytest.raises(ValueError, match="needs heading=True"):
        GeneratorConfig(light=True)


@torch.no_grad()
def test_light_reaches_the_velocity_from_every_run_and_caches_hold_it():
    torch.manual_seed(0)
    model = Generator(replace(CONFIG, light=True)).eval()
    waken(model)
    runs = [lit(run_of(*sizes)) for sizes in RUNS]
    before = model(TEXT, *runs)
    for k, run in enumerate(runs):
        darker = [*runs[:k], lit(run, 0.5), *runs[k + 1 :]]
        assert (model(TEXT, *darker) - before).abs().max() > 1e-6, k
    cached = model.step(model.remember(model.prefix(TEXT, *runs[:2]), runs[2]), runs[3])
    assert (cached - before).abs().max() < 1e-5


@torch.no_grad()
def test_rows_of_a_batch_do_not_touch_each_other(model):
    reference, chunk = run_of(1, 0, 1), run_of(4, 3, 3)
    before = model(TEXT, reference, None, None, chunk)
    poisoned = chunk.latents.clone()
    poisoned[1] = torch.nan
    after = model(TEXT, reference, None, None, chunk._replace(latents=poisoned))
    assert torch.equal(after[0], before[0])
    assert after[1].isnan().all()


def test_rotation_keeps_lengths_and_depends_on_differences_alone():
    x, y = torch.randn(1, 1, 1, 128), torch.randn(1, 1, 1, 128)

    def score(a, b):
        return (rotate(x, rotary_table(a)) * rotate(y, rotary_table(b))).sum()

    near = score(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[4.0, 0.0, 5.0]]))
    far = score(torch.tensor([[5.0, 3.0, 3.0]]), torch.tensor([[8.0, 1.0, 5.0]]))
    assert torch.allclose(near, far, atol=1e-4)
    assert torch.allclose(rotate(x, rotary_table(torch.tensor([[9.0, 4.0, 1.0]]))).norm(), x.norm(), atol=1e-4)


def test_widths_that_no_head_divides_are_refused_with_both_numbers():
    with pytest.raises(ValueError, match="width 200 must be divisible by the head width 128"):
        GeneratorConfig(width=200)
