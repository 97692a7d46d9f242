"""Weights files, plain and packed: read back, refused by name, and safe whatever bytes they hold."""

import json
import resource
import struct

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file
from torch import nn

from diffusion_render.model.packing import HIGH, LOW, STEPS, pack
from diffusion_render.model.weights import (
    FORMAT,
    PACKED_FORMAT,
    WeightsError,
    WeightsHeader,
    load_weights,
    read_header,
    save_packed,
    save_weights,
)

HEADER = WeightsHeader("autoencoder", "toy", "reconstruction", "none", "abc", {"latent": 8}, "none")
BOTH = pytest.mark.parametrize("save", [save_weights, save_packed])


def layer(out: int = 4) -> nn.Module:
    torch.manual_seed(out)
    return nn.Linear(3, out)


def with_counter() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))


def test_plain_weights_come_back_exactly_with_their_header(tmp_path):
    path, source, target = tmp_path / "w.safetensors", layer(), layer()
    nn.init.zeros_(target.weight)
    assert save_weights(path, source, HEADER, torch.float32) == path.stat().st_size
    assert load_weights(path, target, preset="toy", class_table="abc") == HEADER
    assert torch.equal(target.weight, source.weight)


def test_packed_weights_come_back_closely_with_their_header(tmp_path):
    path, source, target = tmp_path / "w.safetensors", layer(), layer(5)
    assert save_packed(path, source, HEADER) == path.stat().st_size
    target = nn.Linear(3, 4)
    assert load_weights(path, target, preset="toy", class_table="abc") == HEADER
    assert (target.weight - source.weight).norm() < 0.01 * source.weight.norm()
    assert (target.bias - source.bias).norm() < 0.001 * source.bias.norm()


def test_packing_again_what_was_packed_changes_next_to_nothing(tmp_path):
    path, first, second = tmp_path / "w.safetensors", layer(), layer()
    save_packed(path, first, HEADER)
    load_weights(path, first)
    save_packed(path, first, HEADER)
    load_weights(path, second)
    assert (second.weight - first.weight).norm() < 0.005 * first.weight.norm()


@BOTH
def test_whole_numbers_of_a_module_stay_whole(tmp_path, save):
    source, target = with_counter(), with_counter()
    source[1].num_batches_tracked += 2**40 + 1
    save(tmp_path / "w.safetensors", source, HEADER)
    load_weights(tmp_path / "w.safetensors", target)
    assert target[1].num_batches_tracked == 2**40 + 1


@BOTH
@pytest.mark.parametrize(("field", "value"), [("preset", "base"), ("class_table", "xyz"), ("part", "generator")])
def test_a_header_that_does_not_match_is_refused_by_name(tmp_path, save, field, value):
    save(tmp_path / "w.safetensors", layer(), HEADER)
    with pytest.raises(WeightsError, match=f"expected {field} '{value}'"):
        load_weights(tmp_path / "w.safetensors", layer(), **{field: value})


@BOTH
def test_tensors_of_another_shape_are_named(tmp_path, save):
    save(tmp_path / "w.safetensors", layer(4), HEADER)
    with pytest.raises(WeightsError, match=r"do not fit the toy autoencoder: .*weight"):
        load_weights(tmp_path / "w.safetensors", layer(5))


@BOTH
def test_missing_and_needless_tensors_are_named(tmp_path, save):
    save(tmp_path / "w.safetensors", with_counter(), HEADER)
    with pytest.raises(WeightsError, match=r"0\.bias"):
        load_weights(tmp_path / "w.safetensors", layer())


@BOTH
def test_missing_truncated_and_foreign_files_are_refused(tmp_path, save):
    with pytest.raises(WeightsError, match="no weights at"):
        read_header(tmp_path / "none.safetensors")
    path = tmp_path / "w.safetensors"
    save(path, layer(), HEADER)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(WeightsError, match="truncated"):
        read_header(path)
    save_file({"x": torch.zeros(1)}, path, {"format": "other", "header": json.dumps({})})
    with pytest.raises(WeightsError, match="found 'other'"):
        read_header(path)
    with pytest.raises(WeightsError):
        read_header(tmp_path)


