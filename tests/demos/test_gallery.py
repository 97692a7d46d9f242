"""The gallery: which moment, files that fit, and a page whose links lead somewhere."""

from __future__ import annotations

import json
import re

import cv2
import numpy as np
import pytest

from demos import cli
from demos.commands.gallery import file_names
from demos.gallery.files import jpeg_bytes, loop_bytes
from demos.gallery.make import Exhibit, page
from demos.gallery.moments import ENOUGH_RIVALS, RIVAL, best_moment, best_start, interest
from engine_sim.core.errors import UserError
from engine_sim.recording.reader import open_session
from engine_sim.recording.video import read_video

RACE = ("--track", "acorn-loop", "--rivals", "3", "--size", "96x64", "--quiet", "--views", "cpu")


def test_rivals_and_variety_make_a_map_interesting_but_not_one_rival_alone():
    plain = np.zeros((20, 50), np.uint8)
    rival, mixed, full = plain.copy(), plain.copy(), np.full((20, 50), RIVAL, np.uint8)
    rival[:4, :10] = RIVAL
    mixed[:4, :10] = 3
    assert interest(rival) > interest(mixed) > interest(plain)
    assert interest(full) - interest(plain) == pytest.approx(ENOUGH_RIVALS)


@pytest.mark.parametrize(
    ("scores", "length", "start"),
    [([0, 1, 3, 3, 1, 0], 2, 2), ([1, 1, 1, 1], 2, 0), ([5, 0, 0, 4, 4], 2, 3), ([1, 2], 5, 0), ([], 3, 0)],
)
def test_the_best_run_of_scores_is_found(scores, length, start):
    assert best_start(scores, length) == start


def noisy_film(count=24, height=120, width=162) -> list[np.ndarray]:
    random = np.random.default_rng(1)
    base = random.integers(0, 255, (height, width, 3))
    return [np.clip(base + random.integers(-30, 30, base.shape), 0, 255).astype(np.uint8) for _ in range(count)]


@pytest.mark.parametrize("most", [600_000, 120_000, 30_000])
def test_a_loop_fits_and_keeps_its_length(tmp_path, most):
    data = loop_bytes(noisy_film(), 24, most)
    assert len(data) <= most
    assert data.index(b"moov") < data.index(b"mdat")  # it plays while it loads
    path = tmp_path / "loop.mp4"
    path.write_bytes(data)
    frames = [*read_video(path)]
    assert len(frames) == 24
    assert float(frames[-1][0]) == pytest.approx(23 / 24, abs=1e-3)


def test_a_loop_keeps_its_colours(tmp_path):
    path = tmp_path / "loop.mp4"
    path.write_bytes(loop_bytes([np.full((64, 96, 3), (200, 10, 30), np.uint8)] * 4, 24, 100_000))
    assert np.abs(next(read_video(path))[1].astype(int) - (200, 10, 30)).max() <= 12


def test_a_picture_fits_and_is_smaller_only_if_it_must_be():
    picture = noisy_film(1)[0]
    sizes = []
    for most in (60_000, 14_000, 4_000):
        data = jpeg_bytes(picture, most)
        assert len(data) <= most
        sizes.append(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR).shape[:2])
    assert sizes[0] == (120, 162)
    assert sizes[-1][0] < 120
    with pytest.raises(UserError, match="10 bytes are too few"):
        jpeg_bytes(picture, 10)


def test_folders_of_any_name_become_different_file_names(tmp_path):
    folders = [tmp_path / "a" / "Dawn Race", tmp_path / "b" / "dawn-race", tmp_path / "…", tmp_path / "c" / "dawn race"]
    assert file_names(folders) == ["dawn-race", "dawn-race-2", "drive", "dawn-race-3"]


@pytest.fixture(scope="module")
def drives(tmp_path_factory):
    root = tmp_path_factory.mktemp("drives")
    assert cli.main(["record", *RACE, "--seconds", "5", "--out", str(root / "drive")]) == 0
    return root


def test_the_best_moment_is_one_that_moves(drives):
    """The race stands on its grid for three seconds."""
    session = open_session(drives / "drive")
    assert best_moment(session, 1.0) >= 3.0
    assert best_moment(session, 60.0) == 0.0


def test_a_gallery_is_a_page_whose_links_lead_to_files_that_fit(capsys, drives, tmp_path):
    out = tmp_path / "docs" / "gallery"
    words = ("--seconds", "0.5", "--preset", "none", "--view", "class", "--look", "storm", "--sheet-kb", "40")
    code = cli.main(["gallery", str(drives / "drive"), str(drives / "drive"), "--out", str(out), *words, "--json"])
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert code == 0
    text = (out / "README.md").read_text()
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert sorted(links) == ["drive-2.jpg", "drive-2.mp4", "drive.jpg", "drive.mp4"]
    assert all((out / link).is_file() for link in links)
    assert "## acorn-loop, storm" in text
    assert "## acorn-loop, golden-hour" in text
    assert (out / "sheet.jpg").stat().st_size <= 40_000
    assert report["bytes"] == sum(file.stat().st_size for file in out.iterdir())
    assert len([*read_video(out / "drive.mp4")]) == 12
    assert not [file for file in out.iterdir() if file.name.startswith(".")]


def test_a_page_says_who_painted():
    still = np.zeros((2, 2, 3), np.uint8)
    exhibits = [Exhibit("a", "ring, storm", "paintover nano", still), Exhibit("b", "ring, dusk", "", still)]
    assert page(exhibits).count("Painted by") == 1
    assert "[![ring, storm](a.jpg)](a.mp4)\n\nPainted by paintover nano.\n" in page(exhibits)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--seconds", "9"), "lasts 5 s, so there are no 9 s from 0 s on"),
        (("--begin", "4.8", "--seconds", "1"), "no 1 s from 4.8 s on"),
        (("--begin", "-1", "--seconds", "1"), "no 1 s from -1 s on"),
        (("--loop-kb", "0"), "--loop-kb must be a positive number"),
        (("--look", "storm", "--look", "storm"), "--look stands 2 times for 1 drives"),
        (("--look", "stormy", "--seconds", "1"), "stormy"),
    ],
)
def test_galleries_that_cannot_be_made_are_refused_before_the_work(capsys, drives, tmp_path, words, said):
    assert cli.main(["gallery", str(drives / "drive"), "--out", str(tmp_path / "g"), "--preset", "none", *words]) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "g").exists()


def test_a_folder_that_is_no_drive_is_refused(capsys, tmp_path):
    assert cli.main(["gallery", str(tmp_path)]) == 2
    assert "no session folder" in capsys.readouterr().err
