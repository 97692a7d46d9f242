"""SIGTERM, which supervisors send, ends a command as Ctrl-C does: in order, with 130 and one line."""

import errno
import importlib
import signal

import pytest

from demos.cli import main


def ended(*_args, **_words):
    """Stands in for a command's work: a supervisor ends the process meanwhile."""
    signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize(
    ("module", "work", "words"),
    [
        ("engine_sim.recording.record", "record_session", ("record", "--out", "drive")),
        ("engine_sim.recording.replay", "replay_session", ("replay", "drive")),
        ("engine_sim.recording.render_pool", "render_clips", ("clips", "clips")),
        ("engine_sim.recording.reader", "open_session", ("gallery", "drive")),
        ("demos.renderer.process", "need_torch", ("eval", "drive")),
        ("demos.play.headless", "film_race", ("play", "--headless", "--preset", "none", "--out", "film.mp4")),
        ("demos.commands.looks", "parse_look", ("looks", "storm")),
        ("engine_sim.racing.survey", "survey_track", ("tracks", "--race")),
    ],
)
def test_sigterm_stops_a_command_in_order(tmp_path, monkeypatch, capsys, module, work, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(importlib.import_module(module), work, ended)
    assert main(words) == 130
    assert capsys.readouterr().err.endswith(f"paintover {words[0]}: stopped\n")


def test_whoever_waits_for_a_recording_hears_that_rules_are_compiled(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("demos.play.preparing.rules_compiled", lambda: False)
    monkeypatch.setattr("engine_sim.recording.record.record_session", ended)
    assert main(["record", "--out", "drive"]) == 130
    assert "takes minutes" in capsys.readouterr().err


def test_a_disk_that_refuses_the_engines_memory_is_named(tmp_path, monkeypatch, capsys):
    class Refused:
        """An engine whose disk is full."""

        def __init__(self, *_args):
            pass

        def run(self):
            raise OSError(errno.ENOSPC, "No space left on device", "race.memory.part")

    monkeypatch.setattr("demos.bridge.engine.RemoteEngine", Refused)
    assert main(["engine", "--memory", str(tmp_path / "race.memory")]) == 2
    assert "cannot write race.memory.part: No space left on device" in capsys.readouterr().err
