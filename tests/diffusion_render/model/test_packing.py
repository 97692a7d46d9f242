"""Packed weights: small, close, and never believed before they are checked."""

import contextlib
import json
import math

import pytest
import torch
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from diffusion_render.model.packing import (
    FINER,
    HIGH,
    LOW,
    MOST_CODE,
    SMALL,
    STEP_RATIO,
    STEPS,
    PackError,
    inflate,
    pack,
    packed_shapes,
    unpack,
)


def through(tensors: dict[str, Tensor], ratio: float = STEP_RATIO) -> dict[str, Tensor]:
    packed = pack(tensors, ratio)
    t = packed.tensors
    return unpack(t[LOW], t[HIGH], t[STEPS], packed_shapes(packed.index_json))


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def distance(a: Tensor, b: Tensor) -> float:
    return ((a - b).norm() / b.norm()).item()


def test_error_and_size_are_what_the_theory_says():
    large = normal(512, 512) * torch.logspace(-6, 3, 512)[:, None]
    packed = pack({"w": large})
    back = through({"w": large})["w"]
    by_row = (back - large).norm(dim=1) / large.norm(dim=1)
    assert by_row.max() < 1.2 * STEP_RATIO / math.sqrt(12)
    bits = 8 * (packed.tensors[LOW].numel() + packed.tensors[HIGH].numel()) / large.numel()
    assert bits == pytest.approx(2.05 - math.log2(STEP_RATIO), abs=0.15)


def test_small_matrices_are_finer():
    tensors = {"small": normal(255, 256), "large": normal(256, 256)}
    assert tensors["small"].numel() < SMALL == tensors["large"].numel()
    back = through(tensors)
    small, large = (distance(back[k], tensors[k]) for k in tensors)
    assert large / small == pytest.approx(FINER, rel=0.05)


def test_rows_of_zeros_outliers_and_every_axis_survive():
    w = normal(4, 3, 2, 2)
    w[1] = 0
    w[2, 0, 0, 0] = 1e6
    back = through({"w": w}, 1e-6)["w"]
    assert back.shape == w.shape
    assert not back[1].any()
    assert (back[2] - w[2]).abs().max() <= 0.51 * 1e6 / MOST_CODE


@given(st.integers(1, 5), st.integers(1, 5), st.floats(1e-5, 1.0), st.integers(0, 9), st.floats(-30, 30))
def test_no_value_is_further_off_than_half_a_step(rows, columns, ratio, seed, magnitude):
    w = normal(rows, columns, seed=seed) * 10.0**magnitude
    back = through({"w": w}, ratio)["w"].double()
    exact = w.double()
    fine = torch.maximum(exact.square().mean(1).sqrt() * ratio / FINER, exact.abs().amax(1) / MOST_CODE)
    # bfloat16 rounds the step by 1/512, float32 the value by 2⁻²⁴.
    allowed = 0.501 * fine + 1e-7 * exact.abs().amax(1)
    assert ((back - exact).abs() <= allowed[:, None]).all()


def test_vectors_are_halves_and_whole_numbers_stay():
    packed = pack({"bias": torch.tensor([0.1, 3.0]), "count": torch.tensor([[2**40]]), "nothing": torch.zeros(0, 3)})
    assert packed.tensors["bias"].dtype == torch.float16
    assert packed.tensors["count"].item() == 2**40
    assert packed_shapes(packed.index_json) == {}


@pytest.mark.parametrize(
    ("tensors", "match"),
    [
        ({"w": torch.tensor([[1.0, torch.nan]])}, "w has values that are not finite"),
        ({"b": torch.tensor([1e5])}, "b has a value beyond"),
        ({STEPS: torch.ones(2, 2)}, "reserved"),
    ],
)
def test_what_cannot_be_packed_is_named(tensors, match):
    with pytest.raises(PackError, match=match):
        pack(tensors)


@pytest.mark.parametrize("ratio", [0.0, -1.0, 1.5, float("nan")])
def test_ratios_that_make_no_sense_are_refused(ratio):
    with pytest.raises(PackError, match="ratio"):
        pack({"w": torch.ones(2, 2)}, ratio)


@pytest.mark.parametrize(
    "index",
    ["", "[]", "3", "[" * 100_000, '{"w": 3}', '{"w": [2]}', '{"w": [2, 0]}', '{"w": [2, -1]}', '{"w": [2, true]}'],
)
def test_an_index_that_is_none_is_refused(index):
    with pytest.raises(PackError, match="index"):
        packed_shapes(index)


def frame(data: bytes) -> Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)


def test_a_frame_that_claims_a_terabyte_is_refused_before_memory_is_taken():
    small = zstandard.ZstdCompressor().compress(b"x" * 100)
    # Magic, descriptor of an eight-byte content size, window, the size, one raw block of one byte.
    huge = small[:4] + b"\xc0\x88" + (2**40).to_bytes(8, "little") + b"\x09\x00\x00x"
    assert zstandard.frame_content_size(huge) == 2**40
    with pytest.raises(PackError, match=f"of 100 bytes, found one of {2**40}"):
        inflate(frame(huge), 100)


@given(st.binary(max_size=80))
def test_any_bytes_are_a_frame_or_a_pack_error(data):
    with contextlib.suppress(PackError):
        assert inflate(frame(data) if data else torch.zeros(0, dtype=torch.uint8), 8).numel() == 8


def test_a_damaged_code_is_caught_by_its_checksum():
    packed = pack({"w": normal(64, 64)}).tensors
    low = packed[LOW].clone()
    low[len(low) // 2] ^= 16
    with pytest.raises(PackError, match="damaged"):
        unpack(low, packed[HIGH], packed[STEPS], {"w": (64, 64)})


def test_steps_that_do_not_fit_are_refused():
    packed = pack({"w": normal(4, 4)})
    low, high, steps = (packed.tensors[k] for k in (LOW, HIGH, STEPS))
    for wrong in (steps[:2], steps.float(), steps * torch.inf, -steps):
        with pytest.raises(PackError, match="step"):
            unpack(low, high, wrong, {"w": (4, 4)})
    with pytest.raises(PackError, match="expected a zstd frame of 20 bytes"):
        unpack(low, high, steps, {"w": (4, 5)})
    assert json.loads(packed.index_json) == {"w": [4, 4]}
