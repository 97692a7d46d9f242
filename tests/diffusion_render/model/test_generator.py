"""The generator: cached equals uncached, the prefix sees only itself."""

import pytest
import torch

from diffusion_render.model.attention import rotary_table, rotate
from diffusion_render.model.generator import Generator, GeneratorConfig, Tokens
from tests.diffusion_render.toys import waken

CONFIG = GeneratorConfig(width=256, layers=3, latent=8, structure=6, text=12, text_tokens=4)


def run_of(units: int, first: int, seed: int) -> Tokens:
    generator = torch.Generator().manual_seed(seed)
    return Tokens(
        torch.randn(2, units, 8, 2, 3, generator=generator),
        torch.randn(2, units, 6, 2, 3, generator=generator),
        torch.rand(2, units, generator=generator),
        torch.arange(first, first + units),
    )


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    model = Generator(CONFIG).eval()
    waken(model)
    return model


TEXT = torch.randn(2, 4, 12, generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("sink", [None, run_of(2, 1, 2)])
@torch.no_grad()
def test_cached_prefix_equals_everything_computed_afresh(model, sink):
    reference, moving = run_of(1, 0, 1), run_of(4, 3, 3)
    plain = model(TEXT, reference, sink, moving)
    cached = model.step(model.prefix(TEXT, reference, sink), moving)
    assert plain.abs().max() > 0.01
    assert (plain - cached).abs().max() < 1e-5


@torch.no_grad()
def test_prefix_does_not_see_the_moving_part(model):
    reference = run_of(1, 0, 1)
    first, second = run_of(4, 3, 3), run_of(4, 3, 4)
    batchwise = [model.prefix(TEXT, reference, None) for _ in (first, second)]
    assert torch.equal(batchwise[0][2].key, batchwise[1][2].key)
    wide = model(TEXT, reference, None, first), model(TEXT, reference, None, second)
    assert not torch.equal(*wide)


@torch.no_grad()
def test_every_condition_reaches_the_velocity(model):
    reference, sink, moving = run_of(1, 0, 1), run_of(2, 1, 2), run_of(4, 3, 3)
    before = model(TEXT, reference, sink, moving)
    changes = {
        "text": (TEXT + 1, reference, sink, moving),
        "reference": (TEXT, run_of(1, 0, 7), sink, moving),
        "sink": (TEXT, reference, run_of(2, 1, 8), moving),
        "structure": (TEXT, reference, sink, moving._replace(structure=-moving.structure)),
        "level": (TEXT, reference, sink, moving._replace(level=1 - moving.level)),
        "position": (TEXT, reference, sink, moving._replace(positions=moving.positions + 3)),
    }
    for name, arguments in changes.items():
        assert (model(*arguments) - before).abs().max() > 1e-6, name


@torch.no_grad()
def test_rows_of_a_batch_do_not_touch_each_other(model):
    reference, moving = run_of(1, 0, 1), run_of(4, 3, 3)
    before = model(TEXT, reference, None, moving)
    poisoned = moving.latents.clone()
    poisoned[1] = torch.nan
    after = model(TEXT, reference, None, moving._replace(latents=poisoned))
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
