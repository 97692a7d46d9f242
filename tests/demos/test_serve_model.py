"""The model behind a socket: whole loops over ipc, controls with both receipts, faults that stay in their session."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from demos import cli
from diffusion_render.model.bundle import save_renderer
from diffusion_render.model.weights import WeightsHeader
from render_bridge.palette import RACING
from render_bridge.protocol.events import Opened, PictureTaken, ReceiptTaken, Refused
from render_bridge.zmq.engine_end import EngineEnd
from tests.demos.renderer_toys import FIRST, RUN, SIDE, drawn, greeting, look, toy_factory
from tests.render_bridge.ends import PATIENCE_S, gather, pictures, serving

ROOT = Path(__file__).parents[2]
WAIT_S = 60.0
TOY = ("--preset", "toy", "--random-weights", "--threads", "1")


@pytest.fixture(scope="module")
def factory():
    return toy_factory()


@contextlib.contextmanager
def playing(end):
    """An engine that draws 100 frames a second, in a thread, until the block ends."""
    stop = threading.Event()

    def drive():
        number = 0
        while not stop.wait(0.01):
            end.offer(drawn(number % 500))
            number += 1

    thread = threading.Thread(target=drive, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(PATIENCE_S)


def record(end, count):
    """The pictures of so many frames, none skipped."""
    made, offered = [], 0
    give_up = time.monotonic() + WAIT_S
    while len(made) < count:
        assert time.monotonic() < give_up, f"{len(made)} of {count} pictures came"
        if offered < count and end.counters()["held"] < 4:
            end.offer(drawn(offered))
            offered += 1
        made += [e for e in end.events(0.005) if isinstance(e, PictureTaken)]
    return made


def receipts(end, number):
    """Both receipts of a control."""

    def settled(events):
        return any(
            isinstance(e, ReceiptTaken) and e.receipt.id == number and e.receipt.stage != "received" for e in events
        )

    events = gather(end, settled, WAIT_S)
    return [e.receipt for e in events if isinstance(e, ReceiptTaken) and e.receipt.id == number]


def test_the_greeting_says_what_the_model_can_do(factory, address):
    with serving(address, factory=factory), EngineEnd(address, greeting()) as end:
        welcome = end.wait_open(PATIENCE_S)
    assert (welcome.run, welcome.first_run, welcome.planes) == (RUN, FIRST, ("depth",))
    assert welcome.notes == (
        "toy (random weights, it has learnt nothing) on cpu in float32, 1 threads",
        "toy was made for 64x64; other sizes are drawn as well as it can",
    )


def test_a_size_that_is_no_multiple_of_32_is_told_the_nearest(factory, address):
    with serving(address, factory=factory), EngineEnd(address, greeting(width=674, height=389)) as end:
        events = gather(end, lambda found: any(isinstance(e, Refused) for e in found))
    refusal = next(e for e in events if isinstance(e, Refused))
    assert (refusal.code, refusal.details["nearest"]) == (202, [672, 384])


def test_a_recording_gets_a_picture_for_every_frame_in_windows_of_7_and_2_units(factory, address):
    count = FIRST + 2 * RUN
    with serving(address, factory=factory), EngineEnd(address, greeting(mode="record")) as end:
        made = record(end, count)
    assert [p.seq for p in made] == list(range(count))
    assert [p.chunk for p in made] == [0] * FIRST + [1] * RUN + [2] * RUN
    assert made[0].pixels.shape == (SIDE, SIDE, 3)


def test_play_skips_frames_between_chunks_only(factory, address):
    with serving(address, factory=factory), EngineEnd(address, greeting()) as end, playing(end):
        made = pictures(end, FIRST + 3 * RUN, WAIT_S)
    by_chunk = {}
    for p in made:
        by_chunk.setdefault(p.chunk, []).append(p.seq)
    assert len(by_chunk[0]) == FIRST
    assert all(np.diff(seqs).tolist() == [1] * (len(seqs) - 1) for seqs in by_chunk.values())
    assert all(p.renderer_stamps["rendered"] >= p.renderer_stamps["started"] for p in made)


def test_every_kind_of_control_gets_both_receipts(factory, address):
    given = look(3)
    with serving(address, factory=factory), EngineEnd(address, greeting()) as end, playing(end):
        assert len(pictures(end, FIRST, WAIT_S)) >= FIRST
        controls = {
            "look": lambda: end.control("look", width=SIDE, height=SIDE, buffers=given.buffers, text="dusk"),
            "prompt": lambda: end.control("prompt", text="rain"),
            "schedule": lambda: end.control("schedule", schedule={"chunk": 1, "steps": 1}),
            "reset": lambda: end.reset(5),
        }
        for name, send in controls.items():
            got = receipts(end, send())
            assert [r.stage for r in got] == ["received", "in_force"], name
            after = [p for p in pictures(end, 1, WAIT_S) if p.chunk >= got[1].chunk]
            assert after or pictures(end, RUN, WAIT_S)[-1].chunk >= got[1].chunk, name


def test_a_schedule_changes_how_many_frames_are_asked_for(factory, address):
    with serving(address, factory=factory), EngineEnd(address, greeting()) as end, playing(end):
        number = end.control("schedule", schedule={"chunk": 1})
        assert receipts(end, number)[-1].stage == "in_force"
        made = pictures(end, FIRST + 4 * RUN, WAIT_S)
    counts = [sum(p.chunk == c for p in made) for c in sorted({p.chunk for p in made})]
    assert 4 in counts[1:-1]
    assert set(counts[2:-1]) <= {4}


@pytest.mark.parametrize(
    ("kind", "values", "text"),
    [
        ("schedule", {"schedule": {"colour": 3}}, "no 'colour' to change"),
        ("look", {"width": 8, "height": 8, "buffers": (bytes(192), bytes(64))}, "at least 16"),
        ("look", {"width": 32, "height": 32, "buffers": (bytes(3072), b"\xff" * 1024)}, "holds 255 at row 0, column 0"),
    ],
)
def test_a_control_that_makes_no_sense_is_refused_with_the_reason(factory, address, kind, values, text):
    with serving(address, factory=factory), EngineEnd(address, greeting()) as end, playing(end):
        got = receipts(end, end.control(kind, **values))
        assert [r.stage for r in got] == ["received", "refused"]
        assert text in got[1].text
        assert pictures(end, RUN, WAIT_S)


def test_weights_that_are_not_numbers_fail_runs_and_nothing_else(address):
    factory = toy_factory()
    weight = factory.model.generator.out.weight
    healthy = weight.clone()
    with serving(address, factory=factory), EngineEnd(address, greeting()) as end, playing(end):
        weight.fill_(torch.nan)
        events = gather(end, lambda found: any(isinstance(e, Refused) for e in found), WAIT_S)
        refusal = next(e for e in events if isinstance(e, Refused))
        assert (refusal.code, refusal.fatal) == (400, False)
        assert "NaN" in refusal.text
        assert not any(isinstance(e, PictureTaken) for e in events)
        weight.copy_(healthy)
        assert len(pictures(end, RUN, WAIT_S)) >= RUN


def test_two_engines_at_once_get_what_each_would_alone(factory, tmp_path):
    count = FIRST + RUN
    made = {}

    def drive(name, address):
        with EngineEnd(address, greeting(mode="record")) as end:
            number = end.control("look", width=SIDE, height=SIDE, buffers=look(len(name)).buffers)
            assert number > 0
            made[name, address] = record(end, count)

    together, alone = f"ipc://{tmp_path}/a.sock", f"ipc://{tmp_path}/b.sock"
    with serving(together, factory=factory):
        threads = [threading.Thread(target=drive, args=(n, together)) for n in ("x", "yy")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)
    with serving(alone, factory=factory):
        drive("x", alone)
        drive("yy", alone)
    for name in ("x", "yy"):
        pairs = zip(made[name, together], made[name, alone], strict=True)
        assert all(np.array_equal(a.pixels, b.pixels) for a, b in pairs), name
    assert not np.array_equal(made["x", alone][-1].pixels, made["yy", alone][-1].pixels)


class Server:
    """``paintover serve`` in a process of its own, with the lines that it printed."""

    def __init__(self, address, *words):
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "demos.cli", "serve", "--address", address, *words]
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line)
            if line.startswith("serving"):
                break

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def test_a_model_that_is_killed_and_started_again_goes_on_painting(address):
    with EngineEnd(address, greeting()) as end, playing(end):
        with Server(address, *TOY) as first:
            assert first.lines[-1].startswith("serving toy (random weights, it has learnt nothing) on cpu in ")
            before = pictures(end, FIRST + RUN, WAIT_S)
        with Server(address, *TOY):
            events = gather(end, lambda found: any(isinstance(e, Opened) for e in found), WAIT_S)
            assert events
            after = pictures(end, FIRST + RUN, WAIT_S)
    assert len(before) >= FIRST + RUN
    assert len(after) >= FIRST + RUN
    assert after[0].seq > before[-1].seq


def toy_weights(folder):
    """A file of the toy preset, and its path."""
    model = toy_factory().model
    from dataclasses import asdict

    header = WeightsHeader("renderer", "toy", "none", "euler", RACING.hash, asdict(model.config), "random numbers")
    folder.mkdir()
    save_renderer(folder / "toy.safetensors", model, header)
    return folder / "toy.safetensors"


def test_weights_that_do_not_fit_are_one_line_and_exit_code_2(tmp_path, address, capsys):
    path = toy_weights(tmp_path / "weights")
    whole = path.read_bytes()

    def refusal(preset):
        words = ["serve", "--address", address, "--preset", preset, "--weights", str(path.parent), "--threads", "1"]
        assert cli.main(words) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        return error

    assert "nano.safetensors" in refusal("nano")
    path.with_name("nano.safetensors").write_bytes(whole)
    assert "'nano'" in refusal("nano")
    path.write_bytes(whole[:-100])
    assert "toy.safetensors" in refusal("toy")
    table = RACING.hash.encode()
    path.write_bytes(whole.replace(table, bytes(reversed(table))))
    assert "class_table" in refusal("toy")
