"""Attention whose keys are split against attention in one piece."""

import pytest
import torch

from kernels.split_attention import split
from kernels.split_attention.plain import attention
from kernels.split_attention.split import LEAST_KEYS, parts_for, split_attention


def some(n=1, queries=7, keys=24, heads=2, width=128, dtype=torch.float32, device="cpu"):
    generator = torch.Generator().manual_seed(0)
    shapes = (queries, keys, keys)
    return [torch.randn(n, long, heads, width, generator=generator).to(device, dtype) for long in shapes]


@torch.no_grad()
@pytest.mark.parametrize("parts", [1, 2, 3, 8])
@pytest.mark.parametrize("n", [1, 3])
def test_it_is_attention_however_the_keys_are_split(parts, n):
    q, k, v = some(n)
    made = split_attention(q, k, v, parts)
    assert made.shape == q.shape
    assert torch.allclose(made, attention(q, k, v), atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("scale", [0.0, 40.0])
def test_parts_that_weigh_nothing_against_others_and_parts_that_weigh_the_same(scale):
    """With a scale of 40 the exponentials of one part lie hundreds of powers of e above those of another."""
    q, k, v = some()
    made = split_attention(scale * q, k, v, 4)
    assert made.isfinite().all()
    assert torch.allclose(made, attention(scale * q, k, v), atol=1e-4)


@torch.no_grad()
def test_keys_may_be_a_part_of_longer_memory():
    q, k, v = some(2)
    longer = [torch.cat([part, torch.full_like(part, torch.nan)], 1)[:, :24] for part in (k, v)]
    assert torch.equal(split_attention(q, *longer, 2), split_attention(q, k, v, 2))


@torch.no_grad()
def test_nan_of_one_stream_stays_there():
    q, k, v = some(2)
    k[1, 3] = torch.nan
    made = split_attention(q, k, v, 2)
    assert torch.equal(made[0], split_attention(q[:1], k[:1], v[:1], 2)[0])
    assert made[1].isnan().all()


@torch.no_grad()
def test_one_graph_holds_it_when_compiled():
    given = some()
    compiled = torch.compile(split_attention, backend="aot_eager", fullgraph=True, dynamic=False)
    assert torch.allclose(compiled(*given, 2), attention(*given), atol=1e-5)


@pytest.mark.parametrize(
    ("n", "queries", "keys", "processors", "parts"),
    [
        (1, 2016, 5104, 132, 2),  # a chunk of two units at 1344 × 768: 64 blocks
        (2, 2016, 5104, 132, 1),  # two streams fill the card
        (1, 7056, 8128, 132, 1),  # a first window
        (1, 504, 1324, 132, 2),  # no part is shorter than the least
        (1, 2016, 5103, 200, 3),
        (1, 2016, 5101, 132, 1),  # no number of parts divides a prime
        (1, 2016, LEAST_KEYS, 132, 1),
        (1, 2016, 5104, 0, 1),
    ],
)
def test_so_many_parts_as_a_card_has_room_for(n, queries, keys, processors, parts):
    query, key = torch.empty(n, queries, 4, 128, device="meta"), torch.empty(n, keys, 4, 128, device="meta")
    assert parts_for(query, key, processors) == parts


def test_a_library_that_cannot_is_found_out_with_the_reason(monkeypatch):
    cpu = torch.device("cpu")
    assert split.why_not(cpu, torch.float32) is None
    whole = split._of_each_part

    def refuse(*_):
        raise RuntimeError("no such kernel")

    for broken, reason in (
        (refuse, "no such kernel"),
        (lambda *qkv: (whole(*qkv)[0], 1.44 * whole(*qkv)[1]), "errs by"),
    ):
        monkeypatch.setattr(split, "_of_each_part", broken)
        assert reason in split.why_not(cpu, torch.float32)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="the library's kernel runs on a graphics card alone")
@torch.no_grad()
def test_on_a_card_it_errs_no_more_than_twice_as_much_as_plain_bf16():
    q, k, v = some(1, 2016, 5104, 4, dtype=torch.bfloat16, device="cuda")
    truth = attention(q.float(), k.float(), v.float())
    plain = (attention(q, k, v) - truth).abs().max()
    assert (split_attention(q, k, v, 2) - truth).abs().max() <= 2 * plain
