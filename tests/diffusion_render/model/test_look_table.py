"""The look table against numbers counted by hand."""

import torch

from diffusion_render.model.look_table import LOOK_FEATURES, measure_look


def test_rows_hold_the_dark_and_bright_colour_of_each_class():
    picture = torch.zeros(1, 3, 4, 8)
    class_map = torch.zeros(1, 4, 8, dtype=torch.uint8)
    class_map[..., 4:] = 2
    picture[:, 0, :, :2], picture[:, 0, :, 2:4] = -0.5, 0.5
    picture[:, 2, :, 4:] = 1.0
    table = measure_look(picture, class_map, 3)
    assert table.shape == (1, 3, LOOK_FEATURES)
    assert torch.allclose(table[0, 0, :6], torch.tensor([-0.5, 0, 0, 0.5, 0, 0]))
    assert torch.allclose(table[0, 2, 3:6], torch.tensor([0.0, 0, 1]))
    assert torch.allclose(table[0, :, 6], torch.tensor([0.5, 0.0, 0.5]).sqrt())
    assert table[0, :, 8].tolist() == [1.0, 0.0, 1.0]


def test_absent_classes_are_zero_and_flagged():
    table = measure_look(torch.rand(2, 3, 8, 8), torch.full((2, 8, 8), 1, dtype=torch.uint8), 13)
    assert not table[:, [0, 2, 12]].any()
    assert (table[:, 1, 8] == 1).all()


def test_contrast_tells_grain_from_flat_colour():
    flat = torch.zeros(1, 3, 32, 32)
    grain = torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(0)) * 0.1
    one = torch.zeros(1, 32, 32, dtype=torch.uint8)
    assert measure_look(flat, one, 1)[0, 0, 7] == 0
    assert measure_look(grain, one, 1)[0, 0, 7] > 0.2
