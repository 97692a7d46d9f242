"""From segments to samples: plan, heights, cross-section."""

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.tracks.torcs.centreline import Sampled, advance, sample_layout
from engine_sim.tracks.torcs.document import parse_document
from engine_sim.tracks.torcs.heights import Edge
from engine_sim.tracks.torcs.layout import read_layout
from engine_sim.tracks.torcs.section import limit_slope

from .sample_files import number, oval, straight, track, turn, word


def sampled(text: str) -> Sampled:
    return sample_layout(read_layout(parse_document(text.encode(), "x.xml")), "x.xml")


def test_an_arc_is_exact():
    x, y, heading = advance((1.0, 2.0, 0.0), np.pi * 50, 1 / 50)
    assert (x, y, heading) == pytest.approx((1.0, 102.0, np.pi))
    assert advance((0.0, 0.0, 0.0), 7.0, 0.0) == (7.0, 0.0, 0.0)


def test_samples_lie_on_the_circles_and_straights_of_the_file():
    line = sampled(oval())
    turning = line.segment == 1
    assert np.hypot(line.x[turning] - 200, line.y[turning] - 60) == pytest.approx(60, abs=1e-6)
    assert line.y[line.segment == 0] == pytest.approx(0, abs=1e-6)
    assert line.step * len(line.x) == pytest.approx(400 + 120 * np.pi)
    assert line.gap < 1e-9


def test_a_small_gap_is_spread_over_the_lap():
    line = sampled(oval().replace('"lg" val="200" unit="m"', '"lg" val="200.2" unit="m"', 1))
    assert line.gap == pytest.approx(0.2)
    steps = np.hypot(np.diff(line.x, append=line.x[0]), np.diff(line.y, append=line.y[0]))
    assert steps.max() - steps.min() < 0.002


def test_a_lap_that_does_not_close_is_refused_with_its_gap():
    with pytest.raises(UserError, match=r"x.xml: expected a lap that closes within 2 m, got a gap of 50.00 m"):
        sampled(oval().replace('"lg" val="200" unit="m"', '"lg" val="250" unit="m"', 1))
    with pytest.raises(UserError, match=r"a turn of 350.00 degrees"):
        sampled(oval().replace('"arc" val="180"', '"arc" val="170"', 1))
    with pytest.raises(UserError, match=r"a step of 20.00 m"):
        sampled(oval().replace('<attnum name="lg" val="200" unit="m"/>', '<attnum name="lg" val="200" unit="m"/>'
                               + number("z end", 20, "m"), 1))  # fmt: skip


def test_a_profile_has_the_heights_and_tangents_of_the_file():
    edge = Edge(2.0, 5.0, 0.1, -0.05)
    assert (edge.at(0.0, 40.0), edge.at(1.0, 40.0)) == (2.0, 5.0)
    assert (edge.at(1e-6, 40.0) - 2.0) / 40e-6 == pytest.approx(0.1, rel=1e-3)
    assert (5.0 - edge.at(1 - 1e-6, 40.0)) / 40e-6 == pytest.approx(-0.05, rel=1e-3)


def hills() -> str:
    """An oval that climbs 10 m on one straight by a spline, falls by its grade on the other, and banks its turns."""
    spline = word("profil", "spline")
    flat_end = number("profil end tangent", 0, "%")
    return track((
        straight("up", 200, spline, number("z start", 0, "m"), number("z end", 10, "m"),
                 number("profil start tangent", 0, "%"), flat_end, number("banking end", 10, "deg")),
        turn("top", "lft", 180, 60),
        straight("down", 200, number("grade", -5, "%"), number("banking end", 0, "deg")),
        turn("low", "lft", 180, 60),
    ))  # fmt: skip


def test_grades_splines_and_banking_shape_the_road():
    line = sampled(hills())
    up, top, down = (np.flatnonzero(line.segment == i) for i in range(3))
    assert line.z[up[100]] == pytest.approx(5.0, abs=0.1)
    assert np.diff(line.z[up])[[0, -1]] == pytest.approx(0.0, abs=0.002)
    assert line.z[top] == pytest.approx(10.0)
    assert line.bank[top] == pytest.approx(np.tan(np.radians(10)))
    assert np.diff(line.z[down]) == pytest.approx(-0.05 * line.step)
    assert line.bank[line.segment == 3] == pytest.approx(0.0)


def test_a_barrier_comes_closer_gradually_and_never_nearer_than_asked():
    field = np.full(60, 20.0)
    field[20:30] = 3.0
    least = np.full(60, 2.0)
    least[40] = 25.0
    out = limit_slope(field, least, 0.5)
    assert out[25] == 3.0
    assert out[33] == pytest.approx(3.0 + 4 * 0.5)
    assert out[40] == 25.0
    assert (out <= np.maximum(field, least)).all()
    steps = np.abs(np.diff(out, append=out[0]))
    assert np.delete(steps, [39, 40]).max() <= 0.5 + 1e-12
