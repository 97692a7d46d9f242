"""`paintover train` and `pack`: from clips to one file of weights, on a toy, as people run them."""

import argparse
import json
import shutil

import pytest
import torch
from safetensors.torch import load_file
from torch.distributed.run import get_args_parser

from demos.cli import main
from demos.commands.train import add_arguments
from demos.training.parts import generator_part
from diffusion_render.model.autoencoder import MAY_BE_MISSING
from diffusion_render.model.bundle import open_renderer
from diffusion_render.model.places import WEIGHTS_VARIABLE
from diffusion_render.model.renderer import PRESETS, Renderer
from diffusion_render.model.weights import read_header, save_weights
from tests.diffusion_render.train.test_autoencoder_stage import write_clips


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    return write_clips(tmp_path_factory.mktemp("clips"), frames=36)


def train(clips, folder, *words):
    places = ["--clips", str(clips), "--held-out", str(clips), "--folder", str(folder)]
    sizes = ["--steps", "2", "--evaluations", "1", "--batch", "2", "--crop", "64"]
    return main(["train", *words, "--preset", "toy", *places, *sizes])


@pytest.fixture(scope="module")
def old(clips, tmp_path_factory):
    """A run from before the layers that are options."""
    folder = tmp_path_factory.mktemp("old")
    assert train(clips, folder, "autoencoder", "teacher-forcing") == 0
    return folder


def test_the_stages_make_parts_that_pack_into_weights_that_open(clips, tmp_path, capsys):
    stages = ("autoencoder", "teacher-forcing", "resampling", "distillation")
    assert train(clips, tmp_path, *stages, "--guidance", "--json") == 0
    scores = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert tuple(scores) == stages
    for stage in stages[2:]:
        assert scores[stage]["steps"] == 2
        assert len(scores[stage]["other_place_psnr"]) >= 1
        assert (tmp_path / stage / "stream_other_place.jpg").stat().st_size > 1000
    assert main(["pack", str(tmp_path), "--preset", "toy", "--out", str(tmp_path / "out" / "toy.safetensors")]) == 0
    header = read_header(tmp_path / "out" / "toy.safetensors")
    assert (header.stage, header.sampler, header.preset) == ("distillation", "euler-2", "toy")
    assert open_renderer("toy", tmp_path / "out").config.preset == "toy"


def test_a_start_without_the_selecting_layer_goes_on_with_it_and_packs(clips, old, tmp_path, capsys):
    new, start = tmp_path / "new", ["--start-from", str(old / "weights")]
    assert train(clips, new, "autoencoder", "teacher-forcing", "--selected", *start) == 0
    assert f"autoencoder: from {old}" in capsys.readouterr().out
    assert read_header(new / "weights" / "autoencoder.safetensors").config["selected"]
    assert main(["pack", str(new), "--preset", "toy", "--out", str(new / "toy.safetensors")]) == 0
    head = open_renderer("toy", new).autoencoder.decoder.head
    assert head.select.weight.any()  # learnt in two steps from zero
    first, second = (torch.load(f / "autoencoder" / "state.pt", weights_only=True)["trainer"] for f in (old, new))
    names = first["learner"]["weights"].keys() ^ second["learner"]["weights"].keys()
    assert names == {f"0.{name}" for name in MAY_BE_MISSING}


def test_a_start_without_headings_goes_on_with_them_and_packs(clips, old, tmp_path, capsys):
    new = tmp_path / "new"
    assert not read_header(old / "weights" / "generator.safetensors").config["heading"]
    assert train(clips, new, "teacher-forcing", "resampling", "--heading", "--start-from", str(old / "weights")) == 0
    assert f"generator: from {old}" in capsys.readouterr().out
    assert read_header(new / "weights" / "generator.safetensors").config["heading"]
    shutil.copy(old / "weights" / "autoencoder.safetensors", new / "weights")  # packing reads one folder
    assert main(["pack", str(new), "--preset", "toy", "--out", str(new / "toy.safetensors")]) == 0
    assert open_renderer("toy", new).generator.heading.weight.any()  # learnt in two steps from zero


def test_resampling_too_starts_without_headings_but_nothing_goes_on_without_those_it_has(clips, old, tmp_path, capsys):
    new = tmp_path / "new"
    assert train(clips, new, "resampling", "--heading", "--start-from", str(old / "weights")) == 0
    shutil.copy(old / "weights" / "autoencoder.safetensors", new / "weights")
    assert train(clips, tmp_path / "plain", "resampling", "--start-from", str(new / "weights")) == 2
    assert "generator.heading.weight" in capsys.readouterr().err


