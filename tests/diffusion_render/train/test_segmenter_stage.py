"""A toy run of the segmenter's stage, and what its pictures are tampered with."""

import dataclasses
import json

import pytest
import torch

from diffusion_render.evaluate.segmenter import Segmenter, SegmenterConfig
from diffusion_render.train.clip_bank import ClipBank
from diffusion_render.train.loop import Budget, run_stage
from diffusion_render.train.segmenter_stage import SegmenterStage, SegmenterTrainer
from diffusion_render.train.tampering import Tampering, tamper
from tests.diffusion_render.train.test_autoencoder_stage import write_clips

CPU = torch.device("cpu")
SMALL = SegmenterConfig(widths=(8, 16, 16, 16))
STAGE = SegmenterStage(batch=4, crop=64, rate=3e-2, warmup=5, average=0.9, pictures=4)
STEPS = 90
PICTURES = torch.rand(6, 3, 32, 64, generator=torch.Generator().manual_seed(0)) * 2 - 1


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    return ClipBank(write_clips(tmp_path_factory.mktemp("clips")), CPU)


def trainer_of(bank, folder, stage: SegmenterStage = STAGE) -> SegmenterTrainer:
    torch.manual_seed(0)
    return SegmenterTrainer(Segmenter(SMALL), stage, bank, bank, folder)


def test_a_toy_run_learns_and_resumes(bank, tmp_path):
    # Untouched: classes of these clips differ in colour alone, which tampering is there to destroy.
    stage = dataclasses.replace(STAGE, tampering=Tampering(untouched=1.0))
    trainer = trainer_of(bank, tmp_path, stage)
    before = trainer.evaluate()["held_out_miou"]
    after = run_stage(trainer, Budget(STEPS, 1e9, 1), tmp_path, trainer.settings())["held_out_miou"]
    assert after > before + 0.3
    assert (tmp_path / "sheet.jpg").stat().st_size > 1000
    rows = [json.loads(line) for line in (tmp_path / "curves.jsonl").read_text().splitlines()]
    assert rows[-1]["step"] == STEPS
    again = trainer_of(bank, tmp_path, stage)
    scores = run_stage(again, Budget(STEPS, 1e9, 1), tmp_path, again.settings())
    assert scores["held_out_miou"] == after
    assert all(torch.equal(a, b) for a, b in zip(trainer.model.parameters(), again.model.parameters(), strict=True))
    assert run_stage(again, Budget(STEPS + 2, 1e9, 1), tmp_path, again.settings())["steps"] == STEPS + 2


def test_rare_classes_weigh_more_and_absent_ones_nothing(bank, tmp_path):
    weights = trainer_of(bank, tmp_path).weights
    maps = bank.class_maps
    counts = torch.bincount(maps.flatten().long(), minlength=13)
    assert weights[counts.argmin()] > weights[counts.argmax()]
    assert float(weights.max()) <= STAGE.rarest


def test_guides_are_never_drawn_and_the_banks_stay_as_they_were(bank, tmp_path):
    trainer = trainer_of(bank, tmp_path)
    assert all(trainer.bank.sample(step, 1, 4, 64).noise is None for step in range(8))
    assert bank.depth is not None


def test_tampering_is_a_function_of_its_seed_and_stays_in_range():
    changed = tamper(PICTURES, Tampering(), 5)
    assert torch.equal(changed, tamper(PICTURES, Tampering(), 5))
    assert not torch.equal(changed, tamper(PICTURES, Tampering(), 6))
    assert changed.shape == PICTURES.shape
    assert float(changed.abs().max()) <= 1
    assert torch.equal(tamper(PICTURES, Tampering(untouched=1.0), 5), PICTURES)


OFF = Tampering(untouched=0, saturation=0, turn=0, gain=1, offset=0, gamma=1, blur=0, coarse=0, noise=0, blotches=0)


def test_each_kind_of_tampering_does_its_own_thing():
    grey = tamper(PICTURES, OFF, 1)
    assert float(grey.std(1).max()) < 1e-5
    soft, coarse, noisy = (
        tamper(PICTURES, dataclasses.replace(OFF, **change), 1)
        for change in ({"blur": 3.0}, {"coarse": 1.0}, {"noise": 0.3})
    )
    fine = (grey - tamper(PICTURES, dataclasses.replace(OFF, blur=0.0), 1)).abs().max()
    assert float(fine) == 0
    assert float(soft.var()) < float(grey.var())
    assert float(coarse.var()) < 0.5 * float(grey.var())
    assert float(noisy.std(1).mean()) > 0.01


def test_outlines_stay_where_they_are():
    picture = torch.full((1, 3, 64, 64), -0.4)
    picture[..., 32:] = 0.4
    for seed in range(12):
        changed = tamper(picture, Tampering(untouched=0.0, noise=0.0, blotches=0.0), seed).mean((0, 1, 2))
        steps = changed.diff().abs()
        if float(steps.max()) > 0.05:
            assert abs(int(steps.argmax()) - 31) <= 1
