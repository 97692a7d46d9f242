"""A look as a session uses it: reference and prompt, encoded once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..model.autoencoder import LookTables
from ..model.encoder import FRAMES
from ..model.generator import Tokens
from ..model.light import LIGHT_VALUES
from ..model.look_table import LOOK_FEATURES, measure_look
from ..model.renderer import Renderer
from ..model.transfer import send
from .heading import camera_heading, tell


class Look(NamedTuple):
    """Prompt tokens, reference and tables, all on the renderer's device; and what headings are told from."""

    text: Tensor  # [1, P, text]
    reference: Tokens
    tables: LookTables
    structure_table: Tensor
    heading: float  # of the reference's camera, see ``heading``
    light: Tensor | None  # [3] on the CPU, as the reference's camera sees it; None for a generator that reads none

    def tell(self, headings: Sequence[float]) -> Tensor | None:
        """Headings of units as the generator reads them, see ``heading.tell``; None for one that reads none."""
        own = self.reference.heading
        return None if own is None else send(tell(headings, self.heading, self.light), own.device)


@torch.inference_mode()
def make_look(
    renderer: Renderer,
    reference: Tensor | None,
    reference_map: Tensor,
    text: Tensor,
    reference_camera: Tensor | None,
) -> Look:
    """The look for one renderer; arguments as in ``session.StreamSession``."""
    weight, ae = next(renderer.parameters()), renderer.autoencoder
    device, dtype = weight.device, weight.dtype
    class_map = reference_map.to(device)[None]
    maps = class_map[:, None].expand(-1, FRAMES, -1, -1)
    if reference is None:
        table = torch.zeros(1, ae.config.classes, LOOK_FEATURES, device=device, dtype=dtype)
        tables = ae.look(table)
        height, width = reference_map.shape
        latent = torch.zeros(1, 1, ae.config.latent, height // 32, width // 32, device=device, dtype=dtype)
    else:
        picture = reference.to(device)[None]
        table = measure_look(picture, class_map, ae.config.classes).to(dtype)
        tables = ae.look(table)
        still = picture.to(dtype)[:, None].expand(-1, FRAMES, -1, -1, -1)
        latent = ae.encode(still, ae.codes(maps), tables)
    structure_table = renderer.structure.table(table)
    structure = renderer.structure(maps[:, None], structure_table)
    # Level 1 says that nothing of the picture is left: how training marks a reference that is missing.
    level = torch.full((1, 1), 1.0 if reference is None else 0.0, device=device)
    heading = camera_heading(reference_camera)
    light = _read_light(renderer, latent, structure, reference is not None and not math.isnan(heading))
    own = tell([heading], heading, light).to(device) if renderer.config.generator.heading else None
    tokens = Tokens(latent, structure, level, torch.zeros(1, device=device), own)
    return Look(text.to(device, dtype, copy=True)[None], tokens, tables, structure_table, heading, light)


def _read_light(renderer: Renderer, latent: Tensor, structure: Tensor, known: bool) -> Tensor | None:
    """The light of a reference, zeros if it or its camera is not ``known``; None for a generator that reads none."""
    reader = renderer.generator.reader
    if reader is None:
        return None
    return reader(latent, structure)[0].cpu() if known else torch.zeros(LIGHT_VALUES)
