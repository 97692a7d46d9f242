"""Cutting clips: right content, the same bytes with any workers, and runs that can be stopped and go on."""

import dataclasses
import json
import math
import multiprocessing
import os
import shutil
import signal
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from itertools import pairwise

import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.racing.world import RaceSetup
from engine_sim.recording import studio, workers
from engine_sim.recording.clip_plan import ClipPlan, plan_clips, plan_races, plan_shards
from engine_sim.recording.clips import ClipFolder, Shard, light_of
from engine_sim.recording.ledger import PARTS, WAITING, Ledger
from engine_sim.recording.race_log import has_race, open_race, simulate_race
from engine_sim.recording.reader import open_session
from engine_sim.recording.record import record_session
from engine_sim.recording.render_pool import Workers, render_clips
from engine_sim.recording.workers import GL_DEVICE, _start_worker
from engine_sim.tracks.catalogue import load_track, split_of, track_names
from engine_sim.views import teacher_light
from engine_sim.views.class_view import open_class_view
from engine_sim.views.look import sample_look
from engine_sim.views.scene import build_scene
from render_bridge.palette import RACING, ClassTable

TRACK = next(name for name in track_names("built-in") if split_of(name) == "train")
PLAN = ClipPlan(
    seed=1, count=6, width=96, height=64, frames=4, tracks=(TRACK,), race_seconds=5, clips_per_race=3,
    clips_per_shard=2, teacher="none", planes=("depth", "motion", "object"), restless=0.5,
)  # fmt: skip
HERE = Workers(0, 0)


def cut(out, plan=PLAN, processes=HERE):
    return render_clips(plan, out, processes, backend="cpu", progress=False)


def files(folder):
    paths = sorted(p for p in folder.rglob("*") if p.is_file())
    return {str(p.relative_to(folder)): p.read_bytes() for p in paths}


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    report = cut(tmp_path_factory.mktemp("clips") / "c")
    assert (report.finished, report.clips, report.frames) == (True, 6, 24)
    assert report.steady_fps > 0.0
    return report


@pytest.fixture(scope="module")
def folder(first_run):
    return first_run.path


def test_clips_show_what_the_plan_says(folder):
    clips = ClipFolder(folder)
    assert len(clips) == 6
    races = {race.name: race for race in plan_races(PLAN)}
    with open_class_view(build_scene(load_track(TRACK)), 96, 64, "cpu") as view:
        for job in plan_clips(PLAN, tuple(races.values())):
            clip = clips.clip(job.index)
            log = open_race(folder / "races" / f"{job.race}.race", races[job.race])
            frames = log.frames(job.start, job.frames, job.camera)
            assert all(np.array_equal(view.draw(f), m) for f, m in zip(frames, clip.class_maps, strict=True))
            assert clip.meta["start_tick"] == frames[0].tick == 5 * job.start
            assert clip.meta["look_seed"] == job.look
            assert clip.meta["race_seed"] == races[job.race].setup.seed
            before = log.frames(max(job.start - 1, 0), 1, job.camera) + frames
            for k, planes in enumerate(view.planes(f, b, PLAN.planes) for b, f in pairwise(before)):
                assert all(np.array_equal(clip.planes[name][k], planes[name]) for name in PLAN.planes)
            assert clip.camera.shape == (4, 12)
            assert clip.camera[0, :3].tolist() == list(frames[0].camera.position)
            assert clip.cars.shape == (4, races[job.race].setup.rivals + 1, 10)
            assert clip.cars[0, 0, 0] == frames[0].cars[0].x


def test_clips_carry_planes_look_prompt_and_timeline(folder):
    clip = ClipFolder(folder).clip(0)
    assert {name: (p.dtype, p.shape) for name, p in clip.planes.items()} == {
        "depth": (np.float16, (4, 64, 96)),
        "motion": (np.float32, (4, 64, 96, 2)),
        "object": (np.uint8, (4, 64, 96)),
    }
    assert clip.meta["look"] == json.loads(json.dumps(sample_look(clip.meta["look_seed"]).to_dict()))
    present = [c for c in range(13) if (clip.class_maps == c).any()]
    assert set(clip.meta["prompt"].split()) & set(sample_look(clip.meta["look_seed"]).prompt(present).split())
    assert clip.meta["split"] == "train"
    assert any(entry["kind"] == "phase" for entry in clip.meta["timeline"])
    assert all(0.0 <= e["start"] <= e["end"] <= 4 / 24 + 1e-6 for e in clip.meta["timeline"])


