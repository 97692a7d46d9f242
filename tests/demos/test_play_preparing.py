"""Whether the rules were compiled on this machine: people are told of minutes only if it takes minutes."""

from __future__ import annotations

from pathlib import Path

import numba

from demos.play import preparing
from demos.play.game import PlayOptions
from demos.play.headless import prepared_drive
from engine_sim.core.jit import source_key
from engine_sim.racing import tick
from engine_sim.racing.world import RaceSetup

OPTIONS = PlayOptions(RaceSetup(track="acorn-loop"), ())


def test_rules_that_were_compiled_are_found_and_nothing_is_said_of_them():
    said: list[str] = []
    prepared_drive(OPTIONS, said.append)  # compiles, or reads what was compiled before
    assert preparing.rules_compiled()
    said.clear()
    prepared_drive(OPTIONS, said.append)
    assert said == []
    assert preparing.preparation("preparing the race") == "preparing the race"


def test_on_a_new_machine_and_after_a_change_of_the_rules_they_are_to_be_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("PAINTOVER_CACHE", str(tmp_path))
    assert not preparing.rules_compiled()
    assert "takes minutes" in preparing.preparation("preparing the race")
    here, key = Path(tick.tick.stats.cache_path).name, source_key(Path(tick.__file__))
    for name in (f"{'0' * 16}/{here}", f"{key}/racing_4711", f"{key}/{here}"):  # other rules, another checkout, these
        assert not preparing.rules_compiled()
        folder = tmp_path / "kernels" / name
        folder.mkdir(parents=True)
        (folder / "tick.tick-61.py311.nbi").touch()
    assert preparing.rules_compiled()
    monkeypatch.setenv("PAINTOVER_CACHE", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert preparing.rules_compiled()  # there is nothing to compile
