"""Response, with a renderer that is late by a known number of frames."""

import pytest
import torch

from diffusion_render.evaluate.response import measure_response

FRAMES, AT = 24, 9


def drives(late: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Class maps without and with an impulse that the engine shows ``late`` frames after it."""
    calm = torch.zeros(FRAMES, 32, 32, dtype=torch.uint8)
    impulse = calm.clone()
    impulse[AT + late :, :, 16:] = 10
    return calm, impulse


def chunked(size: int, delay: int = 0, gain: int = 20):
    """A renderer that paints class ids ``delay`` frames too late, in chunks of ``size``."""

    def start():
        pending: list[torch.Tensor] = []
        held = [torch.zeros(32, 32, dtype=torch.uint8)] * delay

        def push(maps: torch.Tensor) -> list[torch.Tensor]:
            pending.extend(maps)
            if len(pending) < size:
                return []
            chunk = held + pending
            ready = [(m * gain).expand(3, 32, 32) for m in chunk[:size]]
            held[:] = chunk[size:]
            pending.clear()
            return ready

        return push

    return start


def test_frame_by_frame_the_effect_comes_with_its_map():
    assert measure_response(chunked(1), *drives(0), AT) == (0, 0, 0)


def test_the_engines_own_delay_is_told_apart():
    assert measure_response(chunked(1), *drives(2), AT) == (2, 2, 2)


def test_chunks_make_the_effect_wait_for_the_last_map_of_its_chunk():
    # Frame 9 lies in the chunk of frames 8 to 15, which is drawn with map 15.
    assert measure_response(chunked(8), *drives(0), AT) == (0, 0, 6)


def test_a_renderer_that_is_late_is_found_out():
    assert measure_response(chunked(1, delay=3), *drives(0), AT) == (0, 3, 3)


def test_no_visible_effect_is_no_number():
    assert measure_response(chunked(1, gain=1), *drives(0), AT) == (0, None, None)
    calm, _ = drives(0)
    assert measure_response(chunked(1), calm, calm, AT) == (None, None, None)


def test_drives_that_part_before_the_impulse_are_refused():
    calm, impulse = drives(0)
    with pytest.raises(ValueError, match="equal before frame 12"):
        measure_response(chunked(1), calm, impulse, 12)
