"""Drift that was put in is found, grows with what was put in, and is not found where there is none."""

import math
from collections.abc import Callable
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F

from diffusion_render.evaluate.drift import (
    PARTS,
    background_and_subject,
    clarity,
    look_agreement,
    motion,
    video_drift,
)
from diffusion_render.evaluate.fidelity import ssim_map
from diffusion_render.evaluate.look import look_distance
from diffusion_render.evaluate.pictures import from_bytes
from render_bridge.palette import GRASS, PLAYER_CAR, ROAD, SKY

HEIGHT, WIDTH, FRAMES, SECONDS = 64, 96, 4, 8
FAIL_LINE = 0.15
"""The stated goal for a stream."""


def class_maps() -> torch.Tensor:
    maps = torch.full((FRAMES, HEIGHT, WIDTH), GRASS, dtype=torch.uint8)
    maps[:, :24], maps[:, 40:, 30:70], maps[:, 44:60, 40:56] = SKY, ROAD, PLAYER_CAR
    return maps


def teacher(second: int) -> torch.Tensor:
    """Textured regions that move on every frame; the scene gets busier from second to second, as scenes do."""
    generator = torch.Generator().manual_seed(second)
    colors = torch.zeros(13, 3)
    colors[SKY], colors[GRASS] = torch.tensor([150.0, 180, 220]), torch.tensor([80.0, 130, 60])
    colors[ROAD], colors[PLAYER_CAR] = torch.tensor([90.0, 90, 95]), torch.tensor([200.0, 50, 60])
    flat = colors[class_maps().long()].permute(0, 3, 1, 2)
    grain = torch.randn(FRAMES, 1, HEIGHT, WIDTH, generator=generator) * (12 + second)
    return (flat + F.avg_pool2d(grain, 3, 1, 1)).clamp(0, 255).to(torch.uint8)


def parts_of(output: torch.Tensor, wanted: torch.Tensor) -> dict[str, float]:
    maps = class_maps()
    ours, theirs = from_bytes(output), from_bytes(wanted)
    background, subject = background_and_subject(ssim_map(ours, theirs), maps)
    distance = float(look_distance(output, wanted, maps, 13).nanmean())
    values = (clarity(ours, theirs), motion(ours, theirs), background, subject, look_agreement(distance))
    return dict(zip(PARTS, values, strict=True))


def drift_under(change: Callable[[torch.Tensor, int], torch.Tensor]):
    rows = []
    for second in range(SECONDS):
        output = change(teacher(second).float(), second).clamp(0, 255).round().to(torch.uint8)
        rows.append(parts_of(output, teacher(second)))
    return video_drift({name: [row[name] for row in rows] for name in PARTS})


def blurred(pictures: torch.Tensor, amount: float) -> torch.Tensor:
    soft = F.avg_pool2d(pictures, 5, 1, 2, count_include_pad=False)
    return pictures + min(amount, 1.0) * (soft - pictures)


def turned(pictures: torch.Tensor, degrees: float) -> torch.Tensor:
    """Hue turned about the grey axis."""
    axis = torch.full((3,), 1 / math.sqrt(3))
    cross = torch.linalg.cross(axis.expand(3, 3), torch.eye(3)).T
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = c * torch.eye(3) + s * cross + (1 - c) * torch.outer(axis, axis)
    return torch.einsum("ij,fjhw->fihw", matrix, pictures)


def noisy(pictures: torch.Tensor, level: float) -> torch.Tensor:
    return pictures + level * torch.randn(pictures.shape, generator=torch.Generator().manual_seed(7))


def contrast(pictures: torch.Tensor, factor: float) -> torch.Tensor:
    return (pictures - 127.5) * factor + 127.5


FAULTS = {
    "blur": lambda x, k, size: blurred(x, 0.12 * size * k),
    "hue": lambda x, k, size: turned(x, 6 * size * k),
    "darkening": lambda x, k, size: x * (1 - 0.08 * size) ** k,
    "contrast": lambda x, k, size: contrast(x, (1 + 0.05 * size) ** k),
    "noise": lambda x, k, size: noisy(x, 2 * size * k),
    "freezing": lambda x, k, size: x + min(1.0, 0.12 * size * k) * (x.mean(0, keepdim=True) - x),
}


