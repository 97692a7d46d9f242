"""Prompts of all sessions, through one text encoder that loads beside the rest of the start-up."""

from __future__ import annotations

import threading
from collections.abc import Callable

from torch import Tensor

from diffusion_render.model.prompt import PromptEncoder, PromptError, empty_prompt

Say = Callable[[str], None]
OpenEncoder = Callable[[], PromptEncoder]


class Prompts:
    """Text in, rows for the generator out.

    Args:
        say: takes lines for people, from this thread and the one that loads.
        open_encoder: loads; tests put a stand-in here.
    """

    def __init__(self, say: Say, open_encoder: OpenEncoder = PromptEncoder.open) -> None:
        self._say, self._open = say, open_encoder
        self._encoder: PromptEncoder | None = None
        self._missing = ""
        self._loader = threading.Thread(target=self._load, name="prompt-encoder", daemon=True)
        self._loader.start()

    def encode(self, text: str) -> Tensor:
        """Rows ``[64, 384]``; waits for the encoder if it is still loading.

        Raises:
            ValueError: there is text but nothing to read it with, or it is no text.
        """
        if not text.strip():
            return empty_prompt()
        self._loader.join()
        if self._encoder is None:
            raise ValueError(self._missing)
        read = self._encoder.read(text)
        if read.note:
            self._say(read.note)
        return read.tokens

    def _load(self) -> None:
        try:
            self._encoder = self._open()
        except PromptError as error:
            self._missing = str(error)
            self._say(f"without prompts: {error}")
