"""`paintover bench players --profile`: the table, the trace and what they cost, on the toy model."""

import json

import pytest
import torch

from demos import cli
from demos.benches.profiled import profile_chunks
from diffusion_render.stream import profile
from diffusion_render.stream.profile import span

TOY = ("--preset", "toy", "--random-weights", "--threads", "1", "--size", "64x64")


def test_a_profile_of_players_names_the_stages_of_a_chunk(tmp_path, capsys):
    path = tmp_path / "trace.json"
    assert cli.main(["bench", "players", *TOY, "--seconds", "0.4", "--json", "--profile", str(path)]) == 0
    out = capsys.readouterr().out
    report = json.loads(out.splitlines()[-1])["profile"]
    rows = {row["name"]: row for row in report["spans"]}
    stages = "chunk", "frames together", "class maps in", "draft", "window", "structure", "history", "step 1", "step 2"
    assert {*stages, "anchored noise", "decode", "to bytes", "copy out", "draft ahead", "wait"} <= set(rows)
    assert (rows["decode"]["calls"], rows["step 1"]["calls"], rows["window"]["depth"]) == (2, 1, 1)
    inside = sum(row["processor"]["share"] for row in report["spans"] if row["depth"] == 1)
    assert inside == pytest.approx(1, abs=0.01)
    assert report["counters"] == {"bytes of class maps": 8 * 64 * 64, "bytes of pictures": 3 * 8 * 64 * 64}
    assert report["ms_on"]["samples"] == report["ms_off"]["samples"] == report["chunks"] >= 4
    assert -1 < report["overhead"]["low"] <= report["overhead"]["median"] <= report["overhead"]["high"]
    assert report["recompiles"] == 0
    begun = [e["name"] for e in json.loads(path.read_text())["traceEvents"] if e["ph"] == "B"]
    assert begun.count("chunk") == report["chunks"]
    assert "the profiler adds" in out
    assert profile._active is None


def test_half_of_the_chunks_are_drawn_without_the_profiler():
    seen = []

    def draw():
        seen.append(profile._active is not None)
        with span("chunk"):
            pass

    trees, figures = profile_chunks(draw, 3, 1e-6, torch.device("cpu"))
    assert seen[:12] == [True] * 3 + [False] * 6 + [True] * 3
    assert len(trees) == seen.count(True) == seen.count(False) == figures["ms_on"]["samples"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("decoder", "--profile", "trace.json"), "--profile is an option of `bench players`"),
        (("players", "--profile", f"{__file__}/trace.json"), "cannot write a trace"),
    ],
)
def test_profiles_that_cannot_be_are_refused_before_any_work(capsys, words, said):
    assert cli.main(["bench", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
