"""The network of the prompt encoder: BERT's encoder at the size of all-MiniLM-L6-v2, out of torch's own layers.

``transformers`` would read the same files with one line, but took two seconds to start where these forty lines take a
tenth, and is 129 MB. A BERT layer is torch's ``TransformerEncoderLayer`` with the norm after each part, and nothing
else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class TextConfig:
    """Sizes of the network; those of all-MiniLM-L6-v2, the only one that renderers are trained with.

    Args:
        words: size of the vocabulary.
        width, heads, hidden, layers: of the transformer.
        tokens: places for word pieces, the marks at both ends included.
    """

    words: int = 30_522
    width: int = 384
    heads: int = 12
    hidden: int = 1536
    layers: int = 6
    tokens: int = 256


class TextNetwork(nn.Module):
    """Word pieces in, one row of features per piece out (Devlin et al., 2018)."""

    def __init__(self, config: TextConfig) -> None:
        super().__init__()
        self.config = c = config
        self.words = nn.Embedding(c.words, c.width)
        self.places = nn.Parameter(torch.zeros(c.tokens, c.width))
        self.norm = nn.LayerNorm(c.width, eps=1e-12)
        layer = nn.TransformerEncoderLayer(c.width, c.heads, c.hidden, 0.0, "gelu", 1e-12, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, c.layers, enable_nested_tensor=False)

    def forward(self, pieces: Tensor) -> Tensor:
        """int64 ``[N, L]``, all of one length, L ≤ ``tokens`` → last hidden states ``[N, L, width]``."""
        return self.layers(self.norm(self.words(pieces) + self.places[: pieces.shape[1]]))


def from_bert(read: Callable[[str], Tensor], config: TextConfig) -> dict[str, Tensor]:
    """The state dictionary of a ``TextNetwork`` from BERT's tensors, which ``read`` gives by BERT's names.

    Places and the first text's type are both added to each word, so their sum is stored.
    """
    place = read("embeddings.position_embeddings.weight")[: config.tokens]
    state: dict[str, Any] = {
        "words.weight": read("embeddings.word_embeddings.weight"),
        "places": place + read("embeddings.token_type_embeddings.weight")[:1],
    }
    for kind in ("weight", "bias"):
        state[f"norm.{kind}"] = read(f"embeddings.LayerNorm.{kind}")
        for k in range(config.layers):
            ours, theirs = f"layers.layers.{k}", f"encoder.layer.{k}"
            parts = [read(f"{theirs}.attention.self.{part}.{kind}") for part in ("query", "key", "value")]
            state[f"{ours}.self_attn.in_proj_{kind}"] = torch.cat(parts)
            state |= {f"{ours}.{to}.{kind}": read(f"{theirs}.{source}.{kind}") for to, source in _NAMES.items()}
    return state


_NAMES = {
    "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm2": "output.LayerNorm",
}