def test_clips_name_the_light_of_their_look(folder):
    clips = ClipFolder(folder)
    for index in range(6):
        meta = clips.clip(index).meta
        look = sample_look(meta["look_seed"])
        *flat, up = meta["light"]
        share = 1.0 - look.lighting.deck
        assert math.atan2(flat[1], flat[0]) % math.tau == pytest.approx(look.weather.sun_azimuth % math.tau, abs=1e-3)
        assert math.degrees(math.asin(up / share)) == pytest.approx(look.weather.sun_elevation, abs=1e-2)
        assert math.hypot(*flat, up) == pytest.approx(share, abs=1e-5)


def test_a_light_points_where_the_sun_stands_and_is_short_under_a_deck():
    clear, dull = (light_of(sample_look(3, lighting)) for lighting in ("clear midday", "overcast"))
    assert math.hypot(*clear) == pytest.approx(1.0, abs=1e-5)
    assert math.hypot(*dull) < 0.1
    sun = teacher_light.light_of(sample_look(3, "clear midday")).sun
    assert clear == pytest.approx(list(sun), abs=1e-3)


def test_other_places_of_a_look_are_found(folder):
    clips = ClipFolder(folder)
    for index in range(6):
        others = clips.other_places(index)
        assert others == [index ^ 1]
        assert clips.entries[others[0]]["look_seed"] == clips.entries[index]["look_seed"]


def test_any_number_of_workers_gives_the_same_bytes_whatever_each_drew_before(tmp_path):
    """One process draws all clips, then two share them: teacher views too begin anew at another clip, look and race."""
    plan = dataclasses.replace(PLAN, count=4, frames=2, places=1, clips_per_race=2, clips_per_shard=1, teacher="zstd")
    cut(tmp_path / "a", plan)
    assert cut(tmp_path / "b", plan, Workers(2, 1)).finished
    teachers = [ClipFolder(tmp_path / "a").clip(k).teacher for k in range(4)]
    assert all(teacher.shape == (2, 64, 96, 3) for teacher in teachers)
    assert not any(np.array_equal(one, other) for one, other in pairwise(teachers))
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_a_report_says_where_the_time_of_drawing_went(first_run):
    assert list(first_run.shares) == [*PARTS, WAITING]
    assert sum(first_run.shares.values()) == pytest.approx(1.0)
    assert min(first_run.shares.values()) > 0.0
    assert first_run.processor_ms > 0.0


def test_a_whole_folder_is_left_alone(folder):
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*.clips")}
    report = cut(folder)
    assert report.steady_fps == 0.0
    assert (report.clips, report.frames, report.finished) == (0, 0, True)
    assert (report.shares, report.processor_ms) == ({}, 0.0)
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*.clips")} == before


def test_missing_and_broken_files_are_made_again(folder, tmp_path):
    want = files(folder)
    shutil.copytree(folder, tmp_path / "c")
    shards = sorted((tmp_path / "c").glob("*.clips"))
    shards[0].unlink()
    shards[1].write_bytes(shards[1].read_bytes()[:-5])
    next((tmp_path / "c" / "races").glob("*.race")).write_bytes(b"broken")
    (tmp_path / "c" / f".{shards[0].name}.99999999.partial").write_bytes(b"of a killed worker")
    report = cut(tmp_path / "c")
    assert 0 < report.clips <= 4
    assert files(tmp_path / "c") == want


def test_ctrl_c_stops_and_the_same_call_goes_on(folder, tmp_path, monkeypatch):
    render, calls = workers.render_shard, []

    def pressed(*arguments):
        calls.append(1)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        render(*arguments)

    monkeypatch.setattr(workers, "render_shard", pressed)
    report = cut(tmp_path / "c")
    assert not report.finished
    assert 0 < report.clips < 6
    assert not (tmp_path / "c" / "index.json").exists()
    assert not list((tmp_path / "c").glob(".*.partial"))
    with pytest.raises(UserError, match="no finished clip folder"):
        ClipFolder(tmp_path / "c")
    assert cut(tmp_path / "c").finished
    assert files(tmp_path / "c") == files(folder)


