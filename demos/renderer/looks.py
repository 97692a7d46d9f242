"""The look of one session: a reference that the engine sent, or one that the model dreams from the prompt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from demos.renderer.cameras import camera_tensor
from diffusion_render.stream.fitting import fit_picture, middle_part
from render_bridge.protocol.messages import Control


@dataclass(frozen=True)
class GivenLook:
    """A reference: ``picture`` ``[3, H, W]`` in [−1, 1], ``class_map`` uint8 ``[H, W]`` of it, and the ``camera`` that
    took it, float64 ``[12]`` as ``cameras.camera_tensors`` says, or None if that is not known."""

    picture: Tensor
    class_map: Tensor
    camera: Tensor | None = None


def read_look(control: Control, width: int, height: int, classes: int) -> GivenLook:
    """The reference in a control, at the size of the session.

    A picture of another shape is cut at its middle and scaled, its class map in the same way without blending; the
    camera stays that of the whole picture.

    Raises:
        ValueError: too small or too large a picture, or an id that is no class of ours.
    """
    picture, ids = control.buffers
    shape = control.height or 0, control.width or 0  # a look that has neither is no legal control
    rgb = np.frombuffer(picture, np.uint8).reshape(*shape, 3)
    class_map = np.frombuffer(ids, np.uint8).reshape(shape)
    if class_map.max() >= classes:
        row, column = np.argwhere(class_map >= classes)[0]
        raise ValueError(
            f"the look's class map holds {class_map[row, column]} at row {row}, column {column}; "
            f"classes are 0 to {classes - 1}"
        )
    fitted = torch.from_numpy(fit_picture(rgb, width, height).copy())
    nearest = torch.from_numpy(fit_class_map(class_map, width, height))
    camera = camera_tensor(control.view, control.projection, shape[1], shape[0])
    return GivenLook(unit_range(fitted.permute(2, 0, 1)), nearest, camera)


def fit_class_map(class_map: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Cut and scaled as ``fit_picture`` does, uint8 ``[height, width]``: each pixel takes the id at its centre."""
    h, w = class_map.shape
    rows, columns = middle_part(h, w, width, height)
    part = class_map[rows, columns]
    take_rows = ((np.arange(height) + 0.5) * part.shape[0] / height).astype(int)
    take_columns = ((np.arange(width) + 0.5) * part.shape[1] / width).astype(int)
    return np.ascontiguousarray(part[np.ix_(take_rows, take_columns)])


def unit_range(picture: Tensor) -> Tensor:
    """uint8 → float32 in [−1, 1]."""
    return picture.float() / 127.5 - 1.0
