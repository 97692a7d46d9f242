"""The 39 built-in circuits: all there, all sound, split by the written rule."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.tracks.catalogue import circuit_plan, load_track, split_of, summary, track_names
from engine_sim.tracks.questions import bridges
from engine_sim.tracks.track import CONCRETE_WALL, FENCE, GUARD_RAIL, TYRE_WALL
from engine_sim.tracks.validate import check_track

NAMES = track_names("built-in")


def test_there_are_21_road_9_dirt_and_9_oval_circuits() -> None:
    assert len(NAMES) == 39
    assert Counter(circuit_plan(name).kind for name in NAMES) == {"road": 21, "dirt": 9, "oval": 9}


@pytest.mark.parametrize("name", NAMES)
def test_circuit_keeps_every_rule(name: str) -> None:
    track = load_track(name)
    assert check_track(track) == []
    assert 780.0 < track.length < 7200.0
    assert track.pit is not None
    assert track.split == split_of(name)


def test_about_one_in_five_of_each_kind_is_held_out() -> None:
    for kind, least, most in (("road", 3, 6), ("dirt", 1, 3), ("oval", 1, 3)):
        held = [n for n in NAMES if circuit_plan(n).kind == kind and split_of(n) == "held-out"]
        assert least <= len(held) <= most, (kind, held)
    assert split_of("torcs:anything") == "held-out"


def test_circuits_differ_in_character() -> None:
    settings = {circuit_plan(name).setting for name in NAMES}
    assert len(settings) >= 10
    assert load_track("coin-bowl").length < 1000.0
    assert load_track("long-wood").length > 6500.0
    some = ("alder-park", "granite-mile", "mirage", "mill-lane")
    styles = {int(s) for name in some for s in np.unique(load_track(name).arrays.style_left)}
    assert {GUARD_RAIL, CONCRETE_WALL, TYRE_WALL, FENCE} <= styles


def test_figure_eights_have_bridges_of_at_least_six_metres() -> None:
    for name in ("ribbon-eight", "timber-run"):
        (bridge,) = bridges(load_track(name))
        assert bridge.height >= 6.0


def test_ovals_are_steep_and_roads_are_not() -> None:
    assert np.abs(load_track("granite-mile").arrays.bank).max() > 0.42
    assert np.abs(load_track("silver-lake").arrays.bank).max() < 0.08


def test_unknown_names_get_close_matches_in_one_line() -> None:
    with pytest.raises(UserError, match=r"unknown track 'silver-lak'; did you mean silver-lake"):
        load_track("silver-lak")
    for name in ("", "torcs:no-such-thing", "../../etc/passwd", "zzzzzz"):
        with pytest.raises(UserError) as caught:
            load_track(name)
        assert "\n" not in str(caught.value)
    with pytest.raises(UserError, match="unknown source"):
        track_names("nowhere")


def test_summary_says_what_a_list_needs() -> None:
    line = summary(load_track("larch-pass"))
    assert line.kind == "road"
    assert line.corners >= 15
    assert line.climb > 60.0
    assert 60.0 < line.lap_seconds < 300.0
    assert "hairpins" in line.about


def test_loading_twice_gives_the_same_object() -> None:
    assert load_track("acorn-loop") is load_track("acorn-loop")