def test_ctrl_c_stops_workers_too(folder, tmp_path, monkeypatch):
    """The signal goes to the parent alone here; a terminal would send it to the workers, too, who ignore it."""
    pools = workers._pools

    def pressed(*arguments):
        signal.raise_signal(signal.SIGINT)
        return pools(*arguments)

    monkeypatch.setattr(workers, "_pools", pressed)
    assert not cut(tmp_path / "c", processes=Workers(1, 1)).finished
    assert cut(tmp_path / "c").finished
    assert files(tmp_path / "c") == files(folder)


def test_a_signal_that_ends_the_workers_too_is_a_stop_and_no_fault(tmp_path, monkeypatch):
    def ended(*arguments):
        signal.raise_signal(signal.SIGTERM)
        raise BrokenProcessPool

    monkeypatch.setattr(workers, "_pools", ended)
    assert not cut(tmp_path / "c", processes=Workers(1, 1)).finished
    assert cut(tmp_path / "c").finished


def test_another_plan_or_a_foreign_folder_is_refused(folder, tmp_path):
    with pytest.raises(UserError, match=r"begun with another plan \(other seed\)"):
        cut(folder, dataclasses.replace(PLAN, seed=2))
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(UserError, match="is no clip folder"):
        cut(tmp_path)
    assert os.listdir(tmp_path) == ["mine.txt"]


def test_too_little_disk_is_told_before_the_work(tmp_path):
    with pytest.raises(UserError, match=r"need about .* GB free"):
        cut(
            tmp_path / "c",
            dataclasses.replace(PLAN, count=3_000, frames=100, width=8192, height=8192, planes=("motion",)),
        )


def test_a_worker_that_fails_gives_its_message(tmp_path):
    plan = dataclasses.replace(PLAN, count=1)
    with pytest.raises(UserError, match="unknown backend 'vulkan'"):
        render_clips(plan, tmp_path / "c", Workers(1, 1), backend="vulkan", progress=False)


def test_a_worker_that_dies_is_told_and_the_same_call_goes_on(folder, tmp_path):
    def kill_the_first_worker():
        while not multiprocessing.active_children():
            time.sleep(0.01)
        multiprocessing.active_children()[0].kill()

    killer = threading.Thread(target=kill_the_first_worker)
    killer.start()
    with pytest.raises(UserError, match="a worker died"):
        cut(tmp_path / "c", processes=Workers(1, 1))
    killer.join()
    assert cut(tmp_path / "c").finished
    assert files(tmp_path / "c") == files(folder)


def test_other_class_tables_are_refused(folder):
    table = ClassTable("racing-0", RACING.classes)
    with pytest.raises(UserError, match=f"{table.hash}, got 'racing-1' with hash {RACING.hash}"):
        ClipFolder(folder, table)
    with pytest.raises(UserError, match=table.hash):
        Shard(next(folder.glob("*.clips")), table)


def test_an_index_cannot_lead_out_of_its_folder(folder, tmp_path):
    path = shutil.copytree(folder, tmp_path / "c") / "index.json"
    path.write_text(path.read_text().replace('"race-00000-000.clips"', '"../race-00000-000.clips"'))
    clips = ClipFolder(tmp_path / "c")
    outside = next(k for k, entry in enumerate(clips.entries) if entry["shard"].startswith(".."))
    with pytest.raises(UserError, match="is no plain file name"):
        clips.clip(outside)


def test_a_race_is_simulated_once_and_read_back(tmp_path):
    job = plan_races(PLAN)[0]
    assert simulate_race(job, tmp_path / "r.race")
    assert has_race(tmp_path / "r.race", job)
    log = open_race(tmp_path / "r.race", job)
    assert log.cars.shape[0] == 5 * 24
    assert not has_race(tmp_path / "r.race", plan_races(PLAN)[1])
    assert not simulate_race(job, tmp_path / "s.race", stopped=lambda: True)
    assert not (tmp_path / "s.race").exists()
    (tmp_path / "t.race").write_bytes((tmp_path / "r.race").read_bytes()[:-1])
    assert not has_race(tmp_path / "t.race", job)


