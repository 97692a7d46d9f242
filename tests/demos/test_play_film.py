"""Films with a renderer's picture: nothing dropped, everything in its place; and what the command line refuses."""

from __future__ import annotations

import json
import os

import cv2
import numpy as np
import pytest

from demos import cli
from demos.play import record_link
from demos.play.headless import GAP
from engine_sim.core.errors import UserError
from engine_sim.recording.video import read_video
from render_bridge.palette import RACING
from render_bridge.protocol.offer import Offer

from .played_renderers import Diary, serving

SIZE = (96, 64)
WORDS = ("play", "--headless", "--track", "acorn-loop", "--rivals", "2", "--size", "96x64", "--seconds", "1.5")
FRAMES = 36


def play(capsys, *words: str) -> tuple[int, dict, str]:
    code = cli.main([*WORDS, *words])
    captured = capsys.readouterr()
    return code, json.loads(captured.out.splitlines()[-1]) if code == 0 else {}, captured.err


def test_a_film_stands_map_beside_picture_and_its_figures_are_told(capsys, tmp_path):
    film = tmp_path / "race.mp4"
    code, report, _ = play(capsys, "--preset", "palette", "--view", "split", "--out", str(film))
    assert code == 0
    frames = [picture for _, picture in read_video(film)]
    assert len(frames) == report["frames"] == FRAMES
    assert frames[0].shape == (64, 2 * 96 + GAP, 3)
    for frame in (frames[0], frames[-1]):
        left, right = frame[:, :96].astype(int), frame[:, 96 + GAP :].astype(int)
        assert np.abs(left - right).mean() < 3  # the stand-in paints a map in its own colours
    assert report["renderer"] == "palette stand-in"
    assert report["fps"] > 0
    assert report["first_frame_s"] > 0
    assert set(report["chunk_ms"]) == {"median", "p95", "chunks"}
    assert report["chunk_ms"]["chunks"] == 1  # 28 frames, then 8


@pytest.fixture
def diary(tmp_path):
    return Diary(Offer("diary", run=8, first_run=12, window=26, planes=("depth",)))


def test_every_frame_is_answered_in_turn_under_one_reference(capsys, tmp_path, diary):
    reference = tmp_path / "reference.png"
    cv2.imwrite(str(reference), np.full((200, 300, 3), (10, 20, 30), np.uint8))
    address = f"ipc://{tmp_path}/r.sock"
    words = ("--renderer", address, "--view", "paint", "--reference", str(reference), "--prompt", "snow 雪")
    with serving(address, diary):
        code, report, _ = play(capsys, *words, "--out", str(tmp_path / "race.mp4"))
    assert code == 0
    assert [n for run in diary.runs for n in run] == list(range(FRAMES))
    assert [len(run) for run in diary.runs] == [12, 8, 8, 8]
    assert diary.planes == {"depth"}
    look = diary.controls[0]
    assert (look.kind, look.text, look.width, look.height) == ("look", "snow 雪", *SIZE)
    assert (look.view, look.projection) == (None, None)  # nobody knows where it was taken
    assert np.all(np.frombuffer(look.buffers[0], np.uint8).reshape(-1, 3) == (30, 20, 10))
    assert np.frombuffer(look.buffers[1], np.uint8).max() < len(RACING)
    frames = [picture for _, picture in read_video(tmp_path / "race.mp4")]
    reds = np.array([f[..., 0].mean() for f in frames])  # the number of the frame that was painted
    assert np.abs(reds - np.arange(FRAMES)).max() < 4
    assert report["frames"] == FRAMES


def test_the_last_run_may_be_shorter_than_a_chunk(capsys, tmp_path, diary):
    address = f"ipc://{tmp_path}/r.sock"
    with serving(address, diary):
        code, _, _ = play(
            capsys, "--renderer", address, "--view", "paint", "--seconds", "0.625", "--out", str(tmp_path / "a.mp4")
        )
    assert code == 0
    assert [n for run in diary.runs for n in run] == list(range(15))


