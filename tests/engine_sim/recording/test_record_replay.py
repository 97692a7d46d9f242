"""Recording real races and replaying them: everything comes out again, and any change is found where it begins."""

import dataclasses
import json
import math
import os
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.racing.controls import Controls
from engine_sim.racing.world import RaceSetup
from engine_sim.recording import records
from engine_sim.recording.drive import Drive, setup_from_json
from engine_sim.recording.reader import open_session
from engine_sim.recording.record import Recorder, RecordOptions, Views, record_session
from engine_sim.recording.record_log import frame_record, log_head, scan_log
from engine_sim.recording.replay import render_session, replay_session
from engine_sim.recording.session_format import json_checksum
from engine_sim.tracks.catalogue import track_names
from engine_sim.views.look import sample_look

TRACK = track_names()[0]
SETUP = RaceSetup(TRACK, seed=5, rivals=3, player="human")
SIZE = (96, 64)


def record(out, seconds=0.5, **changes):
    options = {"size": SIZE, "views": "cpu", "progress": False, **changes}
    return record_session(SETUP, out, seconds, **options)


@pytest.fixture(scope="module")
def drive_folder(tmp_path_factory):
    """Four seconds: countdown, green light, the first metres."""
    return record(tmp_path_factory.mktemp("drive") / "d", 4.0)


def test_a_recorded_drive_replays_identically(drive_folder):
    report = replay_session(drive_folder, progress=False)
    assert report.identical, report.lines()
    assert (report.ticks, report.frames) == (481, 96)
    assert report.lines() == ["481 states: identical", "96 class maps: identical"]


def test_file_time_is_simulation_time(drive_folder):
    session = open_session(drive_folder)
    assert len(session.frames) == 4 * 24
    assert [f.frame.tick for f in session.frames] == [5 * k for k in range(96)]
    assert session.timeline().length == 4.0
    assert session.header.setup["player"] == "ai"
    phases = [(e.start, e.value) for e in session.timeline().entries if e.kind == "phase"]
    assert (3.0, 2.0) in phases


def test_replay_is_identical_without_vector_units_and_with_other_thread_counts(drive_folder):
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    present = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    code = (
        "import sys; from engine_sim.recording.replay import replay_session;"
        "report = replay_session(sys.argv[1], progress=False);"
        "print(*report.lines(), sep='\\n'); sys.exit(not report.identical)"
    )
    env = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(present), "NUMBA_NUM_THREADS": "1",
           "OMP_NUM_THREADS": "3", "PYTHONHASHSEED": "1"}  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-c", code, str(drive_folder)],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(("fps", "camera"), [(60, "cockpit"), (40, "trackside"), (30, "chase")])
def test_every_rate_and_camera_replays(tmp_path, fps, camera):
    record(tmp_path / "d", 0.2, fps=fps, camera=camera)
    report = replay_session(tmp_path / "d", progress=False)
    assert report.identical, report.lines()
    assert report.frames == round(0.2 * fps)


