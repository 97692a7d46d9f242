"""The commands on the bridge, as a user runs them: two terminals, either of them killed and started again."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from websockets.sync.client import connect

from demos import cli
from demos.bridge.engine import Figures
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from engine_sim.views.class_view import open_class_view
from engine_sim.views.scene import build_scene
from render_bridge.gateways.framing import pack, unpack
from render_bridge.protocol.codec import decode, encode
from render_bridge.protocol.events import Lost, PictureTaken
from render_bridge.protocol.messages import Error, Ping
from render_bridge.zmq.engine_end import EngineEnd
from tests.render_bridge.bare_engine import BareEngine
from tests.render_bridge.ends import (
    any_lost,
    draw,
    free_port,
    gather,
    in_time,
    number_in,
    pictures,
    say_hello,
    serving,
)

from .conftest import wait_for

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONUNBUFFERED": "1", "NUMBA_NUM_THREADS": "1"}
TRACK = "acorn-loop"
LONGEST_S = 180.0
BAD_TIMES = ("0", "-1", "nan", "inf")
SMALL = ("--size", "128x64", "--views", "cpu", "--rivals", "1", "--track", TRACK)


@pytest.fixture(scope="module")
def kernels():
    """The engine's kernels, compiled: the first time that takes a minute, which no test of the bridge should count."""
    drive = Drive(RaceSetup(track=TRACK, rivals=1, player="ai"))
    with open_class_view(build_scene(drive.track), 128, 64, backend="cpu") as view:
        for _ in range(5):
            drive.step()
        view.draw(drive.frame())


