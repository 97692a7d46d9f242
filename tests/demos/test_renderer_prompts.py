"""Prompts wait for their encoder, do without it where they can, and say what is missing where they cannot."""

import threading

import pytest

from demos.renderer.prompts import Prompts
from diffusion_render.model.prompt import EncodedPrompt, PromptError, empty_prompt


class OneWord:
    """Knows nothing, and says so."""

    def read(self, text):
        rows = empty_prompt()
        rows[0] = len(text)
        return EncodedPrompt(rows, "the prompt has no word that the text encoder knows")


def test_text_waits_for_the_encoder_and_its_note_is_told():
    ready, told = threading.Event(), []

    def load():
        ready.wait(20)
        return OneWord()

    prompts = Prompts(told.append, load)
    threading.Timer(0.05, ready.set).start()
    assert prompts.encode("rain")[0, 0] == 4
    assert told == ["the prompt has no word that the text encoder knows"]


def test_no_text_needs_no_encoder():
    never = threading.Event()
    prompts = Prompts(lambda line: None, lambda: never.wait(20) or OneWord())
    assert not prompts.encode(" \n").any()
    never.set()


def test_without_an_encoder_text_is_refused_with_what_to_install():
    def fail():
        raise PromptError("prompts need a text encoder: pip install it")

    told = []
    prompts = Prompts(told.append, fail)
    with pytest.raises(ValueError, match="pip install it"):
        prompts.encode("rain")
    assert told == ["without prompts: prompts need a text encoder: pip install it"]
    assert not prompts.encode("").any()