def test_the_teacher_itself_does_not_drift_though_its_scene_changes():
    drift = drift_under(lambda x, k: x)
    assert drift.total == pytest.approx(0, abs=1e-6)
    assert max(drift.curve) < 1e-6


@pytest.mark.parametrize(
    "fault",
    [lambda x, k: blurred(x, 0.5), lambda x, k: turned(x, 20), lambda x, k: 0.7 * x, lambda x, k: contrast(x, 0.8)],
    ids=["blur", "hue", "dark", "flat"],
)
def test_a_fault_that_stays_the_same_is_no_drift(fault):
    assert drift_under(fault).total < 0.08


@pytest.mark.parametrize("name", FAULTS)
def test_drift_grows_second_by_second_with_the_fault(name):
    curve = drift_under(lambda x, k: FAULTS[name](x, k, 1.0)).curve
    assert all(a < b for a, b in pairwise(curve)), curve
    assert curve[0] == 0


@pytest.mark.parametrize("name", FAULTS)
def test_more_of_the_fault_is_more_drift(name):
    totals = [drift_under(lambda x, k, s=size: FAULTS[name](x, k, s)).total for size in (0.0, 0.25, 0.5, 1.0)]
    assert all(a < b for a, b in pairwise(totals)), totals
    assert totals[-1] > FAIL_LINE


def test_contrast_that_climbs_by_three_percent_a_chunk_crosses_the_line_by_chunk_four():
    curve = drift_under(lambda x, k: contrast(x, 1.03**k)).curve
    assert curve[4] > FAIL_LINE
    assert max(drift_under(lambda x, k: x).curve) < FAIL_LINE


def test_each_fault_shows_in_its_own_part():
    assert drift_under(lambda x, k: FAULTS["blur"](x, k, 1.0)).parts["clarity"] > 0.3
    assert drift_under(lambda x, k: FAULTS["freezing"](x, k, 1.0)).parts["motion"] > 0.3
    hue = drift_under(lambda x, k: FAULTS["hue"](x, k, 1.0)).parts
    assert hue["look"] == max(hue.values())


def test_the_formula_on_plain_numbers():
    parts = {name: [2.0, 2.0, 2.0] for name in PARTS} | {"clarity": [2.0, 3.0, 1.0]}
    drift = video_drift(parts)
    assert drift.curve == pytest.approx([0, 0.5 / math.sqrt(5), 0.5 / math.sqrt(5)])
    assert drift.parts["clarity"] == pytest.approx(0.5)
    assert drift.total == pytest.approx(0.5 / math.sqrt(5))


def test_a_part_that_cannot_be_seen_is_left_out():
    parts = {name: [1.0, 1.5] for name in PARTS} | {"subject": [math.nan, 1.0]}
    drift = video_drift(parts)
    assert drift.total == pytest.approx(0.5)
    assert math.isnan(drift.parts["subject"])
    background, subject = background_and_subject(torch.ones(1, 32, 32), torch.zeros(1, 32, 32, dtype=torch.uint8))
    assert background == 1
    assert math.isnan(subject)


def test_one_second_alone_has_no_drift_to_tell():
    assert math.isnan(video_drift({name: [1.0] for name in PARTS}).total)


def test_missing_parts_are_refused():
    with pytest.raises(ValueError, match="clarity"):
        video_drift({"clarity": [1.0]})


def test_a_soft_picture_has_as_much_motion_at_speed_as_at_a_walk():
    generator = torch.Generator().manual_seed(0)
    large = F.interpolate(torch.randn(1, 1, 9, 40, generator=generator), scale_factor=16, mode="bicubic")[0]
    wide = 0.3 * large + 0.1 * torch.randn(1, 144, 640, generator=generator)

    def drive(speed: int) -> torch.Tensor:
        return torch.stack([wide[:, :128, speed * k : speed * k + 224] for k in range(24)]).expand(-1, 3, -1, -1)

    ratios = [motion(blurred(drive(v), 1.0), drive(v)) for v in (1, 12)]
    assert ratios[1] == pytest.approx(ratios[0], rel=0.15)
