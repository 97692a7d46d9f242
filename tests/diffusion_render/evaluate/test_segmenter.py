"""The segmenter as a network and as a file."""

import dataclasses

import pytest
import torch

from diffusion_render.evaluate.segmenter import FILE_NAME, PART, Segmenter, SegmenterConfig, open_segmenter
from diffusion_render.model.weights import WeightsError, WeightsHeader, save_weights
from render_bridge.palette import RACING

SMALL = SegmenterConfig(widths=(4, 8, 8, 8))


def write(path, part: str = PART, table: str = RACING.hash, config: dict | None = None) -> Segmenter:
    torch.manual_seed(3)
    segmenter = Segmenter(SMALL)
    sizes = dataclasses.asdict(SMALL) if config is None else config
    save_weights(path, segmenter, WeightsHeader(part, "any", "segmenter", "none", table, sizes, "a test"))
    return segmenter


def test_it_is_small():
    assert sum(p.numel() for p in Segmenter().parameters()) <= 500_000


@pytest.mark.parametrize(("height", "width"), [(32, 32), (64, 96), (160, 256)])
def test_it_reads_every_size_divisible_by_32(height, width):
    pictures = torch.rand(3, 3, height, width, generator=torch.Generator().manual_seed(0)) * 2 - 1
    segmenter = Segmenter(SMALL).eval()
    read = segmenter.read(pictures, batch=2)
    assert read.shape == (3, height, width)
    assert read.dtype == torch.uint8
    assert int(read.max()) < len(RACING)
    assert torch.equal(read[2:], segmenter.read(pictures[2:]))


def test_other_sizes_are_refused():
    with pytest.raises(ValueError, match="100 × 64"):
        Segmenter(SMALL)(torch.zeros(1, 3, 64, 100))


def test_a_saved_one_comes_back_frozen_and_reads_the_same(tmp_path):
    own = write(tmp_path / FILE_NAME).to(torch.bfloat16).float()
    loaded = open_segmenter(tmp_path / FILE_NAME)
    pictures = torch.rand(1, 3, 32, 64, generator=torch.Generator().manual_seed(1)) * 2 - 1
    assert torch.equal(loaded.read(pictures), own.read(pictures))
    assert not any(p.requires_grad for p in loaded.parameters())


def test_a_missing_one_names_the_command(tmp_path):
    with pytest.raises(WeightsError, match="paintover train segmenter"):
        open_segmenter(tmp_path / FILE_NAME)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"part": "generator"}, "part"),
        ({"table": "0123"}, "class_table"),
        ({"config": {"classes": 13}}, "config"),
        ({"config": {"classes": 13, "widths": [4, 4, 8, 8]}}, "tensors"),
    ],
)
def test_foreign_files_are_refused_by_name(tmp_path, words, said):
    write(tmp_path / FILE_NAME, **words)
    with pytest.raises(WeightsError, match=said):
        open_segmenter(tmp_path / FILE_NAME)
