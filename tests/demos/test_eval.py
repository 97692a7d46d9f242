"""`paintover eval` on a toy renderer: what it reads, what it leaves behind, what it refuses."""

import dataclasses
import json
from itertools import pairwise

import numpy as np
import pytest
import torch

from demos import cli
from demos.eval import pictures
from demos.eval.drives import DriveOptions, clip_drives, session_drive
from demos.eval.held_out import LOOKS, TRACKS, SuitePlan, suite_drives
from demos.eval.impulse import make_impulse
from demos.eval.scoring import open_scoring, schedule_of
from demos.renderer.factory import RendererPlan, random_renderer
from demos.renderer.schedules import noise_levels
from diffusion_render.evaluate.footage import CONTROL, DECODER, OTHER_PLACE, OWN, PROMPT
from diffusion_render.evaluate.segmenter import Segmenter, SegmenterConfig
from diffusion_render.model.bundle import save_renderer
from diffusion_render.model.weights import WeightsHeader, save_weights
from diffusion_render.stream.schedule import Schedule
from engine_sim.core.errors import UserError
from engine_sim.recording.clips import INDEX_FILE, KIND
from engine_sim.recording.container import ContainerWriter
from engine_sim.recording.fields import write_json
from engine_sim.recording.reader import open_session
from engine_sim.recording.records import pack_camera
from engine_sim.recording.session_format import class_table_json
from engine_sim.recording.video import read_video
from engine_sim.tracks.catalogue import split_of
from engine_sim.views.class_view import open_class_view
from engine_sim.views.look import named_look
from render_bridge.palette import RACING

TOY = ("--preset", "toy", "--random-weights", "--threads", "1", "--quiet", "--no-prompt")
RECORD = ("--track", "acorn-loop", "--rivals", "1", "--size", "64x64", "--views", "cpu", "--quiet", "--look", "storm")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Seven seconds, long enough for an impulse."""
    folder = tmp_path_factory.mktemp("eval") / "drive"
    assert cli.main(["record", *RECORD, "--seconds", "7", "--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A folder with a toy renderer and a segmenter, as training would leave them."""
    folder = tmp_path_factory.mktemp("weights")
    renderer = random_renderer("toy")
    sizes = dataclasses.asdict(renderer.config)
    header = WeightsHeader("renderer", "toy", "distilled", "euler-1", RACING.hash, sizes, "three clips")
    save_renderer(folder / "toy.safetensors", renderer, header)
    config = SegmenterConfig(widths=(4, 8, 8, 8))
    header = dataclasses.replace(header, part="segmenter", sampler="none", config=dataclasses.asdict(config))
    save_weights(folder / "segmenter.safetensors", Segmenter(config), header)
    return folder


