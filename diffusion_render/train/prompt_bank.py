"""The prompts of all clips as the generator reads them, encoded once."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from tqdm import tqdm

from ..model.prompt import TOKENS, WIDTH, PromptEncoder, PromptError


def encode_prompts(prompts: Sequence[str], device: torch.device, encoder: PromptEncoder | None = None) -> Tensor:
    """Encode the prompts of a clip bank; each text once, however many clips share it.

    Args:
        prompts: one a clip, as in ``ClipBank.prompts``.
        device: where the encoder runs and the rows stay.
        encoder: is moved to ``device``; ``PromptEncoder.open()`` if None.

    Returns:
        float16 ``[len(prompts), 64, 384]`` on the device. All zeros, and a line that says so, where there is no
        encoder: a generator trained on these knows no prompts, but all else works.
    """
    try:
        encoder = (encoder or PromptEncoder.open()).to(device)
    except PromptError as error:
        tqdm.write(f"training without prompts: {error}")
        return torch.zeros(len(prompts), TOKENS, WIDTH, dtype=torch.float16, device=device)
    number = {text: k for k, text in enumerate(dict.fromkeys(prompts))}
    rows = torch.empty(len(number), TOKENS, WIDTH, dtype=torch.float16, device=device)
    with tqdm(total=len(number), desc="prompts", unit="prompt") as bar:
        for places, encoded in encoder.encode_all(list(number)):
            rows[places] = encoded.half()
            bar.update(len(places))
    return rows[torch.tensor([number[text] for text in prompts], dtype=torch.long, device=device)]
