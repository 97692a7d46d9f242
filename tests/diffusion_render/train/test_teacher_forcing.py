"""A toy run of teacher forcing: it learns, resumes, and its windows are those of play."""

import pytest
import torch

from diffusion_render.stream.schedule import Schedule
from diffusion_render.train.clip_bank import ClipBank
from diffusion_render.train.latent_bank import LatentBank
from diffusion_render.train.teacher_forcing import ForcingStage, ForcingTrainer
from tests.diffusion_render.toys import toy_renderer
from tests.diffusion_render.train.test_autoencoder_stage import write_clips

SCHEDULE = Schedule(first=3, chunk=1, sink=0, history=1)


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    clips = ClipBank(write_clips(tmp_path_factory.mktemp("clips")), torch.device("cpu"))
    return LatentBank(clips, toy_renderer().autoencoder)


def trainer(bank, folder, steps):
    stage = ForcingStage(steps=steps, seconds=1e9, batch=4, rate=3e-3, warmup=5, average=0.9)
    return ForcingTrainer(toy_renderer(), SCHEDULE, stage, bank, bank, folder)


def test_latents_under_the_partners_look_differ_from_those_under_the_own(bank):
    assert bank.latents.shape[:3] == (2, 4, 3)
    assert not torch.equal(bank.latents[0], bank.latents[1])
    own, away = (bank.windows(torch.tensor([1]), torch.tensor([1]), torch.tensor([flag]), 2) for flag in (False, True))
    assert torch.equal(own.look_table[0], bank.bank.tables[1])
    assert torch.equal(away.look_table[0], bank.bank.tables[0])
    assert torch.equal(own.latents[0], bank.latents[0, 1, 1:3].float())


def test_a_toy_run_learns_and_resumes(bank, tmp_path):
    first = trainer(bank, tmp_path, 40)
    before = first.evaluate()["held_out_loss"]
    assert first.run()["held_out_loss"] < 0.9 * before
    again = trainer(bank, tmp_path, 42)
    assert again.step == 40
    assert all(torch.equal(a, b) for a, b in zip(first.trained.parameters(), again.trained.parameters(), strict=True))


def test_levels_are_shared_by_the_chunk_and_small_for_history(bank, tmp_path):
    levels = trainer(bank, tmp_path, 1)._levels(torch.Generator().manual_seed(0), 4000, 4, 2)
    assert torch.equal(levels[:, 2], levels[:, 3])
    assert abs((levels[:, 0] == 1).float().mean() - 0.08) < 0.02
    assert levels[levels[:, 0] < 1, 0].max() <= 0.6
    assert (levels[:, 2] > 0.5).float().mean() > 0.6


def test_schedules_with_a_sink_are_refused(bank, tmp_path):
    with pytest.raises(ValueError, match="no sink"):
        ForcingTrainer(toy_renderer(), Schedule(), ForcingStage(), bank, bank, tmp_path)