def test_a_session_gives_scores_a_report_and_a_video(recorded, weights, tmp_path, capsys):
    words = ["eval", str(recorded), "--preset", "toy", "--weights", str(weights), "--threads", "1", "--quiet"]
    assert cli.main([*words, "--seconds", "2", "--out", str(tmp_path / "out"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    streams = printed["drives"][0]["streams"]
    assert list(streams) == [OWN, OTHER_PLACE, CONTROL, DECODER]
    assert len(streams[OWN]["per_second"]["psnr"]) == 2
    assert streams[OWN]["warped"]
    assert streams[OWN]["mean"]["structure_ceiling"] is not None
    assert printed["drives"][0]["response"]["map"] is not None
    assert len(printed["config"]["schedule"]["steps"]) == 1  # the weights ask for euler-1
    kept = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert kept["means"] == printed["means"]
    assert "distilled" in kept["facts"]["weights"]
    frames = [rgb.shape for _, rgb in read_video(tmp_path / "out" / "drive.mp4")]
    assert len(frames) in (44, 48)  # whole windows of the stream alone
    assert frames[0] == (64, 5 * 64 + 4 * 4, 3)
    report = (tmp_path / "out" / "report.html").read_text()
    assert 'href="drive.mp4"' in report
    assert report.count("data:image/jpeg;base64,") == 2 * 6


def test_strict_says_by_its_exit_code_that_goals_were_missed(recorded, tmp_path, capsys):
    words = ["eval", str(recorded), *TOY, "--reference", "own", "--seconds", "1.2", "--no-video", "--out"]
    assert cli.main([*words, str(tmp_path / "a"), "--strict"]) == 1
    assert "NOT met" in capsys.readouterr().out
    assert [p.name for p in sorted((tmp_path / "a").iterdir())] == ["report.html", "scores.json"]


def test_without_weights_the_command_that_trains_them_is_named(recorded, tmp_path, capsys):
    assert cli.main(["eval", str(recorded), "--preset", "toy", "--weights", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "paintover train" in error
    assert "--random-weights" in error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a session folder"),
        (["x", "--suite"], "one of them"),
        (["/nowhere", *TOY], "no folder"),
        (["/nowhere", *TOY, "--reference", "mine"], "no picture file"),
        (["/nowhere", *TOY, "--samples", "0"], "at least 1"),
        (["/nowhere", *TOY, "--start", "-1"], "--start"),
        (["/nowhere", *TOY, "--preset", "huge"], "unknown preset 'huge'"),
        (["--suite", *TOY, "--tracks", "acorn-loop"], "train set"),
        (["--suite", *TOY, "--tracks", "nowhere"], "unknown track"),
        (["--suite", *TOY, "--looks", "0"], "train set"),
    ],
)
def test_bad_input_is_one_line(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["eval", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_weights_walk_the_sampler_that_they_were_trained_for():
    assert schedule_of("euler-2", Schedule()).steps == Schedule().steps
    assert schedule_of("euler-4", Schedule(history=1)).steps == noise_levels(4)
    for unknown in ("euler", "euler-9", "dmd-2", "none"):
        with pytest.raises(UserError, match="sampler"):
            schedule_of(unknown, Schedule())


def test_what_is_missing_is_said_with_its_remedy(tmp_path):
    scoring = open_scoring(RendererPlan("toy", tmp_path, random_weights=True, threads=1), prompts=False)
    assert any("paintover train segmenter" in line for line in scoring.absent)
    assert scoring.encode("a circuit") is None


def test_the_footage_of_a_session_is_what_was_recorded(recorded):
    session = open_session(recorded)
    with session_drive(recorded, DriveOptions((OWN, OTHER_PLACE, CONTROL), guided=True)) as drive:
        film = drive.footage
        first = 4 * film.fps
        assert len(film) == len(session.frames) - first
        shots = film.read(10, 14)
        own, control = drive.references[OWN], drive.references[CONTROL]
    assert np.array_equal(shots.class_maps.numpy(), session.class_maps(first + 10, first + 14))
    assert shots.teacher.shape == (4, 3, 64, 64)
    assert shots.motion.shape == (4, 64, 64, 2)
    assert shots.guides.depth.shape == (4, 64, 64)
    assert shots.guides.camera[0, :3].tolist() == list(session.frame_state(first + 10).camera.position)
    assert torch.equal(own.class_map, control.class_map)
    assert own.camera.tolist() == control.camera.tolist() == list(pack_camera(session.frame_state(first).camera))
    elsewhere = drive.references[OTHER_PLACE].camera
    assert elsewhere.shape == (12,)
    assert not torch.equal(elsewhere, own.camera)
    assert not torch.equal(own.picture, control.picture)


def test_exact_motion_explains_the_teacher_better_than_none(recorded):
    from diffusion_render.evaluate.flicker import measure_steps

    with session_drive(recorded, DriveOptions((OWN,))) as drive:
        shots = drive.footage.read(12, 36)
    moved, still = (
        measure_steps(shots.teacher, shots.teacher, shots.class_maps, motion) for motion in (shots.motion, None)
    )
    assert float(moved.teacher.mean()) < 0.9 * float(still.teacher.mean())


def test_a_prompt_alone_and_a_picture_of_ones_own_are_references(recorded, tmp_path):
    import cv2

    cv2.imwrite(str(tmp_path / "mine.png"), np.full((90, 200, 3), 77, np.uint8))
    options = DriveOptions((PROMPT, "given_picture"), tmp_path / "mine.png", encode=lambda _: torch.ones(64, 384))
    with session_drive(recorded, options) as drive:
        alone, given = drive.references[PROMPT], drive.references["given_picture"]
    assert alone.picture is None
    assert alone.text is not None
    assert given.picture.shape == (3, 64, 64)
    assert given.camera is None
    assert alone.camera.shape == (12,)
    assert int(given.picture.float().mean()) == 77


def refuse(*_):
    raise UserError("no OpenGL 4.3 through EGL")


def test_without_opengl_the_recorded_teacher_stands_in(tmp_path, monkeypatch):
    folder = tmp_path / "s"
    assert cli.main(["record", *RECORD, "--teacher", "lossless", "--seconds", "0.5", "--out", str(folder)]) == 0
    monkeypatch.setattr(pictures, "DrawnTeacher", refuse)
    session = open_session(folder)
    truth = [rgb for _, rgb in session.teacher_frames()]
    with session_drive(folder, DriveOptions()) as drive:
        shots = drive.footage.read(2, 5)
        assert list(drive.references) == [OWN]
        assert np.array_equal(drive.references[OWN].picture.permute(1, 2, 0).numpy(), truth[0])
        assert any("OpenGL" in note for note in drive.notes)
    assert np.array_equal(shots.teacher.permute(0, 2, 3, 1).numpy(), np.stack(truth[2:5]))
    other = DriveOptions(look=named_look("overcast"))
    with pytest.raises(UserError, match="another look"), session_drive(folder, other):
        pass


def test_without_opengl_and_without_a_recorded_teacher_there_is_no_score(recorded, monkeypatch):
    monkeypatch.setattr(pictures, "DrawnTeacher", refuse)
    with pytest.raises(UserError, match=r"no OpenGL.*holds no teacher view"), session_drive(recorded, DriveOptions()):
        pass


def test_an_impulse_changes_what_comes_after_it_alone(recorded):
    from demos.eval.session_footage import scene_of

    session = open_session(recorded)
    with open_class_view(scene_of(session), 64, 64, "cpu") as view:
        impulse = make_impulse(session, view)
    assert impulse is not None
    differs = (impulse.calm != impulse.changed).float().mean((1, 2))
    assert float(differs[: impulse.at].max()) == 0
    assert float(differs[impulse.at + 6 :].min()) > 0.001
    assert np.array_equal(impulse.calm.numpy(), session.class_maps(0, len(impulse.calm)))


def write_clip_folder(folder, teacher: bool = True):
    """Two looks at two places each, as `paintover clips` writes them."""
    folder.mkdir()
    entries, metas, frames = [], [], 30
    generator = np.random.default_rng(0)
    with ContainerWriter(folder / "race.clips", KIND) as writer:
        for k in range(4):
            maps = np.repeat(np.repeat(generator.integers(0, 13, (frames, 8, 8), np.uint8), 8, 1), 8, 2)
            colors = np.random.default_rng(k // 2).integers(0, 256, (13, 3), dtype=np.uint8)
            camera = np.zeros((frames, 12))
            camera[:, 0] = k + np.arange(frames) / 100  # no two alike
            arrays = {"class": maps, "camera": camera, "cars": np.zeros((frames, 1, 10))}
            arrays |= {"depth": np.full(maps.shape, 9, np.float16), "motion": np.zeros((*maps.shape, 2), np.float32)}
            arrays |= {"teacher": colors[maps]} if teacher else {}
            for name, array in arrays.items():
                writer.add(f"{k}/{name}", array, "raw" if name == "teacher" else "zstd")
            metas.append({"index": k, "look_seed": k // 2, "prompt": f"look {k // 2}", "track": "acorn-loop"})
            entries.append({"shard": "race.clips", "number": k, "look_seed": k // 2, "track": "acorn-loop"})
        writer.commit({"classes": class_table_json(RACING), "fps": 24, "clips": metas})
    table = class_table_json(RACING)
    write_json(folder / INDEX_FILE, {"format": KIND, "classes": table, "fps": 24, "clips": entries})
    return folder


def test_clips_take_their_references_from_one_another(tmp_path):
    options = DriveOptions(guided=True, encode=lambda text: torch.full((64, 384), float(text[-1])))
    drives = list(clip_drives(write_clip_folder(tmp_path / "c"), options, 3))
    assert len(drives) == 3
    own, other, control = (drives[0].references[name] for name in (OWN, OTHER_PLACE, CONTROL))
    assert torch.equal(own.picture, drives[0].footage.read(0, 1).teacher[0])
    assert torch.equal(other.picture, drives[1].footage.read(0, 1).teacher[0])
    assert torch.equal(control.picture, drives[2].footage.read(0, 1).teacher[0])
    assert [float(r.text[0, 0]) for r in (own, other, control)] == [0, 0, 1]
    assert [float(r.camera[0]) for r in (own, other, control)] == [0, 1, 2]
    shots = drives[0].footage.read(0, 6)
    assert shots.motion.shape == (6, 64, 64, 2)
    assert shots.guides.depth.shape == (6, 64, 64)


def test_a_clip_folder_is_scored_by_the_command(tmp_path, capsys):
    folder = write_clip_folder(tmp_path / "c")
    assert cli.main(["eval", str(folder), *TOY, "--no-video", "--limit", "2", "--json"]) in (0, 1)
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [d["name"] for d in printed["drives"]] == ["clip 0, acorn-loop", "clip 1, acorn-loop"]
    assert (tmp_path / "c-eval" / "report.html").is_file()


def test_clips_without_teacher_frames_are_refused(tmp_path):
    with pytest.raises(UserError, match="no teacher frames"):
        next(clip_drives(write_clip_folder(tmp_path / "c", teacher=False), DriveOptions(), 1))


def test_the_suite_is_held_out():
    SuitePlan()
    assert all(split_of(track) == "held-out" for track in TRACKS)
    assert len(set(LOOKS)) == len(LOOKS)


class BlackTeacher:
    """Stands in for the teacher view where nobody looks at its pictures."""

    can_restage = True

    def __init__(self, session, *_):
        self._black = np.zeros((*session.shape, 3), np.uint8)

    def still(self, index, look=None):
        return self._black

    def close(self):
        pass


def test_the_suite_records_its_drives_once(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "DrawnTeacher", BlackTeacher)
    plan = SuitePlan(("plum-oval",), ("storm", "overcast"), 1.0, 64, 64, rivals=1)
    for _ in range(2):
        names = [(d.name, len(d.footage)) for d in suite_drives(plan, tmp_path, DriveOptions((OWN,)), False)]
        assert names == [("plum-oval storm", 24), ("plum-oval overcast", 24)]
        monkeypatch.setattr("demos.eval.held_out.record_session", refuse)
    folders = sorted((tmp_path / "drives").iterdir())
    assert [len(open_session(f).frames) for f in folders] == [120, 120]
    first = open_session(folders[0])
    times = [first.frame_state(k).tick for k in range(120)]
    assert all(b - a == 5 for a, b in pairwise(times))


def test_a_suite_stopped_while_recording_leaves_no_half_drive(tmp_path, monkeypatch):
    import signal

    from engine_sim.recording.record import Views

    draw = Views.draw

    def pressed(self, frame):
        signal.raise_signal(signal.SIGTERM)
        return draw(self, frame)

    monkeypatch.setattr(Views, "draw", pressed)
    plan = SuitePlan(("plum-oval",), ("storm",), 1.0, 64, 64, rivals=1)
    with pytest.raises(KeyboardInterrupt):
        next(suite_drives(plan, tmp_path, DriveOptions((OWN,)), False))
    assert list((tmp_path / "drives").iterdir()) == []
