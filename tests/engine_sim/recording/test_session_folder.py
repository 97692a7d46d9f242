"""Writing and reading session folders: exact, crash-safe, and clear about bad input."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_sim.core.errors import UserError
from engine_sim.recording import records
from engine_sim.recording.reader import open_session
from engine_sim.recording.session_format import SessionHeader, json_checksum
from engine_sim.recording.writer import SessionWriter
from render_bridge.palette import RACING, ClassTable, SceneClass

from . import samples


def check_content(session, frames=None):
    """Everything that can be read equals what was written."""
    assert list(session.inputs) == [samples.controls(t) for t in range(session.ticks)]
    assert list(session.hashes) == [samples.state_digest(t) for t in range(len(session.hashes))]
    for index, record in enumerate(session.frames):
        assert record.frame == samples.frame(index * samples.STEP)
        assert record.map_hash == records.map_hash(samples.class_map(index))
    maps = session.class_maps()
    assert all(np.array_equal(m, samples.class_map(k)) for k, m in enumerate(maps))
    if session.frames:
        assert session.frames[-1].frame.tick <= session.ticks
    if frames is not None:
        assert len(session.frames) == frames


@pytest.mark.parametrize("frames", [1, 2, 8, 30])
def test_reading_back_is_exact(tmp_path, frames):
    samples.write(tmp_path / "s", frames)
    session = open_session(tmp_path / "s")
    check_content(session, frames)
    assert session.problems == ()
    assert session.ticks == frames * samples.STEP
    assert session.header.finished == (frames * samples.STEP, frames, len(session.events), "done")
    assert session.field_sums.shape == (session.ticks + 1, 3)
    assert session.timeline().length == session.ticks / 120
    assert np.array_equal(session.class_map(frames - 1), samples.class_map(frames - 1))
    with pytest.raises(IndexError):
        session.class_map(frames)


@pytest.mark.parametrize("frames", [1, 2, 30])
def test_lossless_teacher_frames_come_back(tmp_path, frames):
    samples.write(tmp_path / "s", frames, "lossless")
    found = list(open_session(tmp_path / "s").teacher_frames())
    assert [k for k, _ in found] == list(range(frames))
    assert all(np.array_equal(rgb, samples.teacher(k)) for k, rgb in found)


@pytest.mark.parametrize("frames", [1, 2, 30, 314])
def test_every_teacher_video_frame_is_there(tmp_path, frames):
    samples.write(tmp_path / "s", frames, "mp4")
    session = open_session(tmp_path / "s")
    assert [k for k, _ in session.teacher_frames()] == list(range(frames))
    assert len(session.frames) == frames == session.ticks // samples.STEP


def test_two_recordings_of_one_drive_are_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        samples.write(tmp_path / name, 11, "lossless")
    for file in sorted(os.listdir(tmp_path / "a")):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_a_frame_may_be_left_out_after_a_stall(tmp_path):
    writer = samples.write(tmp_path / "s", 2, "mp4", finish=False)
    samples.add_ticks(writer)
    samples.add_frame(writer, 2, "mp4")
    writer.finish()
    session = open_session(tmp_path / "s")
    assert [f.frame.tick for f in session.frames] == [0, 5, 15]
    assert [k for k, _ in session.teacher_frames()] == [0, 1, 2]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.zeros((63, 96), np.uint8), r"\(64, 96\), got uint8 \(63, 96\)"),
        (np.zeros((96, 64), np.uint8), r"got uint8 \(96, 64\)"),
        (np.zeros((64, 96), np.float32), "got float32"),
        (np.zeros((64, 96, 1), np.uint8), r"got uint8 \(64, 96, 1\)"),
        (np.full((64, 96), 13, np.uint8), "unknown class id 13 at row 0, column 0"),
    ],
)
def test_a_wrong_frame_raises_at_once_and_what_came_before_is_readable(tmp_path, bad, words):
    writer = samples.write(tmp_path / "s", 3, finish=False)
    record = records.FrameRecord(samples.frame(writer.ticks), "00" * 8, "00" * 8)
    with pytest.raises(UserError, match=words):
        writer.frame(record, bad, None)
    writer.finish("interrupted")
    check_content(open_session(tmp_path / "s"), 3)


@pytest.mark.parametrize("bad", [np.zeros((64, 95, 3), np.uint8), np.zeros((64, 96), np.uint8), None])
def test_a_wrong_teacher_frame_raises_at_once(tmp_path, bad):
    writer = samples.write(tmp_path / "s", 1, "mp4", finish=False)
    record = records.FrameRecord(samples.frame(writer.ticks), "00" * 8, "00" * 8)
    with pytest.raises(UserError, match=r"teacher frames|expected a picture"):
        writer.frame(record, samples.class_map(1), bad)
    writer.close()


def test_a_frame_at_another_tick_is_a_programming_error(tmp_path):
    writer = samples.write(tmp_path / "s", 1, finish=False)
    with pytest.raises(ValueError, match="tick 6 came at tick 5"):
        writer.frame(records.FrameRecord(samples.frame(6), "00" * 8, "00" * 8), samples.class_map(1), None)
    writer.close()


def test_a_taken_name_is_refused_and_untouched(tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "mine.txt").write_text("keep")
    with pytest.raises(UserError, match="already exists and is not empty"):
        SessionWriter(tmp_path / "s", samples.header())
    assert os.listdir(tmp_path) == ["s"]
    assert os.listdir(tmp_path / "s") == ["mine.txt"]


def test_an_empty_folder_is_used(tmp_path):
    (tmp_path / "s").mkdir()
    samples.write(tmp_path / "s", 1)
    check_content(open_session(tmp_path / "s"), 1)


def test_a_place_that_cannot_be_written_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot make the folder"):
        SessionWriter(tmp_path / "file" / "s", samples.header())
    assert os.listdir(tmp_path) == ["file"]


def test_a_video_that_cannot_be_opened_leaves_nothing(tmp_path):
    with pytest.raises(UserError, match="no video encoder works"):
        SessionWriter(tmp_path / "s", samples.header("mp4", teacher_codec="no-such-encoder"))
    assert os.listdir(tmp_path) == []


def test_other_class_tables_are_refused_with_both_hashes(tmp_path):
    samples.write(tmp_path / "s", 1)
    rows = [c for c in RACING.classes if c.id not in (1, 7)]
    swapped = [SceneClass(1, "building", (188, 146, 190)), SceneClass(7, "road_edge", (232, 232, 238))]
    table = ClassTable("racing-1", tuple(sorted(rows + swapped, key=lambda c: c.id)))
    with pytest.raises(UserError) as caught:
        open_session(tmp_path / "s", table)
    assert RACING.hash in str(caught.value)
    assert table.hash in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("format", "other-2", "format must be 'paintover-session-2', got 'other-2'"),
        ("fps", 25, "fps must be one of"),
        ("width", 1 << 30, "width must be an integer from 1 to 8192"),
        ("height", True, "height must be an integer"),
        ("cars", 0, "cars must be"),
        ("camera", "drone", "camera must be one of chase, cockpit, trackside, got 'drone'"),
        ("teacher", "avi", "teacher must be one of"),
        ("tick_rate", 60, "tick_rate must be"),
        ("state_fields", "x", "state_fields must be a list"),
        ("setup", None, "setup: expected an object, got None"),
    ],
)
def test_a_wrong_header_field_is_named(tmp_path, name, value, words):
    samples.write(tmp_path / "s", 1)
    path = tmp_path / "s" / "session.json"
    fields = json.loads(path.read_text())
    fields[name] = value
    fields["checksum"] = json_checksum({k: v for k, v in fields.items() if k != "checksum"})
    path.write_text(json.dumps(fields))
    with pytest.raises(UserError, match=words):
        open_session(tmp_path / "s")


def test_an_edited_header_is_noticed(tmp_path):
    samples.write(tmp_path / "s", 1)
    path = tmp_path / "s" / "session.json"
    path.write_text(path.read_text().replace('"seed": 3', '"seed": 4'))
    with pytest.raises(UserError, match="damaged or edited"):
        open_session(tmp_path / "s")


def test_foreign_folders_are_refused_in_one_line(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "nan").mkdir()
    (tmp_path / "nan" / "session.json").write_text('{"format": NaN}')
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "session.json").write_text("[" * 100_000)
    (tmp_path / "list").mkdir()
    (tmp_path / "list" / "session.json").write_text("[]")
    for name in ("missing", "empty", "nan", "deep", "list"):
        with pytest.raises(UserError) as caught:
            open_session(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_a_missing_log_is_named(tmp_path):
    samples.write(tmp_path / "s", 1)
    (tmp_path / "s" / "hashes.log").unlink()
    with pytest.raises(UserError, match=r"hashes\.log: No such file"):
        open_session(tmp_path / "s")


@pytest.mark.parametrize("name", ["inputs.log", "hashes.log", "frames.log", "maps.log", "teacher.log"])
def test_a_log_of_another_session_is_refused_by_name(tmp_path, name):
    samples.write(tmp_path / "s", 3, "lossless")
    samples.write(tmp_path / "other", 3, "lossless", setup={"track": "none", "seed": 4, "rivals": 1})
    shutil.copy(tmp_path / "other" / name, tmp_path / "s" / name)
    with pytest.raises(UserError, match=f"{name} belongs to another session") as caught:
        list(open_session(tmp_path / "s").teacher_frames())
    assert "\n" not in str(caught.value)


def test_a_timeline_of_another_session_is_damage(tmp_path):
    samples.write(tmp_path / "s", 30)
    samples.write(tmp_path / "other", 30, setup={"track": "none", "seed": 4, "rivals": 1})
    shutil.copy(tmp_path / "other" / "timeline.jsonl", tmp_path / "s" / "timeline.jsonl")
    session = open_session(tmp_path / "s")
    assert session.events == ()
    assert "of another session" in session.damage[0]


def test_an_emptied_timeline_is_explained(tmp_path):
    writer = samples.write(tmp_path / "s", 30)
    (tmp_path / "s" / "timeline.jsonl").write_bytes(b"")
    (line,) = open_session(tmp_path / "s").damage
    assert line.startswith(f"0 of {writer.events} events can be read from timeline.jsonl")


def test_the_end_of_a_killed_recording_is_no_damage_but_a_flipped_bit_is(tmp_path):
    samples.write(tmp_path / "s", 20, finish=False).close()
    path = tmp_path / "s" / "hashes.log"
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    session = open_session(tmp_path / "s")
    assert session.unfinished
    assert session.damage == ()
    path.write_bytes(whole[:70] + bytes([whole[70] ^ 1]) + whole[71:])
    assert "fails its checksum" in open_session(tmp_path / "s").damage[0]


def test_a_file_in_the_place_of_the_folder_is_called_a_file(tmp_path):
    (tmp_path / "s").write_text("mine")
    with pytest.raises(UserError, match="is a file; expected the name of a new folder"):
        SessionWriter(tmp_path / "s", samples.header())
    assert (tmp_path / "s").read_text() == "mine"


def test_header_round_trip():
    header = samples.header("mp4")
    assert SessionHeader.from_json(json.loads(json.dumps(header.to_json())), "x") == header
    with pytest.raises(ValueError):
        json.dumps(samples.header(look={"a": math.nan}).to_json(), allow_nan=False)


LOGS = ("inputs.log", "hashes.log", "frames.log", "maps.log", "timeline.jsonl", "session.json")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "s"
    samples.write(path, 19)
    return path


@settings(max_examples=60)
@given(name=st.sampled_from(LOGS), place=st.integers(0, 10_000), flip=st.integers(0, 255))
def test_damage_anywhere_gives_what_came_before_or_one_clear_line(whole, tmp_path_factory, name, place, flip):
    """flip 0 cuts the file at ``place``; otherwise that byte is changed."""
    path = tmp_path_factory.mktemp("damaged") / "s"
    shutil.copytree(whole, path)
    data = bytearray((path / name).read_bytes())
    place %= len(data)
    if flip:
        data[place] ^= flip
    else:
        del data[place:]
    (path / name).write_bytes(data)
    try:
        session = open_session(path)
        check_content(session)
    except UserError:
        return
    assert session.problems or name == "session.json"


KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.engine_sim.recording import samples
writer = samples.SessionWriter(Path({path!r}), samples.header({teacher!r}))
writer.hash(0, samples.state_digest(0), samples.records.field_sums(samples.state(0)))
for index in range(100_000):
    samples.add_frame(writer, index, {teacher!r})
    samples.add_ticks(writer)
    if index == {frames}:
        print("there", flush=True)
"""


@pytest.mark.parametrize("teacher", ["none", "mp4"])
def test_kill_at_any_moment_leaves_a_readable_folder(tmp_path, teacher):
    """A killed recording loses at most a block of maps, and the second that the video's last fragment holds."""
    path, root, frames = tmp_path / "s", os.getcwd(), 60
    code = KILLED.format(root=root, path=str(path), teacher=teacher, frames=frames)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=root)
    assert child.stdout.readline() == b"there\n"
    time.sleep(0.03)
    child.send_signal(signal.SIGKILL)
    child.wait(10)
    child.stdout.close()
    session = open_session(path)
    check_content(session)
    assert session.header.finished is None
    assert len(session.frames) >= frames + 1 - 8
    assert any("never finished" in p for p in session.problems)
    if teacher == "mp4":
        indices = [k for k, _ in session.teacher_frames()]
        assert indices == list(range(len(indices)))
        assert len(indices) >= frames - 2 * samples.FPS
