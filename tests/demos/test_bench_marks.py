"""Input to photon from the pixels: a made-up renderer whose delay is known is measured to the frame."""

import numpy as np
import pytest

from demos.benches.marks import Marks

COLORS = {0: (90, 90, 96), 10: (120, 170, 230)}


def found(delay: float, seconds: float = 8.0, fade: int = 1, colors=COLORS, noise: float = 0) -> list[float]:
    """Latencies at 50 frames a second and a mark a second, whose picture comes after ``delay``, mixed in over so many
    frames."""
    marks, history, draw = Marks((0, 10), 1.0), [], np.random.default_rng(0)
    for k in range(round(50 * seconds)):
        now = k / 50
        history.append(marks.class_at(now))
        late = k - round(50 * delay)
        past = [history[max(0, late - n)] for n in range(fade)]
        color = np.mean([colors[c] for c in past], axis=0) + noise * draw.normal(size=3)
        marks.show(now + 1e-4, np.full((16, 32, 3), color, np.uint8))
    return marks.latencies()


@pytest.mark.parametrize("delay", [0.02, 0.1, 0.3])
def test_a_known_delay_is_found(delay):
    assert found(delay) == pytest.approx([delay] * 5, abs=0.001)


def test_a_picture_that_fades_counts_from_half_of_its_way():
    assert found(0.1, fade=5) == pytest.approx([0.14] * 5, abs=0.001)


def test_marks_that_nobody_would_see_are_left_out():
    assert found(0.1, colors={0: (90, 90, 96), 10: (91, 91, 97)}) == []


def test_too_short_a_run_finds_nothing():
    assert found(0.1, seconds=2.5) == []


def test_a_flickering_picture_is_not_taken_for_an_answer():
    assert found(0.4, noise=8.0) == pytest.approx([0.4] * 5, abs=0.001)


def test_a_picture_that_never_follows_is_no_answer():
    assert found(100.0) == []