class Terminal:
    """A command in a process of its own, whose lines can be waited for; killed at the end, or after a long time."""

    def __init__(self, *words, stdout=subprocess.PIPE):
        self.lines = []
        command = [sys.executable, "-m", "demos.cli", *words]
        self.process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stdout=stdout, text=True)
        self._watch = threading.Timer(LONGEST_S, self.process.kill)  # whoever waits finds the end of its output then
        self._watch.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._watch.cancel()
        self.kill()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def wait_for(self, text):
        for line in self.process.stdout:
            self.lines.append(line)
            if text in line:
                return line
        raise AssertionError(f"{text!r} never came, but: {self.lines}")

    def rest(self):
        self.lines += self.process.stdout.readlines()
        return self.process.wait(LONGEST_S)

    def interrupt(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.rest()

    def figures(self):
        return json.loads(self.lines[-1])

    def kill(self):
        self.process.kill()
        self.process.wait()


def serve(address, *words):
    """A palette renderer that listens."""
    server = Terminal("serve", "--renderer", "palette", "--address", address, *words)
    server.wait_for("serving")
    return server


def first_answered(line):
    """Of "the first answers frame 12, …"."""
    return int(line.split("frame ")[1].split(",")[0])


def test_frames_flow_between_two_terminals(address, kernels):
    with (
        serve(address),
        Terminal("engine", "--address", address, *SMALL, "--seconds", "2", "--json") as engine,
    ):
        assert engine.rest() == 0
        figures = engine.figures()
    assert figures["offered"] == 48
    assert figures["frames"] + figures["skipped"] + figures["held"] == 48
    assert 12 <= figures["pictures"] <= figures["frames"]
    assert figures["last_tick"] == 240


def test_recording_over_the_bridge_answers_every_frame(address, kernels, capsys):
    with serve(address, "--chunk", "8", "--first-chunk", "12", "--slow", "80"):  # play would leave out half of them
        words = ("--seconds", "1.5", "--mode", "record", "--json")
        assert cli.main(["engine", "--address", address, *SMALL, *words]) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (figures["offered"], figures["pictures"], figures["skipped"]) == (36, 36, 0)


@pytest.mark.alone
def test_a_killed_renderer_is_found_again_by_the_running_engine(address, kernels):
    """Must show 1: play goes on within 2 s, the step counter is continuous."""
    with Terminal("engine", "--address", address, *SMALL, "--wait", "60", "--json") as engine:
        firsts = []

        def found_again():
            with serve(address):
                began = time.monotonic()
                firsts.append(first_answered(engine.wait_for("pictures come")))
                took = time.monotonic() - began
            engine.wait_for("lost the renderer")
            return took

        found_again()
        in_time(found_again, 2.0)
        with serve(address):
            firsts.append(first_answered(engine.wait_for("pictures come")))
            assert engine.interrupt() == 130
    figures = engine.figures()
    assert figures["losses"] == len(firsts) - 1
    assert [*firsts, figures["last_seq"] + 1] == sorted({*firsts, figures["last_seq"] + 1})
    assert figures["last_seq"] < figures["offered"]
    assert figures["last_tick"] == 5 * figures["offered"]


def test_a_killed_engine_goes_on_where_its_renderer_last_saw_it(address, kernels, tmp_path):
    """Must show 1: the other side, with a file to remember by; the renderer has seen more than the file knows."""
    memory = tmp_path / "memory.json"
    words = ("--address", address, *SMALL, "--memory", str(memory), "--json")
    with serve(address):
        with Terminal("engine", *words) as first:
            first.wait_for("pictures come")
            wait_for(lambda: memory.exists() and json.loads(memory.read_text())["next_seq"] >= 24)
            time.sleep(0.5)  # frames that are in no file
        with Terminal("engine", *words, "--seconds", "1") as second:
            line = second.wait_for("goes on after tick")
            assert second.rest() == 0
    seen = int(line.split("tick ")[1])
    figures = second.figures()
    assert seen >= 120
    assert not [line for line in second.lines if "refused" in line]
    assert figures["offered"] == seen // 5 + 24
    assert figures["last_tick"] == 5 * figures["offered"]
    assert seen // 5 <= figures["first_seq"] < figures["offered"]


@pytest.mark.alone
@pytest.mark.parametrize("command", ["serve", "engine"])
def test_ctrl_c_ends_within_two_seconds(address, kernels, command):
    """Case B78, without a peer."""

    def interrupt():
        engine = ("engine", *SMALL, "--wait", "60", "--address", address)
        with serve(address) if command == "serve" else Terminal(*engine) as terminal:
            if command == "engine":
                terminal.wait_for("waiting for a renderer")
            began = time.monotonic()
            assert terminal.interrupt() == 130
            return time.monotonic() - began

    in_time(interrupt, 2.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_server_says_goodbye(address, number):
    """R-40: silence would take a second, and be called so."""
    with serve(address) as server, EngineEnd(address, say_hello()) as engine:
        engine.wait_open(LONGEST_S)
        assert server.interrupt(number) == 130
        (lost,) = [e for e in gather(engine, any_lost) if isinstance(e, Lost)]
    assert lost.reason.startswith("the renderer ended")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_engine_says_goodbye_and_tells_its_figures(address, kernels, number):
    """R-40: its session is over, not parked."""
    with (
        serving(address) as (end, _),
        Terminal("engine", "--address", address, *SMALL, "--wait", "60", "--json") as engine,
    ):
        engine.wait_for("pictures come")
        assert engine.interrupt(number) == 130
        wait_for(lambda: end.counters()["sessions"] == 0)
    assert engine.figures()["pictures"] >= 1


def test_a_server_whose_output_nobody_reads_serves_on(address):
    """However much a peer makes it say."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write_end, b"." * 4096)
    os.set_blocking(write_end, True)  # the server's stdout is the same pipe
    try:
        with (
            Terminal("serve", "--renderer", "palette", "--address", address, stdout=write_end) as server,
            EngineEnd(address, say_hello()) as engine,
        ):
            engine.wait_open(LONGEST_S)
            with BareEngine(address) as loud:
                for _ in range(500):
                    loud.say([b"rubbish", b"\x80"])
                    engine.events()
                loud.hear(Error)
            engine.offer(draw(3))
            assert number_in(pictures(engine, 1)[0].pixels) == 3
            server.process.send_signal(signal.SIGINT)
            assert server.process.wait(LONGEST_S) == 130
    finally:
        os.close(read_end)
        os.close(write_end)


@pytest.mark.parametrize("words", [[], ["--web", "0"]])
def test_a_server_that_cannot_serve_does_not_say_that_it_does(words, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        assert cli.main(["serve", "--renderer", "palette", "--address", address, *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "in use" in said.err
    assert said.err.count("\n") == 1


def test_browsers_reach_a_renderer_that_wants_keys(tmp_path):
    """The gateway has a pair of its own, which its renderer lets in."""
    for name in ("me", "engine"):
        assert cli.main(["keys", str(tmp_path / name)]) == 0
    address = f"tcp://127.0.0.1:{free_port()}"
    words = ("--keys", str(tmp_path / "me.secret"), "--peer", str(tmp_path / "engine.public"), "--web", "0")
    with serve(address, *words) as server:
        port = server.wait_for("browsers: ").split(":")[-1].strip("/\n")
        with connect(f"ws://127.0.0.1:{port}/") as browser:
            browser.send(pack(encode(Ping(id=1, time=2))))
            assert decode(unpack(browser.recv(timeout=LONGEST_S))).code == 200


def test_check_passes_our_renderer_and_our_engine(address, kernels, capsys):
    """Must show 2."""
    with serve(address, "--planes", "depth", "--chunk", "2"):
        assert cli.main(["check", address, "--patience", "20", "--json"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["broken"] == []
    assert len(report["held"]) >= 38
    with Terminal("engine", "--address", address, *SMALL, "--wait", "60", "--fps", "60"):
        assert cli.main(["check", address, "--engine", "--wait", "60", "--patience", "20"]) == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["serve", "--address", "tcp://10.1.2.3:5000"], "paintover keys"),
        (["serve", "--planes", "normals"], "unknown plane 'normals'"),
        (["serve", "--chunk", "0"], "--chunk must be at least 1"),
        *((["serve", "--slow", bad], "--slow must be at least 0 and at most 60000") for bad in ("-1", "nan", "inf")),
        (["engine", "--wait", "1e300"], "--wait must be at most 86400 seconds"),
        (["serve", "--peer", "x.public"], "--peer without --keys"),
        (["engine", "--address", "ipc:///no/folder/x"], "does not exist"),
        (["engine", "--fps", "25"], "frame rate 25"),
        (["check", "nonsense"], "expected ipc://PATH or tcp://HOST:PORT"),
        (["check", ":5555", "--only", "R-99,R-01"], "no check at this end is about R-99; there are R-01, R-02"),
        (["check", ":5555", "--engine", "--only", "R-21"], "no check at this end is about R-21; there are R-03"),
        (["check", ":5555", "--only", ","], "no rule was named; there are R-01"),
        *((["check", ":5555", "--patience", bad], "--patience must be a positive number") for bad in BAD_TIMES),
        *((["check", ":5555", "--engine", "--wait", bad], "--wait must be a positive number") for bad in BAD_TIMES),
        (["check", ":5555", "--start", "no 'end"], '--start "no \'end": No closing quotation'),
        (["check", ":5555", "--start", "/no/such/program"], "cannot start '/no/such/program': No such file"),
        (["serve", "--address", "tcp://::1:5555"], "write an IPv6 host in brackets, such as tcp://[::1]:5555"),
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


def test_check_of_nobody_says_so_soon_and_holds_nothing(address, capsys):
    began = time.monotonic()
    assert cli.main(["check", address]) == 2
    assert time.monotonic() - began < LONGEST_S / 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.endswith("after 3 s: nobody listens there\n")


def test_check_of_rules_that_cannot_be_tried_here_is_no_success(address, capsys):
    with serving(address):
        assert cli.main(["check", address, "--only", "R-47"]) == 1
    assert capsys.readouterr().out.endswith("0 rules held, 1 not tried, 0 broken\n")


def test_keys_are_written_for_the_two_ends(tmp_path, capsys):
    assert cli.main(["keys", str(tmp_path / "me")]) == 0
    assert "--peer" in capsys.readouterr().out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["me.public", "me.secret"]


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_a_port_that_is_none_is_refused_in_one_line(address, capsys, port):
    assert cli.main(["serve", "--renderer", "palette", "--address", address, "--web", port]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_pictures_without_our_stamps_cost_their_figures_only():
    figures = Figures()
    figures.take(PictureTaken(0, 5, 0, np.zeros((2, 2, 3), np.uint8), {}, {}), 0)
    assert figures.summary()["pictures"] == 1
    assert figures.summary()["input_to_picture_ms"] is None
