"""The benchmark reports what it drew, with what, and how fast."""

import pytest

from engine_sim.core.errors import UserError
from engine_sim.tracks.catalogue import load_track, track_names
from engine_sim.views.bench import bench_class_view, compare_painters
from engine_sim.views.camera import CameraRig
from engine_sim.views.frame import FrameState
from engine_sim.views.scene import build_scene

from .view_fixtures import pose_on_track


@pytest.fixture(scope="module")
def drive():
    track = load_track(track_names("built-in")[0])
    rig = CameraRig("chase", track)
    frames = []
    for s in (10.0, 150.0, 290.0):
        cars = (pose_on_track(track, s, 0.0), pose_on_track(track, s + 15.0, 2.0))
        rig.reset(cars[0])
        frames.append(FrameState(0, rig.camera(), cars))
    return build_scene(track), frames


def test_the_report_has_a_figure_for_every_size(drive):
    report = bench_class_view(*drive, sizes=((448, 256), (64, 32)), backend="cpu")
    assert report["backend"] == "cpu"
    assert report["renderer"] == "CPU z-buffer"
    assert report["frames"] == 3
    assert report["triangles"] > 1000
    for figures in ("fps", "median_ms", "p95_ms"):
        assert list(report[figures]) == ["448x256", "64x32"]
        assert all(value > 0 for value in report[figures].values())


def test_figures_of_software_gl_are_labelled_as_such(drive):
    report = bench_class_view(*drive, sizes=((64, 32),), backend="gl")
    assert report["backend"] == "gl"
    assert report["renderer"].startswith("software GL: ") == ("llvmpipe" in report["renderer"])


def test_the_comparison_counts_different_and_foreign_pixels(drive):
    report = compare_painters(*drive)
    assert report["frames"] == 3
    assert report["foreign_pixels"] == 0
    assert 0.0 <= report["mean_percent"] <= report["max_percent"] <= 0.02


def test_a_bad_size_is_refused_before_anything_is_timed(drive):
    with pytest.raises(UserError, match="450"):
        bench_class_view(*drive, sizes=((450, 256),))
