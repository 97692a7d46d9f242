"""Prompts: the encoder's own numbers, always one shape, and safe whatever somebody types."""

import importlib.util
import time

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from diffusion_render.model.prompt import (
    ENCODER_VARIABLE,
    INSTALL,
    PACKAGE,
    PromptEncoder,
    PromptError,
    empty_prompt,
    pool_rows,
)

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None or importlib.util.find_spec("tokenizers") is None,
    reason=f"the text encoder is not installed: {INSTALL}",
)


@pytest.fixture(scope="module")
def encoder() -> PromptEncoder:
    return PromptEncoder.open()


@pytest.fixture(scope="module")
def compact(encoder, tmp_path_factory):
    path = tmp_path_factory.mktemp("encoder") / "prompt.safetensors"
    assert encoder.export(path) == path.stat().st_size < 20 * 2**20
    return path


def rows_of(tokens: torch.Tensor) -> int:
    """Rows that are not zero; they must come first."""
    used = tokens.abs().sum(1) > 0
    count = int(used.sum())
    assert used[:count].all()
    return count


@pytest.mark.parametrize(
    ("text", "count", "first", "last"),
    [
        ("A snowy mountain road at night", 8, [-0.24117, 0.07363, 0.37512, 0.63575], [0.15033, 0.35627, -0.14949]),
        ("coffee", 3, [-0.18476, -0.04871, 0.27634, 0.65796], [-0.22668, 0.31148, 0.22327]),
        ("夜の路", 5, [0.29457, 0.19863, 0.4267, 0.34811], [-0.09432, 1.01497, 0.18212]),
    ],
)
def test_rows_are_those_that_the_transformers_library_computes(encoder, text, count, first, last):
    tokens = encoder.encode(text)
    assert tokens.shape == (64, 384)
    assert tokens.dtype == torch.float32
    assert rows_of(tokens) == count
    assert tokens[0, :4].tolist() == pytest.approx(first, abs=2e-5)
    assert tokens[count - 1, :3].tolist() == pytest.approx(last, abs=2e-5)


def test_texts_of_like_meaning_lie_together(encoder):
    def mean(text: str) -> torch.Tensor:
        return encoder.encode(text)[: rows_of(encoder.encode(text))].mean(0)

    road, alpine, coffee = (mean(t) for t in ("snowy mountain road at night", "winter alpine pass", "coffee"))
    near, far = (torch.cosine_similarity(road, other, 0).item() for other in (alpine, coffee))
    assert near > 0.5
    assert far < 0.25


def test_the_same_text_gives_the_same_bits_and_may_be_trained_on(encoder):
    first = encoder.encode("a road in the rain")
    assert torch.equal(first, encoder.encode("a road in the rain"))
    weight = torch.ones(384, requires_grad=True)
    (first @ weight).sum().backward()
    assert weight.grad is not None


@pytest.mark.parametrize("text", ["", "   ", "\n\t\r", "\x00\x07\x1b", "\u200b\u200d\ufeff\u202e"])
def test_an_empty_prompt_is_all_zeros_without_a_word(encoder, text):
    read = encoder.read(text)
    assert torch.equal(read.tokens, empty_prompt())
    assert read.note == ""


@pytest.mark.parametrize("words", [1, 5, 20, 50, 62])
def test_prompts_that_fit_are_read_whole(encoder, words):
    read = encoder.read(" ".join(["road"] * words))
    assert rows_of(read.tokens) == words + 2
    assert read.note == ""


def test_an_over_long_prompt_is_cut_and_says_where(encoder):
    words = [*["road"] * 253, "sunset", "emerald", "night"]
    read = encoder.read(" ".join(words))
    assert rows_of(read.tokens) == 64
    assert read.note.endswith("road road sunset”")
    assert torch.equal(read.tokens, encoder.encode(" ".join(words[:254])))


def test_a_prompt_of_more_pieces_than_rows_is_read_to_its_end(encoder):
    words = ["road"] * 100
    read, other = encoder.read(" ".join([*words, "emerald"])), encoder.read(" ".join([*words, "sunset"]))
    assert read.note == ""
    assert rows_of(read.tokens) == 52
    assert not torch.equal(read.tokens, other.tokens)


@pytest.mark.parametrize("length", [1, 63, 64, 65, 127, 129, 256])
def test_neighbouring_rows_are_averaged_until_they_fit(length):
    rows = torch.arange(length, dtype=torch.float32)[None, :, None].repeat(2, 1, 3)
    pooled = pool_rows(rows)
    group = -(-length // 64)
    wanted = [float(np.mean(part)) for part in np.split(np.arange(length), np.arange(group, length, group))]
    assert pooled.shape == (2, 64, 3)
    assert torch.equal(pooled[1, : len(wanted), 2], torch.tensor(wanted))
    assert not pooled[:, len(wanted) :].any()


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "ab " * 350_000,
        "e\u0301" * 500_000,
        " " * 1_000_000 + "road",
        "road" + " " * 1_000_000 + "road",
        "\x00" * 1_000_000,
        "\U0001f3ce\ufe0f" * 300_000,
        "\ud800" * 1_000_000,
        "[MASK] [PAD] [CLS] [SEP] " * 40_000,
    ],
)
def test_a_megabyte_of_anything_is_bounded(encoder, text):
    start = time.monotonic()
    read = encoder.read(text)
    assert time.monotonic() - start < 20
    assert read.tokens.shape == (64, 384)
    assert torch.isfinite(read.tokens).all()


