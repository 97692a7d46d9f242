"""Input to photon from the pixels: a made-up renderer whose delay is known is measured to the frame."""

import numpy as np
import pytest

from demos.benches.marks import Marks

COLORS = {0: (90, 90, 96), 10: (120, 170, 230)}


def played(marks: Marks, delay: float, seconds: float, fade: int = 1, colors=COLORS, noise: float = 0) -> None:
    """50 frames a second; a mark's picture comes after ``delay``, mixed in over so many frames."""
    history, draw = [], np.random.default_rng(0)
    for k in range(round(50 * seconds)):
        now = k / 50
        history.append(marks.class_at(now))
        late = k - round(50 * delay)
        past = [history[max(0, late - n)] for n in range(fade)]
        color = np.mean([colors[c] for c in past], axis=0) + noise * draw.normal(size=3)
        marks.show(now + 1e-4, np.full((16, 32, 3), color, np.uint8))


@pytest.mark.parametrize("delay", [0.02, 0.1, 0.3])
def test_a_known_delay_is_found(delay):
    marks = Marks((0, 10), 1.0)
    played(marks, delay, 8.0)
    found = marks.latencies()
    assert len(found) == 5
    assert found == pytest.approx([delay] * 5, abs=0.001)


def test_a_picture_that_fades_counts_from_half_of_its_way():
    marks = Marks((0, 10), 1.0)
    played(marks, 0.1, 8.0, fade=5)
    assert marks.latencies() == pytest.approx([0.14] * 5, abs=0.001)


def test_marks_that_nobody_would_see_are_left_out():
    marks = Marks((0, 10), 1.0)
    played(marks, 0.1, 8.0, colors={0: (90, 90, 96), 10: (91, 91, 97)})
    assert marks.latencies() == []


def test_too_short_a_run_finds_nothing():
    marks = Marks((0, 10), 1.0)
    played(marks, 0.1, 2.5)
    assert marks.latencies() == []


def test_a_flickering_picture_is_not_taken_for_an_answer():
    marks = Marks((0, 10), 1.0)
    played(marks, 0.4, 8.0, noise=8.0)
    assert marks.latencies() == pytest.approx([0.4] * 5, abs=0.001)


def test_a_picture_that_never_follows_is_no_answer():
    marks = Marks((0, 10), 1.0)
    played(marks, 100.0, 8.0)
    assert marks.latencies() == []
