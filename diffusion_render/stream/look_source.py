"""Where a reference picture can come from besides the teacher view: any picture, or the prompt alone."""

from __future__ import annotations

from torch import Tensor

from ..model.encoder import FRAMES
from ..model.renderer import Renderer
from .fitting import fit_picture as fit_picture
from .fitting import middle_part as middle_part
from .session import SessionConfig, StreamSession


def dream_reference(renderer: Renderer, config: SessionConfig, class_map: Tensor, text: Tensor) -> Tensor:
    """The model's own idea of a place under a prompt: the last picture of a first window without a reference.

    Args:
        renderer, config: as of the session that will use it.
        class_map: uint8 ``[H, W]``, the opening frame, which stands still meanwhile.
        text: prompt tokens ``[P, text]``.

    Returns:
        uint8 ``[3, H, W]`` on the renderer's device.

    Raises:
        RenderError: if the model made NaN.
    """
    stream = StreamSession(renderer, config, None, class_map, text)
    frames = FRAMES * config.schedule.first
    return stream.push(class_map.expand(frames, -1, -1))[-1]