@settings(max_examples=60)
@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=300))
def test_any_text_gives_64_finite_rows_and_a_printable_note(text):
    encoder = _shared()
    read = encoder.read(text)
    assert read.tokens.shape == (64, 384)
    assert torch.isfinite(read.tokens).all()
    rows_of(read.tokens)
    assert read.note.isprintable()
    read.note.encode()


def test_notes_show_no_control_characters(encoder):
    note = encoder.read("\x1b[31mroad\ud800 " * 400).note
    assert "cut after" in note
    assert note.isprintable()


_kept: list[PromptEncoder] = []


def _shared() -> PromptEncoder:
    """One encoder for all examples; a fixture would be no help to hypothesis."""
    if not _kept:
        _kept.append(PromptEncoder.open())
    return _kept[0]


def test_words_that_the_encoder_does_not_know_are_named(encoder):
    assert "no word that the text encoder knows" in encoder.read("\U0001f3ce").note
    assert encoder.read("a \U0001f3ce").note == ""


@pytest.mark.parametrize("text", [None, 3, b"road", ["road"]])
def test_what_is_no_text_is_refused(encoder, text):
    with pytest.raises(PromptError, match="a prompt is a string"):
        encoder.encode(text)


def test_many_at_once_are_the_same_as_one_by_one(encoder):
    texts = ["road", "", "a snowy road", "road", "x " * 100, "夜の路", "green hills"]
    found = torch.empty(len(texts), 64, 384)
    for places, rows in encoder.encode_all(texts, batch=2):
        assert len(places) <= 2
        found[places] = rows
    for text, rows in zip(texts, found):
        assert torch.allclose(rows, encoder.encode(text), atol=1e-5)


def test_the_compact_file_says_nearly_the_same(encoder, compact):
    small = PromptEncoder.open(compact)
    for text in ("A motor race under broken clouds, in fresh spring countryside", "coffee", "夜の路", "red " * 70):
        full, close = encoder.encode(text), small.encode(text)
        count = rows_of(full)
        assert rows_of(close) == count
        assert torch.cosine_similarity(full[:count], close[:count], dim=1).min() > 0.995


def test_the_environment_may_name_the_encoder(compact, monkeypatch, tmp_path):
    monkeypatch.setenv(ENCODER_VARIABLE, str(compact))
    assert rows_of(PromptEncoder.open().encode("road")) == 3
    monkeypatch.setenv(ENCODER_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(PromptError, match=r"there is no prompt encoder at .*none"):
        PromptEncoder.open()


def test_a_missing_package_names_the_line_that_installs_it(monkeypatch):
    monkeypatch.delenv(ENCODER_VARIABLE, raising=False)
    there = importlib.util.find_spec
    for missing in (PACKAGE, "tokenizers"):
        monkeypatch.setattr(importlib.util, "find_spec", lambda n, *a, m=missing: None if n == m else there(n, *a))
        with pytest.raises(PromptError, match=INSTALL):
            PromptEncoder.open()


def test_damaged_and_foreign_encoders_are_refused(compact, tmp_path):
    whole, path = compact.read_bytes(), tmp_path / "broken.safetensors"
    broken = bytearray(whole)
    broken[len(whole) // 2] ^= 255
    for data in (whole[:-9], whole[:5], b"", bytes(broken)):
        path.write_bytes(data)
        with pytest.raises(PromptError, match="no prompt encoder can be read"):
            PromptEncoder.open(path)
    save_file({"x": torch.zeros(1)}, path, {"format": "other"})
    with pytest.raises(PromptError, match="found 'other'"):
        PromptEncoder.open(path)
    with pytest.raises(PromptError, match="no prompt encoder"):
        PromptEncoder.open(tmp_path)
    save_file({"x": torch.zeros(1)}, tmp_path / "model.safetensors")
    with pytest.raises(PromptError, match="no prompt encoder"):
        PromptEncoder.open(tmp_path)


@pytest.mark.parametrize("found", ["", "{", "[" * 10_000, '{"version": "1.0"}'])
def test_a_tokenizer_that_is_none_is_refused(encoder, monkeypatch, found):
    monkeypatch.setattr("diffusion_render.model.prompt._read_folder", lambda *_: found)
    with pytest.raises(PromptError, match="tokenizer cannot be read"):
        PromptEncoder.open()
