"""Where the camera looks over the ground, beside where the reference's camera looked.

With a low sun a road looks one way when it is driven into the light and another when it is driven out of it. Class
maps do not say where the light comes from. The reference shows it, but only for the way in which its own camera looked:
so the generator is told by how much each unit's camera has turned from there; and, if it reads the light from the
reference, where that stands as each unit's camera sees it.

Headings are angles in rad, counter-clockwise from the world's x axis as seen from above (z is up). NaN means unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .guides import CAMERA_VALUES, Guides

UNKNOWN = float("nan")
_LEAST = 1e-3
"""A camera whose view has a smaller share than this along the ground looks straight up or down: it has no heading."""


def camera_headings(rows: Tensor) -> Tensor:
    """Headings of cameras.

    Args:
        rows: ``[..., 12]``, see ``guides.CAMERA_VALUES``.

    Returns:
        float64 ``[...]`` on the same device; NaN for a camera that looks straight up or down, or whose view is not
        finite.
    """
    forward = rows[..., 3:6].double()
    x, y, _ = forward.unbind(-1)
    level = torch.hypot(x, y) > _LEAST * forward.norm(dim=-1)
    known = level & forward.isfinite().all(-1)
    return torch.where(known, torch.atan2(y, x), UNKNOWN)


def camera_heading(row: Tensor | None) -> float:
    """Heading of one camera ``[12]``; NaN without one. ValueError for another shape."""
    if row is not None and tuple(row.shape) != (CAMERA_VALUES,):
        raise ValueError(f"a reference has one camera ({CAMERA_VALUES},), got {tuple(row.shape)}")
    return UNKNOWN if row is None else float(camera_headings(row))


def unit_headings(units: Sequence[Guides | None]) -> list[float]:
    """Headings of units: that of a unit's last frame, NaN for a unit without guides.

    Args:
        units: guides of each unit's frames, or None if one of them has none.
    """
    rows = [g.camera[-1] for g in units if g is not None]
    known = iter(camera_headings(torch.stack(rows)).tolist() if rows else ())
    return [UNKNOWN if g is None else next(known) for g in units]


def turned(headings: Tensor, reference: Tensor) -> Tensor:
    """What the generator reads of headings.

    Args:
        headings: rad ``[...]``, float64.
        reference: that of the reference's camera, broadcasts to them.

    Returns:
        float32 ``[..., 3]``: cosine and sine of the turn from the reference's camera, and 1; zeros where either is
        unknown.
    """
    turn = headings - reference
    told = torch.stack([turn.cos(), turn.sin(), torch.ones_like(turn)], -1)
    return torch.where(turn.isnan()[..., None], 0.0, told).float()


def seen_from(light: Tensor, headings: Tensor) -> Tensor:
    """A light of the world as cameras see it.

    Args:
        light: ``[..., 3]`` in the world's axes.
        headings: of the cameras, rad ``[...]``.

    Returns:
        ``[..., 3]`` as float64: towards where a camera looks over the ground, to its left, up; NaN where the heading or
        the light is unknown.
    """
    away = _turn_back(light.double(), headings.cos(), headings.sin())
    return torch.where(headings.isnan()[..., None], UNKNOWN, away)


def with_light(told: Tensor, light: Tensor) -> Tensor:
    """What a generator with light reads of headings.

    Args:
        told: ``[..., 3]`` of ``turned``.
        light: ``[..., 3]`` as the reference's camera sees it, see ``seen_from``; broadcasts to them.

    Returns:
        float32 ``[..., 6]``: ``told``, and the light as each unit's camera sees it; zeros where its turn is unknown.
    """
    cosine, sine, known = told.unbind(-1)
    here = _turn_back(light.to(told).expand_as(told), cosine, sine)
    return torch.cat([told, here * known[..., None]], -1)


def tell(headings: Sequence[float], reference: float, light: Tensor | None) -> Tensor:
    """What a generator reads of the headings of U units.

    Args:
        headings: of the units' cameras, rad.
        reference: heading of the reference's camera.
        light: ``[3]`` as that camera sees it, or None for a generator that reads none.

    Returns:
        float32 ``[1, U, 3]``, with a light ``[1, U, 6]``.
    """
    angles = torch.tensor([headings], dtype=torch.float64)
    told = turned(angles, angles.new_tensor(reference))
    return told if light is None else with_light(told, light)


def _turn_back(light: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """The light ``[..., 3]`` from axes that are turned by an angle counter-clockwise."""
    x, y, z = light.unbind(-1)
    return torch.stack([x * cosine + y * sine, y * cosine - x * sine, z.expand_as(cosine)], -1)