def test_a_chunk_that_fails_ends_the_film_with_its_reason(capsys, tmp_path, diary):
    diary.fail_at = 1
    address = f"ipc://{tmp_path}/r.sock"
    with serving(address, diary):
        code, _, error = play(capsys, "--renderer", address, "--view", "paint", "--out", str(tmp_path / "a.mp4"))
    assert code == 2
    assert "latents are not finite" in error.splitlines()[-1]
    assert not (tmp_path / "a.mp4").exists()


def test_without_a_renderer_at_the_address_it_says_so(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(record_link, "PATIENCE_S", 0.3)
    address = f"ipc://{tmp_path}/none.sock"
    code, _, error = play(capsys, "--renderer", address, "--view", "paint", "--out", str(tmp_path / "a.mp4"))
    assert code == 2
    assert error.splitlines()[-1].startswith(f"paintover play: no renderer at {address} after 0.3 s")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--preset", "nano", "--renderer", "ipc:///tmp/x"), "give one of them"),
        (("--random-weights",), "--preset nano, base or toy"),
        (("--preset", "palette", "--random-weights"), "--preset nano, base or toy"),
        (("--preset", "none", "--view", "paint"), "--view paint needs a renderer"),
        (("--view", "class", "--prompt", "rain"), "--prompt is for a renderer"),
        (("--preset", "none", "--reference", "x.png"), "--reference is for a renderer"),
        (("--preset", "palette", "--reference", "nowhere.png"), "cannot read the reference"),
        (("--renderer", "tcp://example.org:5000"), "paintover keys"),
        (("--renderer", "nonsense"), "expected ipc://PATH or tcp://HOST:PORT"),
        (("--renderer", "ipc:///tmp/x", "--peer", "their.public"), "--peer without --keys"),
        (("--preset", "pico"), "invalid choice"),
        (("--preset", "palette", "--prompt", "w" * 2000), "2000 characters"),
    ],
)
def test_options_that_contradict_each_other_are_one_line(capsys, tmp_path, words, expected):
    film = tmp_path / "race.mp4"
    try:
        code = cli.main([*WORDS, "--out", str(film), *words])
    except SystemExit as end:
        code = end.code
    assert code == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert expected in error
    assert list(tmp_path.iterdir()) == []


def test_a_recording_onto_a_read_only_folder_is_refused_before_anything_is_loaded(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    monkeypatch.setattr("engine_sim.tracks.catalogue.load_track", None)
    assert cli.main([*WORDS, "--record", str(tmp_path / "a" / "b")]) == 2
    error = capsys.readouterr().err.splitlines()
    assert error == [
        f"paintover play: cannot write a recording to {tmp_path / 'a' / 'b'}: {tmp_path} is read-only; "
        "name a place that can be written"
    ]


@pytest.mark.parametrize("there", [True, False])
def test_trained_weights_paint_by_default_and_without_any_the_engines_own_views_stay(monkeypatch, there):
    from demos.commands import play as command
    from demos.play import paint_plan

    monkeypatch.setattr(paint_plan, "weights_there", lambda preset: there)
    plans = []
    for words in ((), ("--view", "class"), ("--view", "both"), ("--preset", "none")):
        parser = cli.build_parser("play")
        plans.append(command.paint_plan(parser.parse_args(["play", *words])))
    assert [plan and plan.preset for plan in plans] == ["nano" if there else None, None, None, None]


@pytest.mark.parametrize(
    ("words", "way"),
    [
        (("engine", "--views", "gl", "--seconds", "1"), "--views cpu needs none"),
        (("record", "--views", "gl", "--seconds", "1"), "--views cpu and --teacher none need none"),
    ],
)
def test_views_that_need_opengl_say_the_way_without_it(monkeypatch, capsys, tmp_path, words, way):
    def refuse(*_):
        raise UserError("no OpenGL 4.3 through EGL")

    monkeypatch.setattr("engine_sim.views.class_view.make_painter", refuse)
    monkeypatch.chdir(tmp_path)
    assert cli.main([*words, "--track", "acorn-loop", "--rivals", "1", "--size", "96x64"]) == 2
    command = words[0]
    assert capsys.readouterr().err.splitlines()[-1] == f"paintover {command}: no OpenGL 4.3 through EGL; {way}"