@pytest.mark.parametrize("header", ["{", "[]", "{}", '{"part": 3}', '{"more": "x"}', "[" * 100_000])
def test_a_header_that_cannot_be_read_is_refused(tmp_path, header):
    save_file({"x": torch.zeros(1)}, tmp_path / "w.safetensors", {"format": FORMAT, "header": header})
    with pytest.raises(WeightsError, match="header cannot be read"):
        read_header(tmp_path / "w.safetensors")


@pytest.mark.parametrize("kind", [torch.int32, torch.complex64, torch.float8_e4m3fn])
def test_tensors_of_another_kind_of_number_are_refused(tmp_path, kind):
    tensors = {name: t.detach().to(kind) for name, t in layer().state_dict().items()}
    save_file(tensors, tmp_path / "w.safetensors", {"format": FORMAT, "header": json.dumps(HEADER.__dict__)})
    with pytest.raises(WeightsError, match=r"must be torch\.float32, found"):
        load_weights(tmp_path / "w.safetensors", layer())


def test_values_that_are_not_finite_are_refused_both_ways(tmp_path):
    broken = layer()
    broken.weight.data[0, 0] = torch.nan
    save_weights(tmp_path / "w.safetensors", broken, HEADER)
    with pytest.raises(WeightsError, match="weight has values that are not finite"):
        load_weights(tmp_path / "w.safetensors", layer())
    with pytest.raises(ValueError, match="weight has values that are not finite"):
        save_packed(tmp_path / "w.safetensors", broken, HEADER)


def write_packed(path, packed, index: str) -> None:
    meta = {"format": PACKED_FORMAT, "header": json.dumps(HEADER.__dict__), "packed": index}
    save_file(packed, path, meta)


def test_an_index_that_asks_for_more_memory_than_the_module_is_refused(tmp_path):
    packed = pack(layer().state_dict())
    write_packed(tmp_path / "w.safetensors", packed.tensors, json.dumps({"weight": [2**40, 3]}))
    with pytest.raises(WeightsError, match="weight"):
        load_weights(tmp_path / "w.safetensors", layer())
    write_packed(tmp_path / "w.safetensors", packed.tensors, json.dumps({"weight": [4, 3], "bias": [2**40, 1]}))
    with pytest.raises(WeightsError, match="bias"):
        load_weights(tmp_path / "w.safetensors", layer())


@pytest.mark.parametrize("name", [LOW, HIGH, STEPS])
def test_a_packed_file_without_its_codes_is_refused(tmp_path, name):
    packed = pack(layer().state_dict())
    del packed.tensors[name]
    write_packed(tmp_path / "w.safetensors", packed.tensors, packed.index_json)
    with pytest.raises(WeightsError, match="damaged"):
        load_weights(tmp_path / "w.safetensors", layer())


def attempt(path, data: bytes) -> None:
    """Load the bytes: the one error that is documented, or a module whose every number is finite."""
    path.write_bytes(data)
    module = layer()
    try:
        load_weights(path, module)
    except WeightsError:
        return
    assert all(torch.isfinite(t).all() for t in module.state_dict().values())


@BOTH
@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_mutation_of_a_file_is_loaded_or_refused_in_bounded_memory(tmp_path, save, data):
    path = tmp_path / "w.safetensors"
    save(path, layer(), HEADER)
    whole = bytearray(path.read_bytes())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(whole) - 1))
        kind = data.draw(st.sampled_from(["set", "cut", "insert", "remove"]))
        if kind == "set":
            whole[place] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del whole[max(place, 1) :]
        elif kind == "insert":
            whole[place:place] = data.draw(st.binary(min_size=1, max_size=8))
        else:
            del whole[place : min(place + 8, len(whole) - 1)]
    attempt(path, bytes(whole))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_mutation_of_the_description_is_loaded_or_refused(tmp_path, data):
    path = tmp_path / "w.safetensors"
    save_packed(path, layer(), HEADER)
    whole = path.read_bytes()
    size = struct.unpack("<Q", whole[:8])[0]
    text = whole[8 : 8 + size].decode()
    numbers = [k for k, letter in enumerate(text) if letter.isdigit()]
    place = data.draw(st.sampled_from(numbers))
    changed = text[:place] + data.draw(st.sampled_from(["", "-", "9", "99999", "1e9", '"', "[", "null"])) + text[place:]
    attempt(path, struct.pack("<Q", len(changed.encode())) + changed.encode() + whole[8 + size :])
