"""The land: below the ribbon, joined to it at the barriers, closed by hills, the same on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.ground import GroundPlan, build_ground, ground_height
from engine_sim.tracks.questions import bridges
from engine_sim.tracks.settings import SETTINGS
from engine_sim.tracks.track import Track
from render_bridge.palette import GRASS, ROCK, TERRAIN


def _beside(track: Track, beyond: float) -> np.ndarray:
    """Ground minus ribbon edge, metres, ``beyond`` metres outside the left barrier, at every 10th sample."""
    a, g = track.arrays, track.ground
    out = []
    for i in range(0, track.samples, 10):
        d = float(a.barrier_left[i])
        x, y = a.x[i] - (d + beyond) * a.tangent_y[i], a.y[i] + (d + beyond) * a.tangent_x[i]
        out.append(ground_height(g.z, g.x0, g.y0, g.cell, x, y) - (a.z[i] + a.bank[i] * d))
    return np.array(out)


@pytest.mark.parametrize("name", ["windmoor", "larch-pass", "salt-bay"])
def test_ground_meets_the_ribbon_at_the_barriers(name: str) -> None:
    step = _beside(load_track(name), 0.5)
    assert np.percentile(np.abs(step), 90) < 1.5
    assert step.max() < 3.0


def test_hills_close_the_horizon_inland_and_the_sea_stays_open() -> None:
    for name in ("larch-pass", "kestrel-valley", "red-mesa"):
        g = load_track(name).ground
        rim = np.concatenate([g.z[0], g.z[-1], g.z[:, 0], g.z[:, -1]])
        assert np.median(rim) > np.median(load_track(name).arrays.z) + 15.0, name
    coast = load_track("salt-bay")
    assert coast.ground.z.min() < coast.arrays.z.min() - 5.0
    assert np.mean(coast.ground.z < coast.arrays.z.min() - 5.0) > 0.08


def test_ground_reaches_500_metres_beyond_the_circuit() -> None:
    track = load_track("gull-cliff")
    g, a = track.ground, track.arrays
    rows, cols = g.z.shape
    assert g.x0 <= a.x.min() - 500.0
    assert g.y0 <= a.y.min() - 500.0
    assert g.x0 + (cols - 1) * g.cell >= a.x.max() + 500.0
    assert g.y0 + (rows - 1) * g.cell >= a.y.max() + 500.0
    assert 6.0 <= g.cell <= 10.0


def test_ground_follows_the_lower_level_under_a_bridge() -> None:
    track = load_track("ribbon-eight")
    a, g = track.arrays, track.ground
    (bridge,) = bridges(track)
    i = int(bridge.under / track.step)
    z = ground_height(g.z, g.x0, g.y0, g.cell, a.x[i], a.y[i])
    assert a.z[i] - 3.0 < z < a.z[i] - 0.3


def test_cover_is_grass_terrain_or_rock_by_setting() -> None:
    for name, common in (("mill-lane", GRASS), ("red-mesa", TERRAIN)):
        cover = load_track(name).ground.cover
        assert set(np.unique(cover)) <= {GRASS, TERRAIN, ROCK}
        assert np.mean(cover == common) > 0.5
    assert np.mean(load_track("larch-pass").ground.cover == ROCK) > 0.04


def test_every_setting_gives_finite_land_that_changes_with_the_seed() -> None:
    arrays = load_track("acorn-loop").arrays
    for setting in SETTINGS:
        one, two = (build_ground(arrays, GroundPlan(setting, seed, reach=200.0, cell=20.0)) for seed in (1, 2))
        assert np.all(np.isfinite(one.z))
        assert one.z.tobytes() != two.z.tobytes()


def test_unknown_setting_is_a_user_error() -> None:
    with pytest.raises(UserError, match="unknown setting 'moon'"):
        build_ground(load_track("acorn-loop").arrays, GroundPlan("moon"))
