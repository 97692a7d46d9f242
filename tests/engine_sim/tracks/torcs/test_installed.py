"""The tracks of Debian's torcs-data, which nobody here wrote."""

import numpy as np
import pytest

from engine_sim.tracks.torcs import LEFT_OUT, read_torcs
from engine_sim.tracks.torcs.centreline import sample_layout
from engine_sim.tracks.torcs.document import read_document
from engine_sim.tracks.torcs.layout import read_layout
from engine_sim.tracks.torcs.reader import INSTALLED

FILES = sorted(p for p in INSTALLED.glob("*/*/*.xml") if p.stem == p.parent.name and p.stem not in LEFT_OUT)
pytestmark = pytest.mark.skipif(not FILES, reason="torcs-data is not installed")


def test_all_but_the_one_left_out_are_there():
    assert len(FILES) == 37


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_it_closes_in_plan_and_height(path):
    layout = read_layout(read_document(path))
    line = sample_layout(layout, str(path))
    assert line.gap < 0.3
    steps = np.hypot(np.diff(line.x, append=line.x[0]), np.diff(line.y, append=line.y[0]))
    assert steps.max() < 1.01 * line.step
    assert abs(line.z[-1] - line.z[0]) < 0.3 * line.step + 0.01


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_it_becomes_a_track_that_can_be_driven(path):
    track = read_torcs(path)
    a = track.arrays
    assert track.kind == path.parent.parent.name
    assert (a.barrier_left > a.width_left + a.kerb_left).all()
    assert (a.barrier_right > a.width_right + a.kerb_right).all()
    assert (np.where(a.curvature > 0.0, a.barrier_left, a.barrier_right) * np.abs(a.curvature)).max() < 0.9
    assert np.abs(a.grade).max() < 0.3
    assert np.abs(np.diff(a.grade)).max() / track.step < 0.06
    assert a.line_speed.min() > 5.0
    assert 350 < len(track.scenery) / track.length * 1000 < 2600


def test_the_figure_of_eight_crosses_on_two_levels():
    track = read_torcs(INSTALLED / "road" / "wheel-2" / "wheel-2.xml")
    a = track.arrays
    crossing = [
        abs(a.z[i] - a.z[j])
        for i in range(0, track.samples, 4)
        for j in np.flatnonzero(np.hypot(a.x - a.x[i], a.y - a.y[i]) < 4.0)
        if 20 < abs(i - j) < track.samples - 20
    ]
    assert crossing
    assert min(crossing) > 6.0
