"""A toy run of refinement: pictures get nearer, encoder and tables stay, gradients go where they should."""

import pytest
import torch

from diffusion_render.stream.schedule import Schedule
from diffusion_render.train.loop import Budget, run_stage
from diffusion_render.train.refinement import RefinementStage, RefinementTrainer
from tests.diffusion_render.toys import TOY_ADVERSARY, toy_renderer
from tests.diffusion_render.train.test_teacher_forcing import SCHEDULE, bank  # noqa: F401


def trainer(bank, folder, **changes):  # noqa: F811
    settings = {"batch": 2, "rate": 2e-3, "decoder_rate": 5e-3, "warmup": 3, "average": 0.9, "adversarial_least": 4}
    settings["adversary"] = TOY_ADVERSARY
    stage = RefinementStage(**settings | changes)
    return RefinementTrainer(toy_renderer(), SCHEDULE, stage, bank, bank, folder)


def test_a_toy_run_learns_and_resumes_and_the_encoder_stays(bank, tmp_path):  # noqa: F811
    first = trainer(bank, tmp_path)
    before = first.evaluate()["held_out_psnr"]
    after = run_stage(first, Budget(16, 1e9, 1), tmp_path, first.settings())
    assert after["held_out_psnr"] > before + 0.3
    assert (tmp_path / "sheet.jpg").stat().st_size > 0
    again = trainer(bank, tmp_path)
    run_stage(again, Budget(16, 1e9, 1), tmp_path, again.settings())
    assert all(
        torch.equal(a, b)
        for a, b in zip(first.learner.module.parameters(), again.learner.module.parameters(), strict=True)
    )
    start = toy_renderer().autoencoder.state_dict()
    now = first.renderer.autoencoder.state_dict()
    changed = {name for name in start if not torch.equal(start[name], now[name])}
    assert changed
    assert all(name.startswith("decoder.") for name in changed)


@pytest.mark.parametrize("history", [0, 1])
def test_what_is_decoded_is_judged_by_the_frames_of_its_own_place(bank, tmp_path, history):  # noqa: F811
    stage = trainer(bank, tmp_path, true_share=1.0, latent_noise=0.0)
    batch = bank.sample(5, 3, history + 2)
    made = torch.zeros_like(batch.latents[:, history:])
    latents, seen = stage._shown(batch, made, torch.Generator().manual_seed(0), history)
    assert torch.equal(latents, batch.latents)
    clip, unit = batch.place.clip[0], batch.place.unit[0, -1]
    frame = bank.bank.class_maps.shape[1] - 1 if unit == bank.units else 4 * unit + 3
    assert torch.equal(seen.class_maps[0, -1], bank.bank.class_maps[clip, frame])


def test_the_pictures_teach_the_generator_and_the_discriminator_waits(bank, tmp_path):  # noqa: F811
    stage = trainer(bank, tmp_path, flow=0.0, true_share=0.0, first_share=0.0, adversarial_least=1)
    generator = stage.renderer.generator
    before = [p.detach().clone() for p in generator.parameters()]
    seen = stage.train_step(0.0)
    assert {"total", "judge", "matching", "flow"} <= set(seen)
    assert any(not torch.equal(a, b) for a, b in zip(before, generator.parameters(), strict=True))


def test_schedules_with_a_sink_are_refused(bank, tmp_path):  # noqa: F811
    with pytest.raises(ValueError, match="no sink"):
        RefinementTrainer(toy_renderer(), Schedule(sink=2), RefinementStage(), bank, bank, tmp_path)
