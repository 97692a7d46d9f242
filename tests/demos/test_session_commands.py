"""Recording, replaying and surveying when something is amiss: the right word, the right exit code."""

import os
import signal
import subprocess
import sys

import pytest

from demos import cli
from engine_sim.core.errors import UserError
from engine_sim.recording import render_pool
from engine_sim.recording.reader import open_session
from engine_sim.recording.record import Views

SMALL = ("--track", "acorn-loop", "--rivals", "1", "--size", "64x32", "--views", "cpu", "--quiet")


def stop_after(monkeypatch, frames):
    draw, calls = Views.draw, []

    def pressed(self, frame):
        calls.append(frame.tick)
        if len(calls) == frames:
            signal.raise_signal(signal.SIGTERM)
        return draw(self, frame)

    monkeypatch.setattr(Views, "draw", pressed)


def test_a_stopped_recording_says_so_and_is_a_valid_shorter_session(monkeypatch, capsys, tmp_path):
    folder = tmp_path / "s"
    stop_after(monkeypatch, 3)
    assert cli.main(["record", *SMALL, "--seconds", "5", "--out", str(folder)]) == 130
    assert "stopped early" in capsys.readouterr().out
    assert open_session(folder).ticks == 15
    assert cli.main(["replay", str(folder), "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "identical"


def test_a_drive_without_a_look_is_drawn_under_one_that_is_named(capsys, tmp_path):
    folder = tmp_path / "s"
    assert cli.main(["record", *SMALL, "--seconds", "0.2", "--out", str(folder)]) == 0
    capsys.readouterr()
    assert cli.main(["replay", str(folder), "--render", "--views", "cpu", "--quiet"]) == 0
    assert "drawn under golden-hour; --look takes another" in capsys.readouterr().out
    assert open_session(tmp_path / "s-rendered").header.look is not None


def test_a_file_in_the_place_of_the_session_is_called_a_file(capsys, tmp_path):
    (tmp_path / "s").write_text("mine")
    assert cli.main(["record", *SMALL, "--seconds", "1", "--out", str(tmp_path / "s")]) == 2
    assert "is a file" in capsys.readouterr().err


def test_clips_without_opengl_leave_nothing_behind(monkeypatch, capsys, tmp_path):
    def refuse():
        raise UserError("no OpenGL 4.3 through EGL")

    monkeypatch.setattr(render_pool, "open_gl", refuse)
    assert cli.main(["clips", str(tmp_path / "c"), "--count", "1"]) == 2
    assert capsys.readouterr().err.splitlines() == ["paintover clips: no OpenGL 4.3 through EGL"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["--survey", "--race"])
def test_a_broken_circuit_is_named_and_the_others_go_on(monkeypatch, capsys, tmp_path, mode):
    folder = tmp_path / "road" / "broken-one"
    folder.mkdir(parents=True)
    (folder / "broken-one.xml").write_text("<params")
    monkeypatch.setenv("PAINTOVER_TORCS", str(tmp_path))
    assert cli.main(["tracks", "torcs:broken-one", "coin-bowl", mode]) == 2
    captured = capsys.readouterr()
    assert "coin-bowl" in captured.out
    assert "paintover tracks: torcs:broken-one: " in captured.err


def test_settings_that_numba_refuses_are_one_line(tmp_path):
    words = [sys.executable, "-m", "demos.cli", "replay", str(tmp_path)]
    env = {**os.environ, "NUMBA_NUM_THREADS": "0"}
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "NUMBA_" in done.stderr
