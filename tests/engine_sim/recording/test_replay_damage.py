"""What happened to a session after it was recorded is noticed by a replay, but for what a kill leaves."""

import dataclasses
import shutil

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.racing.world import RaceSetup
from engine_sim.recording import records
from engine_sim.recording.fields import write_json
from engine_sim.recording.reader import open_session
from engine_sim.recording.record import record_session
from engine_sim.recording.record_log import frame_record, log_head, scan_log
from engine_sim.recording.replay import replay_session
from engine_sim.tracks.catalogue import track_names
from engine_sim.views import teacher_view
from engine_sim.views.look import sample_look

TRACK = track_names()[0]
SECONDS = 3.25


class PlainTeacher:
    """Stands in for the teacher view, which a replay does not draw: one grey, another for every seed."""

    def __init__(self, seed: int) -> None:
        self._picture = np.full((32, 64, 3), 50 * seed, np.uint8)

    def draw(self, frame, draws):
        return self._picture

    def close(self):
        pass


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Two sessions of one length, size and track, with a teacher video: only the seed of the race differs."""
    root = tmp_path_factory.mktemp("pair")
    for name, seed in (("one", 1), ("two", 2)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(teacher_view, "open_teacher_view", lambda *_, seed=seed: PlainTeacher(seed))
            record_session(
                RaceSetup(TRACK, seed=seed, rivals=1), root / name, SECONDS, size=(64, 32), views="cpu",
                progress=False, teacher="mp4", look=sample_look(1),
            )  # fmt: skip
    return root / "one", root / "two"


def replay(folder):
    return replay_session(folder, progress=False)


def test_a_whole_session_with_its_video_is_identical(pair):
    report = replay(pair[0])
    assert report.verdict == "identical", report.lines()


NAMES = ("inputs.log", "hashes.log", "frames.log", "maps.log", "teacher.mp4", "timeline.jsonl", "session.json")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_another_session_is_noticed(pair, tmp_path, name):
    folder = shutil.copytree(pair[1], tmp_path / "s")
    shutil.copy(pair[0] / name, folder / name)
    if name in ("teacher.mp4", "timeline.jsonl"):
        report = replay(folder)
        assert not report.identical
        assert any(name in line and "another session" in line for line in report.lines())
    else:
        with pytest.raises(UserError, match="belongs to another session"):
            replay(folder)


def test_maps_that_are_not_those_that_were_hashed_are_named(pair, tmp_path):
    """Even with a head and checksums that fit: the pixels themselves are hashed."""
    folder = shutil.copytree(pair[1], tmp_path / "s")
    session = open_session(folder)
    limit = records.block_limit(64 * 32, 8)
    foreign = scan_log(pair[0] / "maps.log", "maps", 0, limit, open_session(pair[0]).header.session_id).payloads()
    head = log_head("maps", 0, session.header.session_id)
    (folder / "maps.log").write_bytes(head + b"".join(frame_record(p) for p in foreign))
    report = replay(folder)
    assert report.first_frame is None
    assert report.damaged_frame is not None
    assert f"frame {report.damaged_frame} is the first whose class map" in "\n".join(report.lines())
    assert report.verdict == "NOT identical"


@pytest.mark.parametrize("how", ["missing", "emptied", "cut", "flipped", "folder"])
def test_a_teacher_video_that_is_not_as_recorded_is_reported(pair, tmp_path, how):
    folder = shutil.copytree(pair[0], tmp_path / "s")
    path = folder / "teacher.mp4"
    data = path.read_bytes()
    path.unlink()
    if how == "folder":
        path.mkdir()
    elif how != "missing":
        middle = len(data) // 2
        flipped = data[:middle] + bytes([data[middle] ^ 16]) + data[middle + 1 :]
        path.write_bytes({"emptied": b"", "cut": data[:middle], "flipped": flipped}[how])
    report = replay(folder)
    assert not report.identical
    assert ["teacher.mp4" in line for line in report.problems] == [True]


def unfinish(folder):
    """The folder as a killed recording leaves it: no mark, and its hashes cut inside a record."""
    whole = open_session(folder).header
    header = dataclasses.replace(whole, finished=None, teacher_hash="")
    write_json(folder / "session.json", header.to_json())
    data = (folder / "hashes.log").read_bytes()
    (folder / "hashes.log").write_bytes(data[: len(data) - 1000])
    return folder


def test_a_killed_recording_is_identical_as_far_as_it_goes(pair, tmp_path):
    report = replay(unfinish(shutil.copytree(pair[0], tmp_path / "s")))
    assert report.identical, report.lines()
    assert report.unfinished
    assert report.verdict.startswith("identical as far as it goes; the recording was never finished")


def test_an_emptied_timeline_of_a_killed_recording_is_noticed(pair, tmp_path):
    folder = unfinish(shutil.copytree(pair[0], tmp_path / "s"))
    (folder / "timeline.jsonl").write_bytes(b"")
    report = replay(folder)
    assert not report.identical
    assert "timeline.jsonl differs at event 0" in report.problems[0]
