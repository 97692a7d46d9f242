"""Prompts of a clip bank: each text encoded once, rows in the order of the clips, zeros where there is no encoder."""

import torch

from diffusion_render.model.prompt import PromptEncoder, PromptError
from diffusion_render.train.prompt_bank import encode_prompts

CPU = torch.device("cpu")


class CountingEncoder:
    """Stands in for the network: a text's rows are all its length. Keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def to(self, device: torch.device) -> "CountingEncoder":
        return self

    def encode_all(self, texts):
        self.asked += texts
        for k in reversed(range(len(texts))):
            yield [k], torch.full((1, 64, 384), float(len(texts[k])))


def test_each_text_is_encoded_once_and_every_clip_gets_its_own():
    encoder, prompts = CountingEncoder(), ["aa", "b", "aa", "", "ccc", "b"]
    rows = encode_prompts(prompts, CPU, encoder)
    assert sorted(encoder.asked) == ["", "aa", "b", "ccc"]
    assert rows.shape == (6, 64, 384)
    assert rows.dtype == torch.float16
    assert [row.unique().tolist() for row in rows] == [[len(p)] for p in prompts]


def test_no_clips_have_no_prompts():
    assert encode_prompts([], CPU, CountingEncoder()).shape == (0, 64, 384)


def test_without_an_encoder_all_is_zero_and_says_so(monkeypatch, capsys):
    def missing():
        raise PromptError("not installed: pip install it")

    monkeypatch.setattr(PromptEncoder, "open", missing)
    rows = encode_prompts(["a", "b"], CPU)
    assert rows.shape == (2, 64, 384)
    assert not rows.any()
    assert "training without prompts: not installed: pip install it" in capsys.readouterr().out