def copy_of(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def rewrite(path, kind, size, index, payload):
    owner = open_session(path.parent).header.session_id
    payloads = scan_log(path, kind, size, owner=owner).payloads()
    payloads[index] = payload
    path.write_bytes(log_head(kind, size, owner) + b"".join(frame_record(p) for p in payloads))


def rewrite_header(folder, **changes):
    path = folder / "session.json"
    fields = {**json.loads(path.read_text()), **changes}
    fields["checksum"] = json_checksum({k: v for k, v in fields.items() if k != "checksum"})
    path.write_text(json.dumps(fields))


def test_a_changed_input_is_found_at_its_tick_and_column(drive_folder, tmp_path):
    """The agent drives, so of the controls only a reset reaches the car; it moves the car one tick later."""
    folder = copy_of(drive_folder, tmp_path)
    payload = records.pack_controls(400, Controls(reset=True))
    rewrite(folder / "inputs.log", "inputs", records.INPUT_SIZE, 400, payload)
    report = replay_session(folder, progress=False)
    assert report.first_tick == 401
    assert any(name.startswith(("marks", "cars")) for name in report.fields)
    assert "states part at tick 401; it differs in" in report.lines()[0]
    assert not report.identical


def test_a_changed_map_hash_is_found_at_its_frame(drive_folder, tmp_path):
    folder = copy_of(drive_folder, tmp_path)
    session = open_session(folder)
    size = records.frame_size(session.header.cars)
    changed = dataclasses.replace(session.frames[7], map_hash="00" * 8)
    rewrite(folder / "frames.log", "frames", size, 7, records.pack_frame(changed))
    report = replay_session(folder, progress=False)
    assert (report.first_tick, report.first_frame) == (None, 7)
    assert "class maps part at frame 7" in report.lines()[1]


def test_a_changed_camera_is_found_at_its_frame(drive_folder, tmp_path):
    folder = copy_of(drive_folder, tmp_path)
    rewrite_header(folder, camera="cockpit")
    report = replay_session(folder, views="none", progress=False)
    assert (report.first_tick, report.first_frame, report.frames) == (None, 0, 0)


def test_maps_of_another_renderer_are_compared_by_pixels(drive_folder, tmp_path):
    folder = copy_of(drive_folder, tmp_path)
    rewrite_header(folder, renderer="some graphics card")
    report = replay_session(folder, views="cpu", progress=False)
    assert not report.maps_comparable
    assert report.identical
    assert report.different_pixels == 0.0
    assert "another renderer drew them" in report.lines()[1]


def test_a_changed_track_is_named(drive_folder, tmp_path):
    folder = copy_of(drive_folder, tmp_path)
    rewrite_header(folder, track_hash="00" * 8, scene_hash="00" * 8)
    report = replay_session(folder, progress=False)
    assert not report.identical
    assert [TRACK in line for line in report.problems] == [True, True]


def test_a_recording_cut_short_replays_up_to_there(drive_folder, tmp_path):
    folder = copy_of(drive_folder, tmp_path)
    data = (folder / "hashes.log").read_bytes()
    (folder / "hashes.log").write_bytes(data[: len(data) // 2])
    report = replay_session(folder, progress=False)
    assert report.first_tick is None
    assert 200 < report.ticks < 260
    assert not report.identical
    assert any("hashes.log" in line for line in report.problems)


def test_live_inputs_come_back_with_every_bit(tmp_path):
    """A player who steers with keys and sticks, resets, and whose window stalls once."""
    drive = Drive(dataclasses.replace(SETUP, automatic=False))
    options = RecordOptions(width=96, height=64)
    given = []
    with Views(drive, options, "cpu") as views:
        recorder = Recorder(tmp_path / "d", drive, options, views.classes)
        for index in range(20):
            if index != 7:  # A frame that was never drawn.
                recorder.frame(drive.frame(), *views.draw(drive.frame()))
            else:
                recorder.gap(33)
            for _ in range(recorder.ticks_per_frame):
                t = drive.tick
                controls = Controls(math.sin(t * 0.7), 1.0, 0.0, 0.0, t % 3 - 1, t == 60, t % 2 == 0)
                drive.step(controls)
                recorder.step(controls)
                given.append(controls)
        recorder.finish()
        recorder.finish()
    session = open_session(tmp_path / "d")
    assert list(session.inputs) == given
    assert len(session.frames) == 19
    assert [e.value for e in session.events if e.kind == "gap"] == [33.0]
    assert replay_session(tmp_path / "d", progress=False).identical


def test_a_recording_starts_with_its_race(tmp_path):
    drive = Drive(SETUP)
    drive.step()
    options = RecordOptions(width=96, height=64)
    with Views(drive, options, "cpu") as views, pytest.raises(UserError, match="expected tick 0, got 1"):
        Recorder(tmp_path / "d", drive, options, views.classes)
    assert os.listdir(tmp_path) == []


def test_a_wrong_first_frame_leaves_nothing_behind(tmp_path):
    drive = Drive(SETUP)
    options = RecordOptions(width=96, height=64)
    with Views(drive, options, "cpu") as views:
        recorder = Recorder(tmp_path / "d", drive, options, views.classes)
        with pytest.raises(UserError, match="expected a class map"):
            recorder.frame(drive.frame(), np.zeros((64, 64), np.uint8))
    assert os.listdir(tmp_path) == []


def test_a_wrong_frame_ends_a_live_recording_in_order(tmp_path):
    drive = Drive(SETUP)
    options = RecordOptions(width=96, height=64)
    with Views(drive, options, "cpu") as views:
        recorder = Recorder(tmp_path / "d", drive, options, views.classes)
        with pytest.raises(RuntimeError, match="tick 0 before the first step"):
            recorder.step(Controls())
        recorder.frame(drive.frame(), views.classes.draw(drive.frame()))
        for _ in range(recorder.ticks_per_frame):
            drive.step()
            recorder.step(Controls())
        with pytest.raises(UserError, match="expected a class map"):
            recorder.frame(drive.frame(), np.zeros((64, 64), np.uint8))
    session = open_session(tmp_path / "d")
    assert session.header.finished == (5, 1, len(session.events), "interrupted")
    assert replay_session(tmp_path / "d", progress=False).identical


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"size": (97, 64)}, "width 97 is not a multiple of 32"),
        ({"fps": 25}, "frame rate 25"),
        ({"camera": "drone"}, "unknown camera 'drone'"),
        ({"views": "vulkan"}, "unknown backend 'vulkan'"),
        ({"seconds": 0.0}, "seconds must be"),
        ({"seconds": math.nan}, "seconds must be"),
        ({"seconds": math.inf}, "seconds must be"),
        ({"teacher": True}, "needs a look"),
        ({"teacher": "gif"}, "teacher must be one of"),
    ],
)
def test_bad_arguments_leave_nothing_behind(tmp_path, changes, words):
    with pytest.raises(UserError, match=words) as caught:
        record(tmp_path / "d", **changes)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_an_unknown_track_leaves_nothing_behind(tmp_path):
    with pytest.raises(UserError, match="no-such"):
        record_session(RaceSetup("no-such"), tmp_path / "d", 1.0, progress=False)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_stop_leaves_a_whole_session(tmp_path, monkeypatch, number):
    draw, calls = Views.draw, []

    def pressed(self, frame):
        calls.append(frame.tick)
        if len(calls) == 3:
            signal.raise_signal(number)
        return draw(self, frame)

    monkeypatch.setattr(Views, "draw", pressed)
    before = signal.getsignal(number)
    record(tmp_path / "d", 4.0)
    assert signal.getsignal(number) is before
    session = open_session(tmp_path / "d")
    assert session.header.finished == (15, 3, len(session.events), "interrupted")
    assert session.problems == ()
    assert replay_session(tmp_path / "d", progress=False).identical


