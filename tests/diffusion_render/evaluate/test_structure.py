"""Mean IoU on maps that can be counted by hand."""

import math

import pytest
import torch

from diffusion_render.evaluate.structure import confusion, iou_by_class, mean_iou

TRUTH = torch.tensor([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=torch.uint8)


def test_counts_go_by_map_and_reading():
    read = torch.tensor([[0, 1, 1, 1], [0, 0, 1, 2]], dtype=torch.uint8)
    assert confusion(TRUTH, read, 3).tolist() == [[3, 1, 0], [0, 3, 1], [0, 0, 0]]


def test_iou_of_a_known_reading():
    read = torch.tensor([[0, 1, 1, 1], [0, 0, 1, 2]], dtype=torch.uint8)
    found = iou_by_class(confusion(TRUTH, read, 3))
    assert found[:2].tolist() == pytest.approx([3 / 4, 3 / 5])
    assert found[2].isnan()
    assert mean_iou(confusion(TRUTH, read, 3)) == pytest.approx((3 / 4 + 3 / 5) / 2)


def test_a_perfect_reading_is_one_and_no_pixels_are_no_score():
    assert mean_iou(confusion(TRUTH, TRUTH, 13)) == 1.0
    assert math.isnan(mean_iou(torch.zeros(13, 13, dtype=torch.int64)))


def test_a_handful_of_pixels_does_not_count():
    truth = torch.zeros(100, 100, dtype=torch.uint8)
    truth[0, :9] = 5
    assert mean_iou(confusion(truth, torch.zeros_like(truth), 13)) > 0.99
    truth[0, :12] = 5
    assert mean_iou(confusion(truth, torch.zeros_like(truth), 13)) < 0.6


def test_sums_of_parts_are_the_sums_of_the_whole():
    generator = torch.Generator().manual_seed(0)
    truth, read = (torch.randint(0, 13, (4, 8, 8), generator=generator) for _ in range(2))
    parts = confusion(truth[:1], read[:1], 13) + confusion(truth[1:], read[1:], 13)
    assert torch.equal(parts, confusion(truth, read, 13))
