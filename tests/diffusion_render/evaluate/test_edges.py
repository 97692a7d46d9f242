"""Edge F1 on boxes."""

import pytest
import torch

from diffusion_render.evaluate.edges import edge_f1


def box(left: int, level: float = 1.0) -> torch.Tensor:
    picture = torch.full((1, 3, 64, 64), -0.5)
    picture[:, :, 16:48, left : left + 24] = level
    return picture


def test_the_same_outline_is_one_whatever_the_colours():
    assert float(edge_f1(box(20), box(20))) == 1.0
    assert float(edge_f1(0.5 * box(20) - 0.1, box(20))) > 0.99


def test_one_pixel_is_tolerated_and_more_is_not():
    assert float(edge_f1(box(21), box(20))) > 0.95
    assert float(edge_f1(box(26), box(20))) < 0.8


def test_no_edges_at_all():
    flat = torch.zeros(1, 3, 64, 64)
    assert float(edge_f1(flat, flat)) == 1.0
    assert float(edge_f1(flat, box(20))) == 0.0


def test_each_picture_has_its_own_score():
    both = edge_f1(torch.cat([box(20), box(30)]), torch.cat([box(20), box(20)]))
    assert both.shape == (2,)
    assert float(both[0]) == pytest.approx(1.0)
    assert float(both[1]) < 0.9
