"""Scripted manners of driving: each shows what it is there for, and is recorded as inputs like anybody's."""

import pytest

from demos.commands import record
from demos.options import DEFAULT_TRACK
from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE
from engine_sim.racing.state import D, S
from engine_sim.racing.world import RaceSetup
from engine_sim.recording.drive import Drive
from engine_sim.recording.manners import MANNERS, RACE, driver_of
from engine_sim.recording.record import record_session
from engine_sim.recording.replay import replay_session
from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.query import sample_at

LONG = 22 * TICK_RATE


@pytest.fixture(scope="module")
def track():
    return load_track(DEFAULT_TRACK)


def driven(track, manner, ticks=LONG, rivals=2):
    """The drive behind it, and speed, heading and whether on the verge for each tick."""
    drive, driver = Drive(RaceSetup(DEFAULT_TRACK, rivals=rivals), track=track), driver_of(manner, 1)
    trace = []
    for _ in range(ticks):
        drive.step(driver.controls(drive.world))
        row = drive.world.state.cars[0]
        wide = sample_at(track.arrays.width_left, track.arrays, row[S])
        trace.append((drive.world.speed(0), drive.world.poses()[0].yaw, abs(row[D]) > 1.3 * wide))
    return drive, *(list(column) for column in zip(*trace, strict=True))


def test_who_stands_stands_from_the_grid_on(track):
    drive, speeds, _, _ = driven(track, "stand", 10 * TICK_RATE)
    assert max(map(abs, speeds)) < 0.1
    assert drive.world.countdown_ticks == 0


def test_who_reverses_goes_backwards_for_long_and_stays_on_the_road(track):
    _, speeds, _, beside = driven(track, "reverse")
    assert sum(speed < -3.0 for speed in speeds) > 10 * TICK_RATE
    assert not any(beside)


def test_who_spins_turns_more_than_half_round(track):
    _, speeds, yaws, _ = driven(track, "spin", 12 * TICK_RATE)
    assert max(speeds) > 12.0
    turned = [min(abs(a - b), 6.2832 - abs(a - b)) for a, b in zip(yaws, yaws[2 * TICK_RATE :], strict=False)]
    assert max(turned) > 1.8


def test_who_rams_hits_a_rival(track):
    drive, _, _, _ = driven(track, "ram", rivals=15)
    assert any(event.kind == "contact" and 0 in (event.car, event.other) for event in drive.world.events)


def test_who_strays_is_beside_the_road_for_seconds_and_comes_back(track):
    _, _, _, beside = driven(track, "stray")
    away = [k for k, is_beside in enumerate(beside) if is_beside]
    assert len(away) > 3 * TICK_RATE
    assert not beside[-1]


def test_what_a_manner_drove_is_recorded_and_replays_without_it(tmp_path):
    setup = RaceSetup(DEFAULT_TRACK, rivals=1)
    folder = record_session(setup, tmp_path / "s", 6.0, size=(64, 32), views="cpu", progress=False, manner="spin")
    report = replay_session(folder, progress=False)
    assert report.first_tick is None
    assert report.ticks == 6 * TICK_RATE + 1


def test_an_unknown_manner_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UserError, match="unknown manner 'politely'; known: race, restless, stand"):
        record_session(RaceSetup(DEFAULT_TRACK), tmp_path / "s", 1.0, progress=False, manner="politely")
    assert not (tmp_path / "s").exists()


def test_the_command_names_every_manner(capsys):
    import argparse

    parser = argparse.ArgumentParser()
    record.add_arguments(parser)
    assert all(name in parser.format_help() for name in MANNERS)
    assert driver_of(RACE, 0) is None
