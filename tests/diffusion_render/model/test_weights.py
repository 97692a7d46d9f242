"""Weights files: read back exactly, refused by name."""

import json

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from diffusion_render.model.weights import WeightsError, WeightsHeader, load_weights, read_header, save_weights

HEADER = WeightsHeader("autoencoder", "toy", "reconstruction", "none", "abc", {"latent": 8}, "none")


def layer(out: int = 4) -> nn.Module:
    torch.manual_seed(out)
    return nn.Linear(3, out)


def test_weights_come_back_exactly_with_their_header(tmp_path):
    path, source, target = tmp_path / "w.safetensors", layer(), layer()
    nn.init.zeros_(target.weight)
    assert save_weights(path, source, HEADER, torch.float32) == path.stat().st_size
    assert load_weights(path, target, preset="toy", class_table="abc") == HEADER
    assert torch.equal(target.weight, source.weight)


@pytest.mark.parametrize(("field", "value"), [("preset", "base"), ("class_table", "xyz"), ("part", "generator")])
def test_a_header_that_does_not_match_is_refused_by_name(tmp_path, field, value):
    save_weights(tmp_path / "w.safetensors", layer(), HEADER)
    with pytest.raises(WeightsError, match=f"expected {field} '{value}'"):
        load_weights(tmp_path / "w.safetensors", layer(), **{field: value})


def test_tensors_of_another_shape_are_named(tmp_path):
    save_weights(tmp_path / "w.safetensors", layer(4), HEADER)
    with pytest.raises(WeightsError, match="weight"):
        load_weights(tmp_path / "w.safetensors", layer(5))


def test_missing_truncated_and_foreign_files_are_refused(tmp_path):
    with pytest.raises(WeightsError, match="no weights at"):
        read_header(tmp_path / "none.safetensors")
    path = tmp_path / "w.safetensors"
    save_weights(path, layer(), HEADER)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(WeightsError, match="truncated"):
        read_header(path)
    save_file({"x": torch.zeros(1)}, path, {"format": "other", "header": json.dumps({})})
    with pytest.raises(WeightsError, match="found 'other'"):
        read_header(path)
