"""`paintover bench decoder|generator|loop|players` on the toy model: every promised figure is there and makes sense."""

import json

import pytest

from demos import cli
from demos.benches.spread import spread

TOY = ("--preset", "toy", "--random-weights", "--threads", "1", "--json")


def last_line(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.mark.parametrize("what", ["decoder", "generator"])
def test_parts_of_the_model_are_measured_a_chunk_at_a_time(capsys, what):
    assert cli.main(["bench", what, *TOY, "--seconds", "0.1", "--size", "96x64"]) == 0
    report = last_line(capsys)
    assert (report["bench"], report["size"], report["frames"], report["device"]) == (what, [96, 64], 8, "cpu")
    assert 0 < report["ms"]["low"] <= report["ms"]["median"] <= report["ms"]["p95"] <= report["ms"]["high"]
    assert report["ms"]["samples"] >= 8
    assert report["torch"]
    assert report["random_weights"] is True


def test_the_loop_is_measured_from_start_to_photon(capsys):
    assert cli.main(["bench", "loop", *TOY, "--seconds", "2", "--size", "96x64"]) == 0
    report = last_line(capsys)
    assert report["first_frame_s"] > 0
    assert 0 < report["fps"] < 40
    assert report["chunk_ms"]["samples"] >= 2
    assert report["input_to_photon_ms"]["median"] > report["chunk_ms"]["median"]
    assert report["frames"] >= 20
    assert report["failed"] == 0
    assert set(report["memory_growth_mb_per_minute"]) == {"engine", "renderer"}
    assert report["renderer"].startswith("toy (random weights")


def test_without_weights_the_benchmark_says_what_to_add(tmp_path, capsys):
    for what in ("loop", "decoder"):
        assert cli.main(["bench", what, "--preset", "toy", "--weights", str(tmp_path), "--threads", "1"]) == 2
        error = capsys.readouterr().err
        assert "--random-weights" in error
        assert error.count("\n") == 1


def test_the_spread_names_the_slow_end():
    assert spread([float(k) for k in range(101)])["p95"] == 95.0
    assert spread([3.0]) == {"median": 3.0, "low": 3.0, "high": 3.0, "samples": 1, "p95": 3.0}


@pytest.mark.parametrize("batch", [1, 2])
def test_players_are_measured_host_to_host_with_their_late_chunks(capsys, batch):
    words = "--seconds", "0.8", "--size", "64x64", "--players", "2", "--depth", "--batch", str(batch)
    assert cli.main(["bench", "players", *TOY, *words]) == 0
    report = last_line(capsys)
    assert report["batch"] == batch
    assert 1 <= report["drawn_at_once"] <= batch
    assert (report["players"], report["frames"], report["size"], report["depth"]) == (2, 8, [64, 64], True)
    assert 0 < report["ms"]["median"] <= report["ms"]["p99"]
    assert report["arrival_to_pictures_ms"]["median"] >= report["ms"]["low"]
    assert 2 <= report["chunks"] <= 6
    assert 0 <= report["late"] <= report["chunks"]
    assert report["recorded"] is False
    assert report["recompiles"] == 0


@pytest.mark.parametrize("players", ["0", "257"])
def test_numbers_of_players_that_cannot_be_are_refused(capsys, players):
    assert cli.main(["bench", "players", *TOY, "--players", players]) == 2
    assert "--players must be 1 to 256" in capsys.readouterr().err
