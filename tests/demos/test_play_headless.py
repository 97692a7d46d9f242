"""Play without a screen, the real thing in small: a film that plays, figures that add up, nothing half-written."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from demos import cli
from demos.play import headless
from engine_sim.recording.reader import open_session
from engine_sim.recording.video import read_video
from render_bridge.palette import RACING

WORDS = ("play", "--track", "acorn-loop", "--rivals", "2", "--size", "96x64", "--view", "class", "--seconds", "0.5")


def play(capsys, *words: str) -> tuple[int, dict, str]:
    code = cli.main([*WORDS, *words])
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    return code, json.loads(lines[-1]) if lines else {}, captured.err


def test_a_film_and_its_figures(capsys, tmp_path):
    film = tmp_path / "new" / "race.mp4"
    code, report, _ = play(capsys, "--headless", "--out", str(film))
    assert code == 0
    assert [p.name for p in film.parent.iterdir()] == ["race.mp4"]
    frames = [picture for _, picture in read_video(film)]
    assert len(frames) == report["frames"] == 12
    assert frames[0].shape == (64, 96, 3)
    assert np.abs(frames[0][2, 48].astype(int) - RACING.colors[10]).max() < 12  # sky, upside up
    assert report["game_seconds"] == 0.5
    assert set(report["milliseconds_per_frame"]) == {"rules", "class", "video"}


def test_the_same_seed_drives_the_same_race(capsys, tmp_path):
    hashes = [
        play(capsys, "--headless", "--out", str(tmp_path / "a.mp4"), "--seed", seed)[1]["state_hash"]
        for seed in ("3", "3", "4")
    ]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_film_can_be_recorded_too(capsys, tmp_path):
    session = tmp_path / "drive"
    play(capsys, "--headless", "--out", str(tmp_path / "a.mp4"), "--record", str(session))
    recorded = open_session(session)
    assert recorded.ticks == 60
    assert len(recorded.frames) == 13


def test_without_a_display_play_films_and_says_so(monkeypatch, capsys, tmp_path):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    film = tmp_path / "race.mp4"
    code, report, error = play(capsys, "--out", str(film))
    assert code == 0
    assert film.exists()
    assert error.splitlines() == [f"no display here: filming a scripted race of 0.5 s to {film} instead"]
    assert report["film"] == str(film)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--seconds", "0"), "positive"),
        (("--seconds", "nan"), "positive"),
        (("--size", "97x64"), "divisible by 32"),
        (("--fps", "25"), "25"),
        (("--track", "acorn-lop"), "acorn-loop"),
        (("--look", "golden-our"), "golden-hour"),
        (("--rivals", "16"), "15"),
        (("--laps", "0"), "laps"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(capsys, tmp_path, words, expected):
    film = tmp_path / "sub" / "race.mp4"
    assert cli.main([*WORDS, "--headless", "--out", str(film), *words]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert expected in error
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_refused(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path, tmp_path / "file" / "race.mp4"):
        assert cli.main([*WORDS, "--headless", "--out", str(out)]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_read_only_folder_is_refused_at_once(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    assert cli.main([*WORDS, "--headless", "--out", str(tmp_path / "race.mp4")]) == 2
    assert "read-only" in capsys.readouterr().err


def test_where_not_even_cleaning_up_is_allowed_it_is_one_line(monkeypatch, capsys, tmp_path):
    def refuse(*words, **more):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", refuse)
    monkeypatch.setattr(Path, "replace", refuse)
    assert cli.main([*WORDS, "--headless", "--out", str(tmp_path / "race.mp4")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "Read-only file system" in lines[0]


def test_a_long_film_says_how_far_it_is_in_a_log_too(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(headless, "LOG_SECONDS", 0.01)
    assert cli.main([*WORDS, "--headless", "--out", str(tmp_path / "race.mp4")]) == 0
    error = capsys.readouterr().err
    assert "filming: 100%" in error
    assert "frame/s" in error


def test_headless_play_opens_no_window_library(tmp_path):
    script = (
        "import sys\nfrom demos.cli import main\n"
        f"assert main({[*WORDS, '--headless', '--out', str(tmp_path / 'race.mp4')]!r}) == 0\n"
        "assert 'pygame' not in sys.modules"
    )
    bare = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_AUDIODRIVER")}
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, env=bare, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "ALSA" not in done.stderr
