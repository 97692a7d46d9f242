"""A drive on disk: an engine goes on with its own, exactly, and with nobody else's."""

import json

import pytest

from demos import cli
from demos.bridge.engine import EnginePlan, RemoteEngine
from demos.bridge.memory import Memory, read_memory, write_memory
from engine_sim.core.errors import UserError
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from render_bridge.conformance.samples import welcome

from .test_bridge import SMALL, TRACK


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


def test_memory_of_another_race_and_rubbish_are_refused_and_left_alone(tmp_path):
    setup = RaceSetup(track=TRACK, rivals=1, player="ai")
    drive = Drive(setup)
    path = tmp_path / "memory.json"
    write_memory(path, setup, "chase", drive, Memory(None, 0, 0))
    whole = path.read_text()
    others = ((setup, "cockpit", "camera"), (RaceSetup(track=TRACK, rivals=2, player="ai"), "chase", "rivals"))
    for other, camera, what in others:
        with pytest.raises(UserError, match=f"memory of another race .*{what} .* there, .* here"):
            read_memory(path, other, camera, drive)
    assert path.read_text() == whole
    assert read_memory(tmp_path / "none", setup, "chase", drive) is None
    damaged = json.dumps({**json.loads(whole), "world": "AAAA"})
    for rubbish in ("", "{}", "[1]", '{"format": "x"}', whole[:-20], damaged):
        path.write_text(rubbish)
        with pytest.raises(UserError, match="memory"):
            read_memory(path, setup, "chase", drive)


def test_memory_is_for_its_owner_alone_and_makes_its_folder(tmp_path):
    drive = Drive(RaceSetup(track=TRACK, rivals=1, player="ai"))
    path = tmp_path / "new" / "memory.json"
    write_memory(path, drive.world.setup, "chase", drive, Memory(bytes(16), 0, 0))
    assert path.stat().st_mode & 0o077 == 0


def test_an_engine_does_not_begin_on_the_memory_of_another_race(tmp_path, address, capsys):
    setup = RaceSetup(track=TRACK, seed=5, rivals=1, laps=3, player="ai")
    path = tmp_path / "memory.json"
    write_memory(path, setup, "chase", Drive(setup), Memory(None, 0, 0))
    before = path.read_bytes()
    assert cli.main(["engine", "--address", address, *SMALL, "--memory", str(path), "--wait", "0.1"]) == 2
    error = capsys.readouterr().err
    assert "the memory of another race (" in error
    assert "seed 5 there, 0 here" in error
    assert error.count("\n") == 1
    assert path.read_bytes() == before


def test_a_renderer_that_saw_the_impossible_does_not_keep_an_engine_catching_up(tmp_path):
    """Its last tick would take for ever; the engine goes on from its own."""
    said = []
    setup = RaceSetup(track=TRACK, rivals=1, player="ai")
    plan = EnginePlan(setup, f"ipc://{tmp_path}/x.sock", (64, 64), views="cpu")
    engine = RemoteEngine(plan, None, said.append)
    try:
        for last_tick, after in ((20, 20), ((1 << 64) - 1, 20)):
            engine._catch_up(welcome(resumed=True, last_seq=3, last_tick=last_tick))
            assert engine.report()["last_tick"] == after
    finally:
        engine.end.close()
        engine._view.close()
    assert said == [
        "the session goes on after tick 20",
        "the renderer says that it has seen tick 18446744073709551615, which cannot be: "
        "we were at 20, and go on from there",
    ]


def test_a_recording_is_not_driven_on_to_what_its_renderer_saw(tmp_path):
    """R-25: its next number is that of the frame after its memory, not of a later one."""
    setup = RaceSetup(track=TRACK, rivals=1, player="ai")
    plan = EnginePlan(setup, f"ipc://{tmp_path}/x.sock", (64, 64), mode="record", views="cpu")
    engine = RemoteEngine(plan, None, lambda line: None)
    try:
        engine._catch_up(welcome(resumed=True, last_seq=3, last_tick=20))
        assert engine.report()["last_tick"] == 0
    finally:
        engine.end.close()
        engine._view.close()


def test_memory_that_cannot_be_written_is_refused_before_the_drive(tmp_path, address, capsys):
    (tmp_path / "file").write_text("")
    words = ["engine", "--address", address, "--memory", str(tmp_path / "file" / "memory.json")]
    assert cli.main(words) == 2
    assert "cannot write the engine's memory" in capsys.readouterr().err
