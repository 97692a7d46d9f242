"""The whole program on a desktop: drive with keys, stall, lose the focus, leave; the recording replays exactly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from engine_sim.recording.reader import open_session
from engine_sim.recording.replay import replay_session
from render_bridge.palette import RACING, ROAD

from .conftest import wait_for

ROOT = Path(__file__).resolve().parents[2]
COUNTDOWN = 360


def start(desktop, session: Path) -> subprocess.Popen:
    words = ("play", "--track", "acorn-loop", "--rivals", "2", "--view", "class", "--size", "96x64")
    return subprocess.Popen(
        [sys.executable, "-m", "demos.cli", *words, "--record", str(session)],
        cwd=ROOT, env=desktop.environment(), start_new_session=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.alone
def test_a_drive_with_keys_stall_and_lost_focus_replays_exactly(desktop, tmp_path):
    session = tmp_path / "drive"
    process = start(desktop, session)
    try:
        wait_for(lambda: (session / "session.json").exists() or process.poll() is not None, 180)
        assert process.poll() is None
        desktop.xdotool("mousemove", "640", "400", "keydown", "Up")
        time.sleep(4.0)
        seen = desktop.pixels().reshape(-1, 3)  # recording draws class maps beside the window's own picture
        assert np.mean(np.all(seen == RACING.colors[ROAD], axis=1)) > 0.02
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(process.pid, signal.SIGCONT)
        time.sleep(1.0)
        desktop.xdotool("mousemove", "1279", "799", "windowfocus", "1")
        time.sleep(0.5)
        desktop.xdotool("keyup", "Up", "mousemove", "640", "400")
        time.sleep(0.5)
        desktop.xdotool("key", "--delay", "100", "Escape", "Up", "Return")
        out, _ = process.communicate(timeout=20)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert process.returncode == 0
    assert "left out" in out
    recorded = open_session(session)
    throttle = [controls.throttle for controls in recorded.inputs]
    assert throttle.count(1.0) > COUNTDOWN
    assert throttle[-1] == 0.0  # let go with the focus, before the key itself came up
    assert any(event.kind == "gap" and event.value > 60 for event in recorded.events)
    assert recorded.header.finished.reason == "done"
    report = replay_session(session, progress=False)
    assert report.identical, report.lines()


def test_a_taken_folder_is_refused_before_the_race(desktop, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("keep")
    done = subprocess.run(
        [sys.executable, "-m", "demos.cli", "play", "--track", "acorn-loop", "--size", "96x64", "--view", "class",
         "--record", str(tmp_path / "mine")],
        cwd=ROOT, env=desktop.environment(), capture_output=True, text=True, timeout=180,
    )  # fmt: skip
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["letter.txt"]
