"""Films along a prompt schedule: changes land at the borders of chunks, every time; recorded drives are filmed too."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np
import pytest

from demos import cli
from demos.renderer.cameras import camera_tensor
from engine_sim.recording.video import read_video
from render_bridge.protocol.offer import Offer
from render_bridge.stand_in import PaletteFactory

from .played_renderers import Diary, DiaryRenderer, serving
from .rtmp_servers import free_port

RACE = ("--track", "acorn-loop", "--rivals", "2", "--size", "96x64")
FRAMES = 36


def call(capsys, *words: str) -> tuple[int, dict, str, str]:
    code = cli.main(list(words))
    captured = capsys.readouterr()
    report = json.loads(captured.out.splitlines()[-1]) if code == 0 else {}
    return code, report, captured.out, captured.err


def play(capsys, tmp_path, *words: str) -> tuple[int, dict, str, str]:
    out = str(tmp_path / "race.mp4")
    return call(capsys, "play", "--headless", *RACE, "--seconds", "1.5", "--out", out, *words)


def plan(tmp_path, text: str) -> str:
    path = tmp_path / "plan.txt"
    path.write_text(text)
    return str(path)


@dataclass
class MarkedDiary(Diary):
    """Writes down before which of its runs each control came."""

    marks: list[int] = field(default_factory=list)

    def open(self, opened):
        return MarkedRenderer(self)


class MarkedRenderer(DiaryRenderer):
    def apply(self, control):
        self._diary.marks.append(len(self._diary.runs))
        super().apply(control)


@pytest.fixture
def diary(tmp_path):
    return MarkedDiary(Offer("diary", run=8, first_run=12, window=26, planes=("depth",)))


def test_changes_land_at_the_first_border_after_their_time_and_nowhere_else(capsys, tmp_path, diary):
    words = ("--schedule", plan(tmp_path, "0 | overcast\n0.3 | storm\n0.9 | | snow on everything\n"))
    address = f"ipc://{tmp_path}/r.sock"
    with serving(address, diary):
        code, report, _, _ = play(capsys, tmp_path, "--renderer", address, "--view", "paint", *words)
    assert code == 0
    # The first chunk ends with frame 11, the next ones with 19, 27 and 35.
    assert [(c["at"], c["look"], c["prompt"]) for c in report["changes"]] == [
        (0.5, "storm", None),
        (round(28 / 24, 3), "storm", "snow on everything"),
    ]
    assert [n for run in diary.runs for n in run] == list(range(FRAMES))
    assert [c.kind for c in diary.controls] == ["look", "look", "prompt"]
    assert diary.marks == [0, 1, 3]
    assert diary.controls[2].text == "snow on everything"
    assert all(camera_tensor(c.view, c.projection, c.width, c.height) is not None for c in diary.controls[:2])


def test_a_blend_goes_step_by_step_through_mixed_references(capsys, tmp_path, diary):
    words = ("--schedule", plan(tmp_path, "0 | clear-midday\n0.2 | storm | rain | blend 3\n"))
    address = f"ipc://{tmp_path}/r.sock"
    with serving(address, diary):
        code, report, _, _ = play(capsys, tmp_path, "--renderer", address, "--view", "paint", *words)
    assert code == 0
    assert report["changes"] == [{"at": 0.5, "look": "storm", "prompt": "rain", "chunks": 3}]
    assert [c.kind for c in diary.controls] == ["look", "schedule", "look", "look", "look"]
    assert diary.controls[1].schedule == {"blend": 3}
    assert diary.marks == [0, 1, 1, 2, 3]
    assert {c.text for c in diary.controls[2:]} == {"rain"}
    light = [np.frombuffer(c.buffers[0], np.uint8).mean() for c in diary.controls if c.kind == "look"]
    assert light == sorted(light, reverse=True)  # from midday into the storm
    assert light[0] - light[-1] > 20


def test_a_renderer_that_cannot_blend_is_told_once(capsys, tmp_path, diary):
    diary.refuse = "schedule"
    words = ("--schedule", plan(tmp_path, "0.1 | | rain | blend 2\n0.6 | | snow | blend 4\n"))
    address = f"ipc://{tmp_path}/r.sock"
    with serving(address, diary):
        code, _, out, _ = play(capsys, tmp_path, "--renderer", address, "--view", "paint", *words)
    assert code == 0
    assert out.count("the renderer cannot blend prompts (not today): each comes at once, as if it said cut") == 1
    assert [c.text for c in diary.controls if c.kind == "prompt"] == ["rain", "snow"]


def test_the_stand_in_is_said_to_show_nothing_of_a_schedule_and_is_asked_for_no_blend(capsys, tmp_path):
    words = ("--schedule", plan(tmp_path, "0.2 | storm | rain | blend 3\n"), "--view", "paint")
    address = f"ipc://{tmp_path}/r.sock"
    with serving(address, PaletteFactory()):
        code, _, out, _ = play(capsys, tmp_path, "--renderer", address, *words, "--seconds", "0.4")
    assert code == 0
    assert "the palette stand-in colours the classes, whatever look or prompt there is: none is seen" in out
    assert "cannot blend" not in out


def test_without_a_renderer_the_teacher_view_follows(capsys, tmp_path):
    words = (
        "--preset",
        "none",
        "--view",
        "teacher",
        "--schedule",
        plan(tmp_path, "0|clear-midday\n0.5|storm||blend 2\n"),
    )
    code, report, _, _ = play(capsys, tmp_path, *words, "--seconds", "1.1")
    assert code == 0
    assert [c["at"] for c in report["changes"]] == [round(16 / 24, 3)]
    light = [f.mean() for _, f in read_video(tmp_path / "race.mp4")]
    before, half, after = light[15], light[16], light[24]
    assert before - half > 5
    assert half - after > 5


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("0 | storm\n5 | stormy\n", (), "plan.txt, line 2: "),
        ("0 | storm\n", ("--look", "overcast"), "--look and the line for 0 s"),
        ("0 | storm\n", ("--prompt", "rain", "--preset", "palette"), "--prompt and the line for 0 s"),
        ("1 | storm\n", ("--preset", "none", "--view", "class"), "--schedule changes looks"),
    ],
)
def test_schedules_that_cannot_be_meant_are_refused(capsys, tmp_path, text, words, said):
    code, _, _, err = play(capsys, tmp_path, "--schedule", plan(tmp_path, text), *words)
    assert code == 2
    assert said in err.splitlines()[-1]
    assert not (tmp_path / "race.mp4").exists()


# --- recorded drives


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drives") / "drive"
    assert cli.main(["record", *RACE, "--seconds", "1.5", "--out", str(folder), "--quiet", "--views", "cpu"]) == 0
    return folder


def test_a_recorded_drive_is_filmed_as_it_was_driven(capsys, tmp_path, session):
    film = tmp_path / "film.mp4"
    words = ("--film", str(film), "--preset", "palette", "--view", "split", "--begin", "0.5")
    code, report, _, _ = call(capsys, "replay", str(session), *words)
    assert code == 0
    assert report["frames"] == 24
    _, played, _, _ = play(capsys, tmp_path, "--preset", "none", "--view", "class")
    assert report["state_hash"] == played["state_hash"]
    whole = [f for _, f in read_video(tmp_path / "race.mp4")]
    part = [f[:, :96] for _, f in read_video(film)]
    assert np.abs(part[0].astype(int) - whole[12]).mean() < 3
    assert np.abs(part[-1].astype(int) - whole[-1]).mean() < 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--film", "x.mp4", "--render"), "one at a time"),
        (("--schedule", "x.txt"), "--schedule is for a drive that is filmed"),
        (("--view", "class"), "--view is for a drive that is filmed"),
        (("--film", "x.mp4", "--begin", "2"), "--begin must lie within the drive, 0 to 1.5 s, got 2"),
        (("--film", "x.mp4", "--seconds", "-1"), "--seconds must be a positive number"),
        (("--rtmp", "rtmp://host"), "--rtmp takes an address such as"),
        (("--webrtc", "x"), "--webrtc takes a port such as 8081"),
        (("--silent-audio",), "--silent-audio is for a drive that is filmed"),
    ],
)
def test_films_of_drives_that_cannot_be_meant_are_refused(capsys, session, words, said):
    code, _, _, err = call(capsys, "replay", str(session), *words)
    assert code == 2
    assert said in err.splitlines()[-1]


def test_a_stream_without_a_server_spoils_no_film_and_is_missed_at_the_end(capsys, tmp_path, session):
    address = f"rtmp://127.0.0.1:{free_port()}/live/SECRET"
    words = ("--rtmp", address, "--view", "class", "--seconds", "0.5", "--film", str(tmp_path / "a.mp4"))
    code, report, out, err = call(capsys, "replay", str(session), *words)
    assert code == 0  # the film is there
    assert "stream to rtmp://127.0.0.1:" in err
    assert "was never live: " in err
    assert len([*read_video(tmp_path / "a.mp4")]) == 12
    assert out.count("not live: Connection refused") <= 1  # a busy machine may not have come to try
    assert "SECRET" not in out + err
    assert report["streams"][0]["sent"] == 0
    code, _, out, err = call(capsys, "replay", str(session), *words[:-2])
    assert code == 1  # the stream was all that it was for
    assert "was never live: " in err
    assert json.loads(out.splitlines()[-1])["film"] is None
