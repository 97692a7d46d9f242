"""`paintover train` and `pack`: from clips to one file of weights, on a toy, as people run them."""

import argparse
import json
import shutil
import signal

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
from diffusion_render.train.run import load_run
from diffusion_render.train.segmenter_stage import SegmenterTrainer
from tests.diffusion_render.train.test_autoencoder_stage import write_clips


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    return write_clips(tmp_path_factory.mktemp("clips"), frames=28)


@pytest.fixture(scope="module")
def held_out(tmp_path_factory):
    """Two places under one look: the fewest that show one from the other, over more than a second."""
    return write_clips(tmp_path_factory.mktemp("held-out"), clips=2, frames=28)


@pytest.fixture(scope="module")
def train(clips, held_out):
    """Runs the command on the toy: ``train(folder, *words)`` gives its exit code; two steps a stage."""

    def run(folder, *words, clips=clips, held_out=held_out, batch="2"):
        places = ["--clips", str(clips), "--held-out", str(held_out), "--folder", str(folder)]
        sizes = ["--steps", "2", "--evaluations", "1", "--batch", batch, "--crop", "64"]
        return main(["train", *words, "--preset", "toy", *places, *sizes])

    return run


@pytest.fixture(scope="module")
def old(train, tmp_path_factory):
    """A run from before the layers that are options; each of its stages had a batch and a rate of its own."""
    folder = tmp_path_factory.mktemp("old")
    assert train(folder, "autoencoder", "teacher-forcing", "--rate", "2e-3,1e-3", batch="1,3") == 0
    return folder


@pytest.fixture(scope="module")
def headed(train, old, tmp_path_factory):
    """A run that went on from the old one with headings; packing reads one folder, so the other part lies there too."""
    folder = tmp_path_factory.mktemp("headed")
    assert train(folder, "resampling", "--heading", "--start-from", str(old / "weights")) == 0
    shutil.copy(old / "weights" / "autoencoder.safetensors", folder / "weights")
    return folder


def test_the_stages_make_parts_that_pack_into_weights_that_open(train, tmp_path, capsys):
    stages = ("autoencoder", "teacher-forcing", "resampling", "distillation")
    assert train(tmp_path, *stages, "--guidance", "--json") == 0
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


def test_a_start_without_the_selecting_layer_goes_on_with_it_and_packs(train, old, tmp_path, capsys):
    new, start = tmp_path / "new", ["--start-from", str(old / "weights")]
    assert train(new, "autoencoder", "teacher-forcing", "--selected", *start) == 0
    assert f"autoencoder: from {old}" in capsys.readouterr().out
    assert read_header(new / "weights" / "autoencoder.safetensors").config["selected"]
    assert main(["pack", str(new), "--preset", "toy", "--out", str(new / "toy.safetensors")]) == 0
    head = open_renderer("toy", new).autoencoder.decoder.head
    assert head.select.weight.any()  # learnt in two steps from zero
    first, second = (torch.load(f / "autoencoder" / "state.pt", weights_only=True)["trainer"] for f in (old, new))
    names = first["learner"]["weights"].keys() ^ second["learner"]["weights"].keys()
    assert names == {f"0.{name}" for name in MAY_BE_MISSING}


def test_a_start_without_headings_goes_on_with_them_and_packs(train, old, tmp_path, capsys):
    new = tmp_path / "new"
    assert not read_header(old / "weights" / "generator.safetensors").config["heading"]
    assert train(new, "teacher-forcing", "resampling", "--heading", "--start-from", str(old / "weights")) == 0
    assert f"generator: from {old}" in capsys.readouterr().out
    assert read_header(new / "weights" / "generator.safetensors").config["heading"]
    shutil.copy(old / "weights" / "autoencoder.safetensors", new / "weights")  # packing reads one folder
    assert main(["pack", str(new), "--preset", "toy", "--out", str(new / "toy.safetensors")]) == 0
    assert open_renderer("toy", new).generator.heading.weight.any()  # learnt in two steps from zero


def test_resampling_too_starts_without_headings_but_nothing_goes_on_without_those_it_has(
    train, old, headed, tmp_path, capsys
):
    configs = [read_header(run / "weights" / "generator.safetensors").config for run in (old, headed)]
    assert [config["heading"] for config in configs] == [False, True]
    assert train(tmp_path / "plain", "resampling", "--start-from", str(headed / "weights")) == 2
    assert "generator.heading.weight" in capsys.readouterr().err


