"""Light in training: truth is told from the reference's camera, the reader learns it, what is missing is not taught."""

import math

import pytest
import torch

from diffusion_render.train.clip_bank import ClipBank
from diffusion_render.train.distillation import DistillationStage, DistillationTrainer
from diffusion_render.train.guidance import three_branches
from diffusion_render.train.latent_bank import AWAY, NONE, OWN, LatentBank, WindowConfig
from diffusion_render.train.light import add_light, light_loss, light_scores, told_light, varied
from diffusion_render.train.refinement import RefinementStage, RefinementTrainer
from diffusion_render.train.shards import ShardError
from diffusion_render.train.teacher_forcing import ForcingStage, ForcingTrainer
from diffusion_render.train.windows import velocity
from tests.diffusion_render.toys import TOY_ADVERSARY, heading_renderer, same_tensors, toy_renderer
from tests.diffusion_render.train.test_autoencoder_stage import write_clips
from tests.diffusion_render.train.test_teacher_forcing import SCHEDULE

CPU = torch.device("cpu")
LIGHT = [0.6, 0.0, 0.8]


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Four clips under one sun in the east; clip c looks along the angle c."""
    bank = ClipBank(write_clips(tmp_path_factory.mktemp("lit"), light=LIGHT), CPU)
    angle = torch.arange(4.0)[:, None].expand(-1, bank.camera.shape[1])
    bank.camera[..., 3], bank.camera[..., 4] = angle.cos(), angle.sin()
    return bank


@pytest.fixture(scope="module")
def bank(clips):
    return bank_of(clips)


@pytest.fixture(scope="module")
def dark(tmp_path_factory):
    """Clips that name no light."""
    return bank_of(ClipBank(write_clips(tmp_path_factory.mktemp("dark")), CPU))


def bank_of(clips, **shares) -> LatentBank:
    prompts = torch.randn(len(clips), 4, 12, generator=torch.Generator().manual_seed(1)).half()
    return LatentBank(clips, toy_renderer().autoencoder, prompts, WindowConfig(**shares))


def window(bank, kind, clip=1):
    one = torch.tensor([clip])
    return bank.windows(one, one * 0, torch.tensor([kind]), 2)


def seen(heading):
    return [0.6 * math.cos(heading), -0.6 * math.sin(heading), 0.8]


@pytest.mark.parametrize(("kind", "reference"), [(OWN, 1), (AWAY, 0)])
def test_the_true_light_is_told_from_the_reference_s_camera(bank, kind, reference):
    assert bank.knows_light
    assert window(bank, kind).light[0].tolist() == pytest.approx(seen(reference), abs=1e-6)


def test_clips_without_a_light_or_a_heading_know_none(clips, dark):
    assert dark.bank.light.isnan().all()
    assert not dark.knows_light
    assert window(dark, OWN).light.isnan().all()
    before = clips.camera[2, 0, 3:6].clone()
    clips.camera[2, 0, 3:6] = torch.tensor([0.0, 0.0, 1.0])
    upright = bank_of(clips)
    clips.camera[2, 0, 3:6] = before
    assert window(upright, OWN, 2).light.isnan().all()
    assert window(upright, OWN, 1).light.isfinite().all()


@pytest.mark.parametrize(
    "light", [[0.6, 0.8], "up", [1, 0, "0"], [0.0, 0.0, 1.5], [10**400, 0, 0], [True, 0, 0], {"x": 1}]
)
def test_lights_that_make_no_sense_are_refused_by_name(tmp_path, light):
    with pytest.raises(ShardError, match="clip 0: a light is three numbers from -1 to 1"):
        ClipBank(write_clips(tmp_path / "clips", light=light), CPU)


def test_truth_is_told_for_its_share_and_only_where_it_is_known(bank, dark):
    batch = bank.sample(3, 600, 2)
    assert abs(batch.light_told.float().mean() - 0.3) < 0.06
    assert not dark.sample(3, 100, 2).light_told.any()
    assert not bank.openings(2).light_told.any()
    other = bank_of(bank.bank, light_true=0.0).sample(3, 600, 2)
    assert torch.equal(other.latents, batch.latents)
    assert torch.equal(other.heading, batch.heading)


def reference_structure(renderer, batch):
    table = renderer.structure.table(batch.look_table)
    return renderer.structure.from_shares(batch.reference_shares, table)


@torch.no_grad()
def test_the_generator_is_told_what_the_reader_says_but_for_windows_told_the_truth(bank):
    renderer, batch = (
        heading_renderer(light=True),
        bank.windows(*[torch.tensor(x) for x in ([0, 1, 2], [0] * 3, [OWN, OWN, NONE])], 2),
    )
    batch = batch._replace(light_told=torch.tensor([True, False, False]))
    structure = reference_structure(renderer, batch)
    told = told_light(renderer.generator, batch, structure)
    assert torch.equal(told[0], batch.light[0])
    assert torch.allclose(told[1], renderer.generator.reader(batch.reference, structure)[1])
    assert told[1].any()
    assert not told[2].any()
    assert told_light(heading_renderer().generator, batch, structure) is None


@torch.no_grad()
def test_the_light_reaches_velocities_and_goes_with_the_headings(bank):
    renderer, batch = heading_renderer(light=True), window(bank, OWN)
    batch = batch._replace(light_told=torch.tensor([True]))
    level = torch.full((1, 2), 0.5)

    def made(batch):
        return velocity(renderer, batch, batch.latents, level, 1)

    assert not torch.allclose(made(batch._replace(light=-batch.light)), made(batch), atol=1e-5)
    zeros = {"heading": 0 * batch.heading, "reference_heading": 0 * batch.reference_heading}
    silent, other = batch._replace(**zeros), batch._replace(light=-batch.light, **zeros)
    assert torch.equal(made(silent), made(other))
    thrice = three_branches(batch)
    assert torch.equal(thrice.light, batch.light.repeat(3, 1))
    assert velocity(renderer, thrice, thrice.latents, level.repeat(3, 1), 1).isfinite().all()


def test_no_velocity_teaches_the_reader(bank):
    renderer, batch = heading_renderer(light=True), window(bank, OWN)
    velocity(renderer, batch, batch.latents, torch.full((1, 2), 0.5), 1).sum().backward()
    assert all(p.grad is None for p in renderer.generator.reader.parameters())
    assert renderer.generator.light.weight.grad.any()


def test_the_loss_is_over_windows_whose_reference_and_light_are_known(bank):
    renderer = heading_renderer(light=True)
    pick, kinds = torch.tensor([0, 1, 2, 3]), torch.tensor([OWN, AWAY, NONE, OWN])
    batch = bank.windows(pick, pick * 0, kinds, 2)
    batch.light[3] = torch.nan
    loss = light_loss(renderer, batch)
    loss.backward()
    with torch.no_grad():
        read = renderer.generator.reader(batch.reference, reference_structure(renderer, batch))
    assert loss.item() == pytest.approx(float((read - batch.light)[:2].square().mean()), rel=1e-5)
    assert all(p.grad.isfinite().all() for p in renderer.generator.reader.parameters())
    assert all(p.grad is None for p in renderer.structure.parameters())


def test_mirrored_references_have_mirrored_maps_and_lights(bank):
    batch = bank.windows(*[torch.tensor(x) for x in ([1] * 40, [0] * 40, [OWN] * 40)], 2)
    torch.manual_seed(0)
    other = varied(batch)
    mirrored = (other.light[:, 1] != batch.light[:, 1]).tolist()
    assert 8 < sum(mirrored) < 32
    for k, flipped in enumerate(mirrored):
        maps, latents = batch.reference_shares[k], batch.reference[k]
        assert torch.equal(other.reference_shares[k], maps.flip(-1) if flipped else maps)
        assert (other.reference[k] - (latents.flip(-1) if flipped else latents)).std() == pytest.approx(0.5, abs=0.2)
        x, y, z = batch.light[k].tolist()
        assert other.light[k].tolist() == [x, -y if flipped else y, z]
    assert torch.equal(other.latents, batch.latents)


@pytest.mark.parametrize("missing", ["light", "reference"])
def test_what_is_missing_everywhere_teaches_nothing(bank, dark, missing):
    renderer = heading_renderer(light=True)
    batch = window(dark, OWN) if missing == "light" else window(bank, NONE)
    loss = light_loss(renderer, batch)
    loss.backward()
    assert loss == 0
    assert not any(p.grad.any() for p in renderer.generator.reader.parameters())


def test_without_a_reader_or_a_weight_a_loss_stays_as_it_is(bank):
    loss, batch = torch.tensor(2.0), window(bank, OWN)
    assert add_light(loss, toy_renderer(), batch, 1.0) == (loss, {})
    assert add_light(loss, heading_renderer(light=True), batch, 0.0) == (loss, {})
    assert light_scores(toy_renderer(), bank) == {}


def forcing(bank, **changes):
    stage = ForcingStage(**{"batch": 4, "rate": 3e-3, "warmup": 2, "average": 0.5, **changes})
    return ForcingTrainer(heading_renderer(light=True), SCHEDULE, stage, bank, bank)


def test_in_teacher_forcing_the_reader_learns_and_is_scored_beside_silence(bank):
    stage = forcing(bank)
    before = stage.evaluate()
    curves = [stage.train_step(0.0)["light"] for _ in range(12)]
    after = stage.evaluate()
    assert after["light_error"] < 0.5 * before["light_error"]
    assert after["light_error_of_zero"] == pytest.approx((0.6**2 + 0.8**2) / 3, rel=1e-5)
    assert torch.stack(curves[-3:]).mean() < curves[0]


@pytest.mark.parametrize("why", ["no light", "no weight"])
def test_a_reader_that_is_not_taught_stays_as_it_was(bank, dark, why):
    stage = forcing(dark) if why == "no light" else forcing(bank, light_weight=0.0)
    before = [p.detach().clone() for p in stage.renderer.generator.reader.parameters()]
    assert "light" not in stage.train_step(0.0)
    assert same_tensors(before, stage.renderer.generator.reader.parameters())
    assert ("light_error" in stage.evaluate()) == (why == "no weight")


def test_refinement_teaches_and_scores_the_reader(bank, tmp_path):
    settings = RefinementStage(batch=2, warmup=1, average=0.5, adversary=TOY_ADVERSARY)
    stage = RefinementTrainer(heading_renderer(light=True), SCHEDULE, settings, bank, bank, tmp_path)
    before = [p.detach().clone() for p in stage.renderer.generator.reader.parameters()]
    assert stage.train_step(0.0)["light"] > 0
    assert not same_tensors(before, stage.renderer.generator.reader.parameters())
    assert {"light_error", "light_error_of_zero"} <= stage.evaluate().keys()


def test_distillation_teaches_the_reader_in_the_generator_s_steps(bank):
    settings = DistillationStage(batch=3, warmup=1, average=0.5, rank=4, every=2)
    stage = DistillationTrainer(heading_renderer(light=True), SCHEDULE, settings, bank, bank)
    assert "light" not in stage.train_step(0.0)
    assert stage.train_step(0.0)["light"] > 0
