"""The renderer as a process of the game: killed and started again, left dead when it keeps dying, never left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from demos.play.paint_plan import PATIENT, PaintPlan, serve_words
from demos.play.renderer_process import MOST_DEATHS, PAUSE_S, RendererProcess
from engine_sim.core.errors import UserError

from .conftest import wait_for

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = "tests.demos.renderer_standin"


@pytest.fixture
def start():
    """Starts stand-ins with a clock that the test sets, and ends them."""
    started = []

    def begin(*words: str, module: str = STAND_IN) -> RendererProcess:
        started.append(RendererProcess(words, lambda: begin.now, module))
        return started[-1]

    begin.now = 0.0
    yield begin
    for process in started:
        process.close()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_is_told_an_address_that_nobody_else_has_and_its_lines_are_kept(start):
    first, second = start("stay"), start("stay")
    assert first.address != second.address
    wait_for(lambda: first.said)
    assert first.said == f"serve --address {first.address} stay"
    assert first.poll() == ""


def test_a_killed_renderer_is_started_again_after_a_pause(start):
    process = start("stay")
    wait_for(lambda: process.said)
    os.kill(process.pid, signal.SIGKILL)
    news = []
    wait_for(lambda: news.append(process.poll()) or news[-1])
    assert news[-1] == "the renderer ended (signal 9); it is started again"
    assert process.poll() == ""
    start.now += PAUSE_S
    assert process.poll() == "the renderer was started again"
    assert alive(process.pid)


def test_one_that_keeps_dying_is_left_alone_and_says_why(start):
    process = start("fail")
    for death in range(1, MOST_DEATHS + 1):
        news = []
        wait_for(lambda: news.append(process.poll()) or news[-1])  # noqa: B023
        assert (death == MOST_DEATHS) == bool(process.given_up)
        start.now += PAUSE_S
        if death < MOST_DEATHS:
            assert process.poll() == "the renderer was started again"
    assert process.given_up == f"the renderer ended {MOST_DEATHS} times (no weights here); it stays off"
    assert process.poll() == ""


def test_deaths_that_lie_far_apart_are_forgiven(start):
    process = start("fail")
    for _ in range(MOST_DEATHS + 1):
        news = []
        wait_for(lambda: news.append(process.poll()) or news[-1])  # noqa: B023
        start.now += 100.0
        assert process.poll() == "the renderer was started again"
    assert process.given_up == ""


def test_input_that_it_refuses_at_its_start_is_the_users_to_mend(start):
    process = start("fail")

    said = []

    def refused() -> bool:
        try:
            process.check()
        except UserError as error:
            said.append(str(error))
        return bool(said)

    wait_for(refused)
    assert said == ["the renderer did not start: no weights here"]


def test_closing_ends_it_even_if_it_does_not_listen_and_clears_up(start):
    process = start("deaf")
    wait_for(lambda: process.said)
    folder = Path(process.address.removeprefix("ipc://")).parent
    assert folder.is_dir()
    process.close()
    assert not alive(process.pid)
    assert not folder.exists()
    process.close()


def test_a_renderer_ends_with_a_game_that_was_killed(tmp_path):
    script = (
        "import sys, time; from demos.play.renderer_process import RendererProcess\n"
        "p = RendererProcess(['--renderer', 'palette'], time.monotonic)\n"
        "while 'serving' not in p.said: time.sleep(0.02)\n"
        "print(p.pid, p.address, flush=True); time.sleep(600)"
    )
    game = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        pid, address = game.stdout.readline().split()
        assert alive(int(pid))
        game.kill()
        game.wait()
        wait_for(lambda: not running(int(pid)), 20)
    finally:
        game.kill()
        game.wait()
        game.stdout.close()
        folder = Path(address.removeprefix("ipc://")).parent
        for path in folder.glob("*"):
            path.unlink()
        folder.rmdir()


def running(pid: int) -> bool:
    """True unless the process is gone, or dead and waiting for a parent that may never come."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_presets_are_words_of_serve():
    assert serve_words(PaintPlan(preset="nano")) == ["--preset", "nano", *PATIENT]
    assert serve_words(PaintPlan(preset="toy", random_weights=True)) == [
        "--preset",
        "toy",
        "--random-weights",
        *PATIENT,
    ]
    assert serve_words(PaintPlan(preset="palette"))[:2] == ["--renderer", "palette"]
