"""Files on disk and the tracks they become."""

import hashlib

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.tracks.torcs import LEFT_OUT, ReadOptions, find_torcs, read_torcs, reader
from engine_sim.tracks.track import CONCRETE_WALL, GRASS_SURFACE, TYRE_WALL, Track

from .sample_files import old_oval, oval, section, straight, track, turn, word


def write(folder, name, text):
    path = folder / name / f"{name}.xml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def read_text(folder, text) -> Track:
    return read_torcs(write(folder, "sample", text))


def digest(track: Track) -> str:
    parts = [np.ascontiguousarray(a).tobytes() for a in (*track.arrays, track.ground.z, track.scenery)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def test_tracks_are_found_with_and_without_a_folder_for_their_category(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "INSTALLED", tmp_path / "installed")
    own, other = write(tmp_path / "own" / "road", "b-ring", oval()), write(tmp_path / "own", "a-ring", oval())
    write(tmp_path / "own" / "road", "brondehach", oval())
    (own.parent / "notes.xml").write_text("<x/>")
    installed = write(tmp_path / "installed" / "oval", "c-ring", oval())
    write(tmp_path / "installed" / "road", "b-ring", oval())
    monkeypatch.setenv("PAINTOVER_TORCS", str(tmp_path / "own"))
    assert list(find_torcs().items()) == [("a-ring", other), ("b-ring", own), ("c-ring", installed)]
    assert "brondehach" in LEFT_OUT


def test_a_folder_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PAINTOVER_TORCS", str(tmp_path / "gone"))
    with pytest.raises(UserError, match="PAINTOVER_TORCS: expected a folder"):
        find_torcs()


def test_without_any_folder_nothing_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "INSTALLED", tmp_path / "none")
    monkeypatch.delenv("PAINTOVER_TORCS", raising=False)
    assert find_torcs() == {}


def test_an_oval_becomes_a_track_with_pits_kerbs_and_walls(tmp_path):
    found = read_text(tmp_path, oval())
    assert (found.name, found.kind, found.source, found.split) == ("torcs:sample", "oval", "torcs", "held-out")
    assert found.length == pytest.approx(400 + 120 * np.pi, rel=1e-3)
    assert found.pit is not None
    assert found.pit.side == 1
    assert (found.pit.start, found.pit.end) == pytest.approx((400 + 60 * np.pi, 200.0))
    a = found.arrays
    turning = a.curvature > 1 / 61
    assert (a.kerb_right[turning] == 1.5).sum() > 80
    assert (a.style_right[turning] == TYRE_WALL).mean() > 0.9
    assert (a.surface_left[turning] == GRASS_SURFACE).mean() > 0.9
    assert len(found.scenery) > 100


def test_the_same_file_gives_the_same_bytes_and_the_split_is_the_callers(tmp_path):
    path = write(tmp_path, "sample", old_oval())
    assert digest(read_torcs(path)) == digest(read_torcs(path))
    assert read_torcs(path, ReadOptions(split="train")).split == "train"


def test_verges_that_meet_in_a_jump_are_joined_by_a_slope(tmp_path):
    a = read_text(tmp_path, oval()).arrays
    assert np.abs(np.diff(a.barrier_left)).max() <= 0.5 * 2.1


def test_a_wall_on_the_border_is_the_barrier(tmp_path):
    wall = section("Left Border", word("surface", "pit-wall"), word("style", "wall"))
    plan = section("Left Border", word("surface", "grass"), word("style", "plan"))
    text = track(
        (straight("a", 250, wall), turn("b", "lft", 180, 60, plan), straight("c", 250), turn("d", "lft", 180, 60))
    )
    a = read_text(tmp_path, text).arrays
    assert (a.style_left[10:100] == CONCRETE_WALL).all()
    assert (a.barrier_left[10:100] - a.width_left[10:100]).max() < 1.0


def test_a_wide_verge_inside_a_tight_bend_stays_inside_its_radius(tmp_path):
    wide = section("Left Side", '<attnum name="width" val="90"/>', word("surface", "grass"))
    text = track((straight("a", 150), turn("b", "lft", 180, 12), straight("c", 150), turn("d", "lft", 180, 12)), wide)
    a = read_text(tmp_path, text).arrays
    assert (a.barrier_left * np.maximum(a.curvature, 0.0)).max() < 1.0
    assert (a.barrier_left > a.width_left + a.kerb_left).all()