def test_sessions_are_cut_at_another_size_rate_and_camera(tmp_path):
    setup = RaceSetup(TRACK, seed=8, rivals=2)
    record_session(setup, tmp_path / "s", 4.0, size=(64, 32), views="cpu", progress=False)
    plan = ClipPlan(
        count=2, width=128, height=96, fps=60, frames=6, sessions=(str(tmp_path / "s"),), cameras=("cockpit",),
        teacher="none",
    )  # fmt: skip
    cut(tmp_path / "c", plan)
    clip = ClipFolder(tmp_path / "c").clip(0)
    assert clip.class_maps.shape == (6, 96, 128)
    tick = clip.meta["start_tick"]
    recorded = {f.frame.tick: f.frame.cars[0].x for f in open_session(tmp_path / "s").frames}
    both = [(k, t) for k, t in enumerate(range(tick, tick + 12, 2)) if t in recorded]
    assert both
    assert all(clip.cars[k, 0, 0] == recorded[t] for k, t in both)


def test_restless_players_leave_the_line_and_keep_going():
    from engine_sim.racing.state import D, U
    from engine_sim.racing.world import World
    from engine_sim.recording.restless import RestlessDriver

    world, driver = World(RaceSetup(TRACK, seed=2, rivals=1, laps=200)), RestlessDriver(2)
    offsets, speeds = [], []
    for _ in range(120 * 40):
        world.step(driver.controls(world))
        offsets.append(world.state.cars[0, D])
        speeds.append(world.state.cars[0, U])
    assert max(offsets) - min(offsets) > 6.0
    assert max(speeds) > 15.0
    assert min(speeds) < -0.5 or world.state.cars[0, U] > 0.0


def test_pictures_are_drawn_ahead_but_fetched_in_order():
    class Slow:
        def __init__(self):
            self.begun, self.most = [], 0

        def begin(self, frame, draws):
            assert draws == -frame
            self.begun.append(frame)
            self.most = max(self.most, len(self.begun))

        def end(self, out):
            out[...] = self.begun.pop(0)
            return out

    view, out = Slow(), np.empty((7, 2, 2), np.uint8)
    ledger = Ledger()
    studio.draw_into(view, list(range(7)), [-k for k in range(7)], out, lambda: False, ledger)
    assert out[:, 0, 0].tolist() == list(range(7))
    assert view.most == studio.IN_FLIGHT
    with pytest.raises(studio.Stopped):
        studio.draw_into(
            view, list(range(9)), [-k for k in range(9)], np.empty((9, 2, 2), np.uint8), lambda: True, ledger
        )
    assert view.begun == []


def test_looks_are_worked_out_ahead_and_handed_out_in_order():
    with studio.LookAhead([5, 3, 9, 1, 7], lit=True) as looks:
        assert [looks.take().seed for _ in range(5)] == [5, 3, 9, 1, 7]


def test_shards_say_what_they_are(folder):
    plan = plan_shards(PLAN)
    assert sorted(p.name for p in folder.glob("*.clips")) == sorted(shard.name for shard in plan)
    shard = Shard(folder / plan[0].name)
    assert [meta["index"] for meta in shard.metas] == [job.index for job in plan[0].clips]


def test_a_renderer_draws_on_the_graphics_card_it_was_given(monkeypatch):
    monkeypatch.setenv(GL_DEVICE, "before")
    monkeypatch.setattr(workers.signal, "signal", lambda *_: None)
    _start_worker(None, None, None, None)
    assert os.environ[GL_DEVICE] == "before"  # one card: whatever the environment says
    _start_worker(None, None, None, 1)
    assert os.environ[GL_DEVICE] == "1"


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((-5, 1), "renderers must be a whole number from 0 to 1024, got -5"),
        ((1, 0), "racers must be a whole number from 1 to 1024, got 0"),
        ((1, 1, 0), "gl-devices must be a whole number from 1 to 1024, got 0"),
        ((5000, 1), "got 5000"),
    ],
)
def test_counts_of_processes_that_make_no_sense_are_refused(counts, words):
    with pytest.raises(UserError, match=words):
        Workers(*counts)
