"""What holds for everything that stands around a circuit, on circuits of every kind."""

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.track import (
    BOARD,
    GANTRY,
    HOUSE,
    LAMP_POST,
    MARSHAL_POST,
    PIT_BUILDING,
    STAND,
    TREE_BROADLEAF,
    TREE_CONIFER,
    Track,
)

from .measure import (
    PLANTS,
    axes,
    contains,
    feet,
    footprint_points,
    ground_height,
    inside_barriers,
    middles,
    outline,
    to_nearest_sample,
)

CIRCUITS = ("acorn-loop", "harbour-ring", "northfield", "coin-bowl", "glacier-gate", "ribbon-eight", "sand-hollow")


@pytest.fixture(params=CIRCUITS)
def track(request) -> Track:
    return load_track(request.param)


def of_kind(track: Track, *kinds: int) -> np.ndarray:
    return track.scenery[np.isin(track.scenery["kind"], kinds)]


def test_nothing_stands_between_the_barriers_of_any_stretch(track):
    assert not inside_barriers(track, footprint_points(track)).any()


def test_solid_objects_keep_clear_of_each_other(track):
    solids = track.scenery[~np.isin(track.scenery["kind"], (*PLANTS, GANTRY))]
    points = outline(solids, (-1.0, -0.6, -0.2, 0.2, 0.6, 1.0))
    for i, row in enumerate(solids):
        others = np.delete(points, i, 0)
        near = np.abs(others - middles(solids[i : i + 1])).max(-1).min(-1) < 120.0
        assert not contains(row, others[near], 0.5).any()


def test_no_plant_grows_in_a_building_or_in_another_plant(track):
    plants, solids = of_kind(track, *PLANTS), track.scenery[~np.isin(track.scenery["kind"], (*PLANTS, GANTRY))]
    spots = middles(plants)
    assert not any(contains(row, spots, 0.2).any() for row in solids)
    order = np.argsort(plants["x"])
    spots, width = spots[order], plants["size_x"][order]
    for step in range(1, 40):
        apart = np.hypot(*(spots[step:] - spots[:-step]).T)
        assert (apart > 0.3 * (width[step:] + width[:-step])).all()


def test_everything_rests_on_the_lowest_ground_of_its_footprint(track):
    rows = track.scenery[~np.isin(track.scenery["kind"], (*PLANTS, GANTRY))]
    corners = np.concatenate([outline(rows, (-1.0, 1.0)), middles(rows)[:, None]], 1)
    assert rows["z"] == pytest.approx(ground_height(track.ground, corners).min(-1), abs=1e-6)
    plants = of_kind(track, *PLANTS)
    rise = ground_height(track.ground, middles(plants)) - plants["z"]
    assert rise.min() > -1e-9
    assert (rise < 2.0 + 0.5 * plants["size_x"]).all()


def test_one_gantry_spans_the_start_line_high_above_it(track):
    (gantry,) = of_kind(track, GANTRY)
    a = track.arrays
    left, right = (p - np.array([a.x[0], a.y[0]]) for p in feet(of_kind(track, GANTRY))[::-1])
    normal = np.array([-a.tangent_y[0], a.tangent_x[0]])
    assert left @ normal > a.barrier_left[0]
    assert right @ normal < -a.barrier_right[0]
    assert abs(left @ [a.tangent_x[0], a.tangent_y[0]]) < 0.5
    assert gantry["z"] + gantry["size_z"] - 1.5 > a.z[0] + 5.0


def test_a_pit_straight_has_one_building_on_its_side(track):
    buildings = of_kind(track, PIT_BUILDING)
    assert len(buildings) == (0 if track.pit is None else 1)
    if track.pit is None:
        return
    (vector,), (index,) = to_nearest_sample(track, middles(buildings))
    after_start = (index * track.step - track.pit.start) % track.length
    assert after_start < (track.pit.end - track.pit.start) % track.length
    tangent = np.array([track.arrays.tangent_x[index], track.arrays.tangent_y[index]])
    side = np.sign(tangent[1] * vector[0] - tangent[0] * vector[1])
    assert side == track.pit.side
    assert buildings["size_x"][0] >= 25.0


@pytest.mark.parametrize("kind", [STAND, PIT_BUILDING, MARSHAL_POST, LAMP_POST])
def test_fronts_look_at_the_track(track, kind):
    rows = of_kind(track, kind)
    if not len(rows):
        return
    vectors, _ = to_nearest_sample(track, middles(rows))
    fronts = -axes(rows)[1]
    across = (fronts * vectors).sum(-1) / np.hypot(*vectors.T)
    assert np.quantile(across, 0.1) > 0.85  # a bend's nearest sample may lie on another stretch


def test_big_boards_look_at_oncoming_drivers(track):
    boards = of_kind(track, BOARD)
    boards = boards[boards["size_z"] > 4.0]
    _, index = to_nearest_sample(track, middles(boards))
    tangents = np.stack([track.arrays.tangent_x[index], track.arrays.tangent_y[index]], -1)
    towards = -(-axes(boards)[1] * tangents).sum(-1)
    assert np.median(towards) > 0.3 if len(boards) else True


def test_there_is_something_to_see_on_both_sides_of_every_stretch(track):
    a, spots = track.arrays, middles(track.scenery)
    for i in range(0, track.samples, int(60 / track.step)):
        apart = spots - [a.x[i], a.y[i]]
        near = np.hypot(*apart.T) < max(a.barrier_left[i], a.barrier_right[i]) + 75.0
        left = apart @ [-a.tangent_y[i], a.tangent_x[i]] > 0.0
        assert (near & left).any()
        assert (near & ~left).any()
        assert near.sum() >= 8


def test_a_kilometre_of_track_has_some_hundred_objects(track):
    assert 350 < len(track.scenery) / track.length * 1000 < 3000


def test_trees_stand_closest_together_near_the_track(track):
    trees = of_kind(track, TREE_BROADLEAF, TREE_CONIFER)
    spots = np.concatenate([middles(trees), _lattice(track)])
    vectors, index = to_nearest_sample(track, spots)
    a = track.arrays
    metres = np.hypot(*vectors.T) - np.maximum(a.barrier_left, a.barrier_right)[index]
    is_tree = np.arange(len(spots)) < len(trees)

    def per_place(low: float, high: float) -> float:
        ring = (metres > low) & (metres <= high)
        return (ring & is_tree).sum() / max(1, (ring & ~is_tree).sum())

    assert per_place(3, 40) > 1.3 * per_place(150, 2000)


def _lattice(track: Track) -> np.ndarray:
    """Places every 20 m over the ground."""
    g = track.ground
    x = np.arange(g.x0, g.x0 + g.cell * g.z.shape[1], 20.0)
    y = np.arange(g.y0, g.y0 + g.cell * g.z.shape[0], 20.0)
    return np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)


def test_houses_come_in_villages():
    houses = middles(of_kind(load_track("glacier-gate"), HOUSE))
    apart = np.hypot(*(houses[:, None] - houses[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    assert np.median(apart.min(1)) < 30.0
