"""A toy run of teacher forcing: it learns, resumes, and its windows are those of play."""

import pytest
import torch

from diffusion_render.stream.schedule import Schedule
from diffusion_render.train.clip_bank import ClipBank
from diffusion_render.train.latent_bank import AWAY, NONE, OWN, LatentBank
from diffusion_render.train.loop import Budget, run_stage
from diffusion_render.train.teacher_forcing import ForcingStage, ForcingTrainer
from tests.diffusion_render.toys import heading_renderer, same_tensors, toy_renderer
from tests.diffusion_render.train.test_autoencoder_stage import write_clips

SCHEDULE = Schedule(first=3, chunk=1, sink=0, history=1)


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    clips = ClipBank(write_clips(tmp_path_factory.mktemp("clips")), torch.device("cpu"))
    prompts = torch.randn(len(clips), 4, 12, generator=torch.Generator().manual_seed(1)).half()
    return LatentBank(clips, toy_renderer().autoencoder, prompts)


def trainer(bank, **changes):
    stage = ForcingStage(**{"batch": 4, "rate": 3e-3, "warmup": 5, "average": 0.9, **changes})
    return ForcingTrainer(toy_renderer(), SCHEDULE, stage, bank, bank)


def window(bank, kind):
    one = torch.tensor([1])
    return bank.windows(one, one, torch.tensor([kind]), 2)


def test_latents_differ_by_the_look_that_they_were_made_under(bank):
    assert bank.latents.shape[:3] == (3, 4, 3 + 1)  # three units, and the last frame held
    assert not torch.equal(bank.latents[OWN], bank.latents[AWAY])
    own, away = window(bank, OWN), window(bank, AWAY)
    assert torch.equal(own.look_table[0], bank.bank.tables[1])
    assert torch.equal(away.look_table[0], bank.bank.tables[0])
    assert torch.equal(own.latents[0], bank.latents[OWN, 1, 1:3].float())


def test_a_missing_reference_leaves_map_and_prompt_alone(bank):
    missing, own = window(bank, NONE), window(bank, OWN)
    assert not missing.reference.any()
    assert not missing.look_table.any()
    assert missing.reference_level.item() == 1.0
    assert own.reference_level.item() == 0.0
    assert torch.equal(missing.text, own.text)
    assert torch.equal(missing.reference_shares, own.reference_shares)


def test_prompts_are_left_out_for_a_share_of_windows(bank):
    text = bank.sample(3, 400, 2).text
    absent = (text == 0).flatten(1).all(1).float().mean()
    assert abs(absent - bank.config.no_prompt) < 0.06


def test_a_bank_wants_a_prompt_for_every_clip(bank):
    with pytest.raises(ValueError, match="4 clips need as many prompts, got 3"):
        LatentBank(bank.bank, toy_renderer().autoencoder, bank.prompts[:3])


def test_a_toy_run_learns_and_resumes(bank, tmp_path):
    first = trainer(bank)
    before = first.evaluate()["held_out_loss"]
    assert run_stage(first, Budget(40, 1e9, 1), tmp_path, first.settings())["held_out_loss"] < 0.9 * before
    again = trainer(bank)
    run_stage(again, Budget(40, 1e9, 1), tmp_path, again.settings())
    assert again.step == 40
    assert same_tensors(first.learner.module.parameters(), again.learner.module.parameters())


@torch.no_grad()
@pytest.mark.parametrize("name", ["heading", "reference_heading"])
def test_headings_reach_what_is_trained(bank, name):
    stage = ForcingTrainer(heading_renderer(), SCHEDULE, ForcingStage(batch=4), bank, bank)
    batch = bank.sample(0, 3, 2)

    def loss(batch):
        return stage.loss(batch, torch.Generator().manual_seed(0), 1)

    torch.manual_seed(0)
    before = loss(batch)
    torch.manual_seed(0)
    assert loss(batch._replace(**{name: getattr(batch, name) + 1})) != before
    torch.manual_seed(0)
    assert loss(batch) == before


def test_every_kind_of_window_is_trained(bank):
    stage = trainer(bank, resampled=0.5, first_share=0.3)
    seen = set().union(*(stage.train_step(0.0) for _ in range(20)))
    assert {"loss_first", "loss_forced", "loss_resampled"} <= seen


@pytest.mark.parametrize(("share", "units"), [(0.0, 3), (1.0, 2)])
def test_chunks_of_one_unit_have_their_share(bank, monkeypatch, share, units):
    stage = trainer(bank, first_share=0.0, single_share=share)
    stage.schedule = Schedule(first=3, chunk=2, sink=0, history=1)
    seen = []
    monkeypatch.setattr(bank, "sample", lambda *a, sample=bank.sample: seen.append(a[2]) or sample(*a))
    for _ in range(3):
        stage.train_step(0.0)
    assert seen == [units] * 3


def test_levels_are_shared_by_the_chunk_and_small_for_history(bank):
    levels = trainer(bank)._levels(torch.Generator().manual_seed(0), 4000, 4, 2)
    assert torch.equal(levels[:, 2], levels[:, 3])
    assert abs((levels[:, 0] == 1).float().mean() - 0.08) < 0.02
    assert levels[levels[:, 0] < 1, 0].max() <= 0.6
    assert (levels[:, 2] > 0.5).float().mean() > 0.6


def test_schedules_with_a_sink_are_refused(bank):
    with pytest.raises(ValueError, match="no sink"):
        ForcingTrainer(toy_renderer(), Schedule(sink=2), ForcingStage(), bank, bank)
