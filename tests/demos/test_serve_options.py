"""Options of `paintover serve`: what contradicts is refused, what is left out is chosen."""

import argparse

import pytest

from demos import cli
from demos.commands.serve import add_arguments, choose_preset, palette_factory, plan_of, served_plan
from demos.renderer.factory import RendererPlan, StreamFactory
from render_bridge.protocol.offer import Offer
from tests.demos.renderer_toys import LettersEncoder

TOY = ("--preset", "toy", "--random-weights", "--threads", "1")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--renderer", "palette", "--preset", "nano"], "--renderer palette has no model: leave out --preset"),
        (["--renderer", "palette", "--device", "cpu"], "leave out --device"),
        ([*TOY, "--chunk", "6"], "--chunk must be a multiple of 4 frames for a model, got 6"),
        ([*TOY, "--first-chunk", "4"], "--chunk and --first-chunk make no schedule"),
        ([*TOY, "--planes", "depth"], "--planes and --slow are for --renderer palette"),
        ([*TOY, "--weights", "."], "--random-weights takes none from --weights"),
        (["--preset", "toy", "--random-weights", "--threads", "0"], "--threads must be 1 to 64, got 0"),
        (
            ["--renderer", "palette", "--patience", "0.9"],
            "--patience must be at least 1 and at most 60 seconds, got 0.9",
        ),
        ([*TOY, "--device", "abacus"], "--device abacus: torch cannot use it here"),
    ],
)
def test_options_that_contradict_are_refused(address, capsys, words, text):
    assert cli.main(["serve", "--address", address, *words]) == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1


def test_patience_is_what_engines_are_told():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    for words, dead in (((), Offer.dead_ms), (("--patience", "2.5"), 2500)):
        args = parser.parse_args(words)
        assert palette_factory(args)[0].offer.dead_ms == dead
        assert served_plan(args, "toy").dead_ms == dead
    plan = RendererPlan("toy", random_weights=True, threads=1, dead_ms=2500)
    assert StreamFactory(plan, print, LettersEncoder).offer.dead_ms == 2500


def test_chunks_and_places_of_a_model_are_as_asked_for():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    plan = served_plan(parser.parse_args(["--chunk", "4", "--first-chunk", "16", "--sessions", "24"]), "toy")
    assert (plan.schedule.chunk, plan.schedule.first, plan.sessions) == (1, 4, 24)
    plain = parser.parse_args([])
    assert served_plan(plain, "toy") == RendererPlan("toy")
    assert plan_of(plain, "toy").sessions == 1, "a benchmark's batches are not those of a crowd"


def chosen(*words):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return choose_preset(parser.parse_args(words))


def test_without_options_the_model_paints_if_it_has_weights_and_the_palette_says_why_not(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PAINTOVER_WEIGHTS", str(tmp_path))
    assert chosen() is None
    assert f"no weights of nano in {tmp_path} yet: the palette stand-in" in capsys.readouterr().out
    (tmp_path / "nano.safetensors").write_bytes(b"some")
    assert chosen() == "nano"
    assert capsys.readouterr().out == ""
    assert chosen("--renderer", "palette") is None
    assert chosen("--planes", "depth") is None
    assert chosen("--random-weights") == "nano"
    assert chosen("--preset", "base") == "base"