def test_an_error_in_a_view_leaves_a_whole_session(tmp_path, monkeypatch):
    draw = Views.draw

    def breaks(self, frame):
        if frame.tick >= 10:
            raise RuntimeError("device lost")
        return draw(self, frame)

    monkeypatch.setattr(Views, "draw", breaks)
    with pytest.raises(RuntimeError, match="device lost"):
        record(tmp_path / "d", 4.0)
    monkeypatch.setattr(Views, "draw", draw)
    assert open_session(tmp_path / "d").header.finished[:2] == (10, 2)
    assert replay_session(tmp_path / "d", progress=False).identical


def test_rendering_anew_keeps_the_drive_and_changes_the_picture(drive_folder, tmp_path):
    render_session(
        drive_folder, tmp_path / "e", size=(128, 96), camera="trackside", fps=30, teacher="none", views="cpu",
        progress=False,
    )  # fmt: skip
    old, new = open_session(drive_folder), open_session(tmp_path / "e")
    assert new.hashes == old.hashes
    assert new.inputs == old.inputs
    assert new.class_map(0).shape == (96, 128)
    assert len(new.frames) == 120
    assert replay_session(tmp_path / "e", progress=False).identical


def test_rendering_anew_with_a_teacher_needs_a_look(drive_folder, tmp_path):
    with pytest.raises(UserError, match="needs a look"):
        render_session(drive_folder, tmp_path / "e", progress=False)
    assert os.listdir(tmp_path) == []


def test_the_teacher_view_is_recorded_and_rendered_anew(tmp_path):
    look = sample_look(1, "golden hour")
    record(tmp_path / "d", 3 / 24, teacher="lossless", look=look)
    pictures = [rgb for _, rgb in open_session(tmp_path / "d").teacher_frames()]
    assert [p.shape for p in pictures] == [(64, 96, 3)] * 3
    assert pictures[0].std() > 5
    render_session(tmp_path / "d", tmp_path / "e", teacher="lossless", views="cpu", progress=False)
    again = [rgb for _, rgb in open_session(tmp_path / "e").teacher_frames()]
    assert all(np.array_equal(a, b) for a, b in zip(pictures, again, strict=True))
    render_session(tmp_path / "d", tmp_path / "f", look=sample_look(2, "blue hour"), views="cpu", progress=False)
    other = [rgb for _, rgb in open_session(tmp_path / "f").teacher_frames()]
    assert len(other) == 3
    assert np.abs(other[0].astype(int) - pictures[0]).mean() > 5


def test_setups_come_back_from_json_and_errors_name_the_field():
    value = json.loads(json.dumps(dataclasses.asdict(SETUP)))
    assert setup_from_json(value, "x") == SETUP
    for changes, words in (
        ({"rivals": 99}, "rivals must be"),
        ({"seed": "3"}, "x: seed must be an integer"),
        ({"automatic": 1}, "automatic must be true or false"),
        ({"turbo": 1}, "unknown field 'turbo'"),
    ):
        with pytest.raises(UserError, match=words):
            setup_from_json({**value, **changes}, "x")
    del value["laps"]
    with pytest.raises(UserError, match="field 'laps' is missing"):
        setup_from_json(value, "x")
