"""Bytes of a window: rounded and clamped, the same however they lie in memory and whoever makes them."""

import pytest
import torch

from diffusion_render.stream.recorded import RecordedWindows
from diffusion_render.stream.window import finish_unit, render_window, to_bytes
from tests.diffusion_render.stream.test_recorded import Rerun, recorded
from tests.diffusion_render.stream.test_session import MAPS, render, same, session


def rows(frames):
    """Frames whose bytes come out pixel by pixel, as on a GPU."""
    pictures, total = finish_unit(frames)
    return pictures.movedim(-3, -1).contiguous().movedim(-1, -3), total


def rows_window(*arguments):
    return render_window(*arguments, finish=rows)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_bytes_are_the_nearest_and_sums_tell_of_numbers_that_are_none(dtype):
    frames = torch.tensor([-9.0, -1.0, -0.5, 0.0, 0.5, 9.0], dtype=dtype).view(1, 2, 3, 1, 1)
    pictures, total = finish_unit(frames)
    assert pictures.flatten().tolist() == [0, 0, 64, 128, 191, 255]  # halves go to the even one
    assert torch.equal(pictures, to_bytes(frames))
    assert total.tolist() == [frames.float().sum()]
    broken = torch.cat([frames, frames])
    broken[1, 0, 1] = torch.nan
    assert finish_unit(broken)[1].isfinite().tolist() == [True, False]


def test_pictures_that_lie_pixel_by_pixel_are_the_same_and_stay_so():
    stream, lying = session(), recorded(rows_window)
    assert same(render(lying, MAPS[:36], 4), render(stream, MAPS[:36], 4))
    through = recorded(RecordedWindows(Rerun(), print, render=rows_window))
    draft = through.draft(MAPS[:28])
    made = through.make(draft)
    assert made.pictures.movedim(-3, -1).is_contiguous()  # nothing is left to be sorted
    pictures = through.finish(draft, made)
    assert same(pictures, render(session(), MAPS[:28], 4))
    assert all(picture.is_contiguous() for picture in pictures)