def test_a_start_without_light_goes_on_with_it_and_packs(train, old, tmp_path, capsys):
    lit, new = write_clips(tmp_path / "lit", clips=2, frames=28, light=[0.6, 0.0, 0.8]), tmp_path / "new"
    start = ["--start-from", str(old / "weights")]
    assert train(new, "teacher-forcing", "refinement", "--light", "--json", *start, clips=lit, held_out=lit) == 0
    scores = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert all(0 < stage["light_error"] != stage["light_error_of_zero"] for stage in scores.values())
    config = read_header(new / "weights" / "generator.safetensors").config
    assert config["heading"]
    assert config["light"]
    assert main(["pack", str(new), "--preset", "toy", "--out", str(new / "toy.safetensors")]) == 0
    generator = open_renderer("toy", new).generator
    assert generator.light.weight.any()  # learnt in four steps from zero
    assert generator.reader.say.weight.any()


def test_a_run_goes_on_from_the_shipped_weights(train, old, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(WEIGHTS_VARIABLE, str(tmp_path / "shipped"))
    new, words = tmp_path / "new", ("teacher-forcing", "--start-from", "shipped")
    assert train(new, *words) == 2
    assert "toy.safetensors" in capsys.readouterr().err
    assert main(["pack", str(old), "--preset", "toy", "--out", str(tmp_path / "shipped" / "toy.safetensors")]) == 0
    for _ in range(2):
        assert train(new, *words) == 0
    assert f"autoencoder: from {new / 'shipped'}" in capsys.readouterr().out
    kept = open_renderer("toy").autoencoder.state_dict()
    parts = load_file(new / "shipped" / "autoencoder.safetensors")
    assert all(torch.allclose(parts[name].float(), kept[name], atol=1e-3) for name in kept)


def test_a_run_is_packed_as_a_blend_with_its_start(old, headed, tmp_path, capsys):
    start = tmp_path / "start"
    shutil.copytree(old / "weights", start)
    part, header = start / "generator.safetensors", read_header(start / "generator.safetensors")
    other = Renderer(PRESETS["toy"])
    save_weights(part, generator_part(other), header, torch.float16)
    pack, blend = ["pack", str(headed), "--preset", "toy"], ["--blend", str(start)]
    assert main([*pack, "--out", str(tmp_path / "all" / "toy.safetensors")]) == 0
    assert main([*pack, *blend, "--share", "0.25", "--out", str(tmp_path / "part" / "toy.safetensors")]) == 0
    whole, mixed = (open_renderer("toy", tmp_path / name).generator for name in ("all", "part"))
    assert torch.allclose(mixed.role, 0.25 * whole.role + 0.75 * other.generator.role, atol=2e-3)
    assert torch.allclose(mixed.heading.weight, whole.heading.weight, atol=2e-3)  # its start had none
    for words in (["--share", "0.5"], [*blend, "--share", "1"], ["--blend", str(tmp_path / "none")]):
        assert main([*pack, *words, "--out", str(tmp_path / "no" / "toy.safetensors")]) == 2
    assert not (tmp_path / "no").exists()
    assert "--share must lie between 0 and 1" in capsys.readouterr().err


def test_a_stage_without_what_it_builds_on_names_the_stage_to_run(train, tmp_path, capsys):
    assert train(tmp_path, "teacher-forcing") == 2
    assert "run the stage 'autoencoder' first" in capsys.readouterr().err


def test_times_must_fit_the_stages(train, tmp_path, capsys):
    assert train(tmp_path, "autoencoder", "teacher-forcing", "--seconds", "5,5,5") == 2
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


def test_every_stage_may_have_a_batch_and_a_rate_of_its_own(old):
    stages = "autoencoder", "teacher-forcing"
    settings = [json.loads(next((old / s).glob("settings*.json")).read_text())["stage"] for s in stages]
    assert [(s["batch"], s["rate"]) for s in settings] == [(1, 2e-3), (3, 1e-3)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rate", "nan"), "--rate takes one value"),
        (("--seconds", "inf"), "--seconds takes one value"),
        (("--guides", "7"), "--guides is a share from 0 to 1, got 7"),
        (("--adversarial-from", "nan"), "--adversarial-from is a share from 0 to 1, got nan"),
        (("--texture", "nan"), "--texture must be a positive number, got nan"),
        (("--limit", "-1"), "--limit must be a whole number from 0 on, got -1"),
        (("--start-from", "nowhere"), "--start-from: nowhere holds no parts"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_clips_are_read(train, tmp_path, capsys, words, said):
    assert train(tmp_path, "segmenter", *words, clips=tmp_path / "none") == 2
    assert said in capsys.readouterr().err


def test_a_run_folder_that_is_a_file_is_refused_by_name(train, tmp_path, capsys):
    (tmp_path / "run").write_text("")
    assert train(tmp_path / "run", "segmenter") == 2
    assert "run is a file" in capsys.readouterr().err


def test_sigterm_saves_how_far_a_stage_is(train, tmp_path, monkeypatch):
    def train_step(self, _share):
        self.step += 1
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(SegmenterTrainer, "train_step", train_step)
    assert train(tmp_path, "segmenter") == 130
    assert load_run(tmp_path / "segmenter", torch.device("cpu"))["step"] == 1