def test_a_start_without_light_goes_on_with_it_and_packs(old, tmp_path, capsys):
    lit, new = write_clips(tmp_path / "lit", frames=28, light=[0.6, 0.0, 0.8]), tmp_path / "new"
    start = ["--start-from", str(old / "weights")]
    assert train(lit, new, "teacher-forcing", "refinement", "--light", "--json", *start) == 0
    scores = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert all(0 < stage["light_error"] != stage["light_error_of_zero"] for stage in scores.values())
    config = read_header(new / "weights" / "generator.safetensors").config
    assert config["heading"]
    assert config["light"]
    assert main(["pack", str(new), "--preset", "toy", "--out", str(new / "toy.safetensors")]) == 0
    generator = open_renderer("toy", new).generator
    assert generator.light.weight.any()  # learnt in four steps from zero
    assert generator.reader.say.weight.any()


def test_a_run_goes_on_from_the_shipped_weights(clips, old, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(WEIGHTS_VARIABLE, str(tmp_path / "shipped"))
    new, words = tmp_path / "new", ("teacher-forcing", "--start-from", "shipped")
    assert train(clips, new, *words) == 2
    assert "toy.safetensors" in capsys.readouterr().err
    assert main(["pack", str(old), "--preset", "toy", "--out", str(tmp_path / "shipped" / "toy.safetensors")]) == 0
    for _ in range(2):
        assert train(clips, new, *words) == 0
    assert f"autoencoder: from {new / 'shipped'}" in capsys.readouterr().out
    kept = open_renderer("toy").autoencoder.state_dict()
    parts = load_file(new / "shipped" / "autoencoder.safetensors")
    assert all(torch.allclose(parts[name].float(), kept[name], atol=1e-3) for name in kept)


def test_a_run_is_packed_as_a_blend_with_its_start(old, clips, tmp_path, capsys):
    new, start = tmp_path / "new", tmp_path / "start"
    assert train(clips, new, "resampling", "--heading", "--start-from", str(old / "weights")) == 0
    shutil.copytree(old / "weights", start)
    part, header = start / "generator.safetensors", read_header(start / "generator.safetensors")
    other = Renderer(PRESETS["toy"])
    save_weights(part, generator_part(other), header, torch.float16)
    shutil.copy(start / "autoencoder.safetensors", new / "weights")
    pack, blend = ["pack", str(new), "--preset", "toy"], ["--blend", str(start)]
    assert main([*pack, "--out", str(tmp_path / "all" / "toy.safetensors")]) == 0
    assert main([*pack, *blend, "--share", "0.25", "--out", str(tmp_path / "part" / "toy.safetensors")]) == 0
    whole, mixed = (open_renderer("toy", tmp_path / name).generator for name in ("all", "part"))
    assert torch.allclose(mixed.role, 0.25 * whole.role + 0.75 * other.generator.role, atol=2e-3)
    assert torch.allclose(mixed.heading.weight, whole.heading.weight, atol=2e-3)  # its start had none
    for words in (["--share", "0.5"], [*blend, "--share", "1"], ["--blend", str(tmp_path / "none")]):
        assert main([*pack, *words, "--out", str(tmp_path / "no" / "toy.safetensors")]) == 2
    assert not (tmp_path / "no").exists()
    assert "--share must lie between 0 and 1" in capsys.readouterr().err


def test_a_stage_without_what_it_builds_on_names_the_stage_to_run(clips, tmp_path, capsys):
    assert train(clips, tmp_path, "teacher-forcing") == 2
    assert "run the stage 'autoencoder' first" in capsys.readouterr().err


def test_times_must_fit_the_stages(clips, tmp_path, capsys):
    assert train(clips, tmp_path, "autoencoder", "teacher-forcing", "--seconds", "5,5,5") == 2
    assert "--seconds takes one value, or 2 of them" in capsys.readouterr().err


def test_packing_a_run_without_parts_is_refused_by_name(tmp_path, capsys):
    assert main(["pack", str(tmp_path)]) == 2
    assert "autoencoder.safetensors" in capsys.readouterr().err


def test_no_option_is_taken_by_torchrun_for_an_abbreviation_of_its_own():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    ours = [word for action in parser._actions for word in action.option_strings if word.startswith("--")]
    words = ["--standalone", "--nproc-per-node", "2", "-m", "demos.cli", "train", *ours]
    assert get_args_parser().parse_args(words).training_script_args == ["train", *ours]


def test_every_stage_may_have_a_batch_and_a_rate_of_its_own(clips, tmp_path):
    words = "--batch", "1,3", "--rate", "2e-3,1e-3"
    places = ["--clips", str(clips), "--held-out", str(clips), "--folder", str(tmp_path), "--preset", "toy"]
    stages = "autoencoder", "teacher-forcing"
    assert main(["train", *stages, *places, "--steps", "1", "--evaluations", "1", "--crop", "64", *words]) == 0
    settings = [json.loads(next((tmp_path / s).glob("settings*.json")).read_text())["stage"] for s in stages]
    assert [(s["batch"], s["rate"]) for s in settings] == [(1, 2e-3), (3, 1e-3)]
