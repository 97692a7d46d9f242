"""The commands on the bridge, as a user runs them: two terminals, either of them killed and started again."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from demos import cli
from demos.bridge.memory import Memory, read_memory, write_memory
from engine_sim.core.errors import UserError
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": "1", "NUMBA_NUM_THREADS": "1"}
TRACK = "kestrel-valley"
SMALL = ("--size", "128x64", "--views", "cpu", "--rivals", "1", "--track", TRACK)


@pytest.fixture
def address(tmp_path):
    return f"ipc://{tmp_path}/bridge.sock"


class Terminal:
    """A command in a process of its own, whose lines can be waited for."""

    def __init__(self, *words):
        self.lines = []
        command = [sys.executable, "-m", "demos.cli", *words]
        self.process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def wait_for(self, text):
        for line in self.process.stdout:
            self.lines.append(line)
            if text in line:
                return line
        raise AssertionError(f"{text!r} never came, but: {self.lines}")

    def rest(self):
        self.lines += self.process.stdout.readlines()
        return self.process.wait(20)

    def kill(self):
        self.process.kill()
        self.process.wait()


def test_frames_flow_between_two_terminals(address):
    with Terminal("serve", "--address", address) as server:
        server.wait_for("serving")
        with Terminal("engine", "--address", address, *SMALL, "--seconds", "2", "--json") as engine:
            assert engine.rest() == 0
        figures = json.loads(engine.lines[-1])
    assert figures["offered"] == 48
    assert figures["pictures"] >= 40
    assert figures["frames"] + figures["skipped"] == 48
    assert figures["last_tick"] == 240


def test_recording_over_the_bridge_answers_every_frame(address):
    with Terminal("serve", "--address", address, "--chunk", "8", "--first-chunk", "12") as server:
        server.wait_for("serving")
        words = ("--seconds", "3", "--mode", "record", "--json")
        with Terminal("engine", "--address", address, *SMALL, *words) as engine:
            assert engine.rest() == 0
    figures = json.loads(engine.lines[-1])
    assert (figures["offered"], figures["pictures"], figures["skipped"]) == (72, 72, 0)


def test_a_killed_renderer_is_found_again_by_the_running_engine(address):
    """Must show 1: play goes on within 2 s, the step counter is continuous."""
    first = Terminal("serve", "--address", address)
    with first:
        first.wait_for("serving")
        with Terminal("engine", "--address", address, *SMALL, "--seconds", "6", "--json") as engine:
            engine.wait_for("serves us")
            time.sleep(0.5)
            first.kill()
            engine.wait_for("lost the renderer")
            with Terminal("serve", "--address", address) as second:
                second.wait_for("serving")
                began = time.monotonic()
                engine.wait_for("serves us")
                assert time.monotonic() - began < 2
                assert engine.rest() == 0
    figures = json.loads(engine.lines[-1])
    assert figures["losses"] == 1
    assert figures["last_seq"] == figures["offered"] - 1
    assert figures["last_tick"] == 5 * figures["offered"]


def test_a_killed_engine_goes_on_where_its_renderer_last_saw_it(address, tmp_path):
    """Must show 1: the other side, with a file to remember by."""
    words = ("--address", address, *SMALL, "--memory", str(tmp_path / "memory.json"), "--json")
    with Terminal("serve", "--address", address) as server:
        server.wait_for("serving")
        with Terminal("engine", *words) as first:
            first.wait_for("serves us")
            time.sleep(2.5)
            first.kill()
        with Terminal("engine", *words, "--seconds", "1") as second:
            line = second.wait_for("goes on after tick")
            assert second.rest() == 0
        figures = json.loads(second.lines[-1])
    seen = int(line.split("tick ")[1])
    assert seen >= 120
    assert figures["last_tick"] == seen + 24 * 5
    assert figures["first_seq"] == seen // 5


@pytest.mark.parametrize("command", ["serve", "engine"])
def test_ctrl_c_ends_within_two_seconds(address, command):
    """Case B78, without a peer."""
    words = ("serve",) if command == "serve" else ("engine", *SMALL, "--wait", "60")
    with Terminal(*words, "--address", address) as terminal:
        if command == "serve":
            terminal.wait_for("serving")
        else:
            time.sleep(4)
        terminal.process.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert terminal.process.wait(10) == 130
        assert time.monotonic() - began < 2


def test_check_passes_our_renderer_and_our_engine(address, capsys):
    """Must show 2."""
    with Terminal("serve", "--address", address, "--planes", "depth", "--chunk", "2") as server:
        server.wait_for("serving")
        assert cli.main(["check", address, "--patience", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["broken"] == []
    assert len(report["held"]) >= 38
    with Terminal("engine", "--address", address, *SMALL, "--wait", "60", "--fps", "60"):
        assert cli.main(["check", address, "--engine", "--wait", "60", "--patience", "1"]) == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["serve", "--address", "tcp://10.1.2.3:5000"], "paintover keys"),
        (["serve", "--planes", "normals"], "unknown plane 'normals'"),
        (["serve", "--chunk", "0"], "--chunk must be at least 1"),
        (["serve", "--peer", "x.public"], "--peer without --keys"),
        (["engine", "--address", "ipc:///no/folder/x"], "does not exist"),
        (["engine", "--fps", "25"], "frame rate 25"),
        (["check", "nonsense"], "expected ipc://PATH or tcp://HOST:PORT"),
        (["check", "ipc:///tmp/nobody-greets.sock", "--engine", "--wait", "0.1"], "no engine greeted"),
        (["keys", "/no/such/folder/me"], "cannot write keys"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(words, text, capsys):
    assert cli.main(words) == 2
    captured = capsys.readouterr()
    assert text in captured.err
    assert captured.err.count("\n") == 1


def test_an_engine_without_a_renderer_says_what_to_start(address, capsys):
    assert cli.main(["engine", "--address", address, *SMALL, "--wait", "0.2"]) == 2
    assert "start one: paintover serve" in capsys.readouterr().err


def test_check_of_nobody_is_exit_code_1(address):
    assert cli.main(["check", address, "--only", "R-11", "--patience", "0.1"]) == 1


def test_keys_are_written_for_the_two_ends(tmp_path, capsys):
    assert cli.main(["keys", str(tmp_path / "me")]) == 0
    assert "--peer" in capsys.readouterr().out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["me.public", "me.secret"]


def test_a_drive_is_remembered_exactly(tmp_path):
    setup = RaceSetup(track=TRACK, rivals=1, player="ai")
    drive, later = Drive(setup), Drive(setup)
    for _ in range(50):
        drive.step()
    path = tmp_path / "memory.json"
    memory = Memory(bytes(range(16)), 3, 10)
    write_memory(path, setup, "chase", drive, memory)
    assert read_memory(path, setup, "chase", later) == memory
    for _ in range(50):
        drive.step()
        later.step()
    assert drive.world.hash() == later.world.hash()
    assert drive.rig.hash() == later.rig.hash()


def test_memory_of_another_race_is_passed_over_and_rubbish_refused(tmp_path):
    setup = RaceSetup(track=TRACK, rivals=1, player="ai")
    drive = Drive(setup)
    path = tmp_path / "memory.json"
    write_memory(path, setup, "chase", drive, Memory(None, 0, 0))
    assert read_memory(path, setup, "cockpit", drive) is None
    assert read_memory(tmp_path / "none", setup, "chase", drive) is None
    for rubbish in ("", "{}", "[1]", '{"format": "x"}', path.read_text()[:-20]):
        path.write_text(rubbish)
        with pytest.raises(UserError, match="memory"):
            read_memory(path, setup, "chase", drive)
