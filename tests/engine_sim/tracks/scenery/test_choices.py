"""Seeds and settings: what changes the surroundings and what cannot."""

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.scenery import SURROUNDINGS, place_scenery, surroundings_of
from engine_sim.tracks.settings import SETTINGS
from engine_sim.tracks.track import (
    BOULDER,
    BUSH,
    HANGAR,
    LAMP_POST,
    SCENERY_DTYPE,
    STAND,
    TOWER_BLOCK,
    TREE_BROADLEAF,
    TREE_CONIFER,
)  # fmt: skip


def around(setting: str, seed: int = 1, kind: str = "road", name: str = "silver-lake") -> np.ndarray:
    track = load_track(name)
    return place_scenery(track.arrays, track.ground, track.pit, kind, setting, seed)


def count(rows: np.ndarray, *kinds: int) -> int:
    return int(np.isin(rows["kind"], kinds).sum())


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others():
    first, again, other = around("hills", 1), around("hills", 1), around("hills", 2)
    assert first.dtype == SCENERY_DTYPE
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()
    plants = [np.flatnonzero(r["kind"] == TREE_BROADLEAF) for r in (first, other)]
    assert set(first["x"][plants[0]]).isdisjoint(other["x"][plants[1]])


def test_variations_differ_between_objects():
    rows = around("meadow")
    assert len(np.unique(rows["seed"])) > 0.99 * len(rows)


def test_every_setting_of_the_land_has_its_surroundings():
    assert sorted(SURROUNDINGS) == sorted(SETTINGS)
    with pytest.raises(ValueError, match="unknown setting 'moon'; known: meadow"):
        surroundings_of("moon", "road")


@pytest.mark.parametrize("setting", sorted(SURROUNDINGS))
def test_every_setting_fills_the_land(setting):
    rows = around(setting, name="mill-lane")
    assert len(rows) > 350
    assert np.isfinite(rows["z"]).all()
    assert (rows["size_x"] > 0.1).all()
    assert (rows["size_z"] > 0.3).all()


def test_settings_look_their_part():
    forest, desert, city, alpine = (around(s) for s in ("forest", "desert", "city", "alpine"))
    trees = (TREE_BROADLEAF, TREE_CONIFER)
    assert count(forest, *trees) > 3 * count(desert, *trees)
    assert count(desert, BUSH, BOULDER) > count(desert, *trees)
    assert count(alpine, TREE_CONIFER) > 4 * count(alpine, TREE_BROADLEAF)
    assert count(city, TOWER_BLOCK) > 200
    assert count(city, LAMP_POST) > 60
    assert count(around("airfield"), HANGAR) >= 6


def test_an_oval_becomes_a_stadium():
    road, oval = around("meadow", name="granite-mile"), around("meadow", kind="oval", name="granite-mile")
    assert count(oval, STAND) > count(road, STAND) + 5
    assert count(oval, LAMP_POST) > 5
