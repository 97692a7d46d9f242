"""Windows: their headings are told from the reference's camera, and some of them stand still."""

import math

import pytest
import torch

from diffusion_render.model.structure_encoder import class_shares
from diffusion_render.train.clip_bank import ClipBank, to_unit
from diffusion_render.train.latent_bank import AWAY, NONE, OWN, LatentBank, WindowConfig
from diffusion_render.train.shards import ShardError
from tests.diffusion_render.toys import toy_renderer
from tests.diffusion_render.train.test_autoencoder_stage import write_clips

FRAMES = 12
RENDERER = toy_renderer()


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Four clips; frame k of clip c looks along the angle c + 0.1 · k."""
    bank = ClipBank(write_clips(tmp_path_factory.mktemp("clips"), frames=FRAMES), torch.device("cpu"))
    angle = torch.arange(4.0)[:, None] + 0.1 * torch.arange(FRAMES)
    bank.camera[..., 3], bank.camera[..., 4] = angle.cos(), angle.sin()
    return bank


@pytest.fixture(scope="module")
def bank(clips):
    return bank_of(clips)


def bank_of(clips, **shares) -> LatentBank:
    prompts = torch.randn(len(clips), 4, 12, generator=torch.Generator().manual_seed(1)).half()
    return LatentBank(clips, RENDERER.autoencoder, prompts, WindowConfig(**shares))


@pytest.mark.parametrize(("kind", "reference"), [(OWN, 1), (AWAY, 0), (NONE, 1)])
def test_headings_are_those_of_last_frames_told_from_the_first_frame_of_the_reference(bank, kind, reference):
    one = torch.tensor([1])
    batch = bank.windows(one, one, torch.tensor([kind]), 2)
    turns = [1 + 0.1 * frame - reference for frame in (7, 11)]
    expected = torch.tensor([[[math.cos(t), math.sin(t), 1.0] for t in turns]])
    assert torch.allclose(batch.heading, expected, atol=1e-6)
    assert batch.reference_heading.tolist() == [[[1.0, 0.0, 1.0]]]


@pytest.mark.parametrize(("away", "reference"), [(False, 1), (True, 0)])
def test_a_clip_is_streamed_with_the_camera_of_its_reference(clips, away, reference):
    assert torch.equal(clips.drive(1, away).reference_camera, clips.camera[reference, 0])


def test_headings_are_left_out_for_a_share_of_windows_and_half_of_their_references(bank):
    batch = bank.sample(3, 600, 2)
    silent, unknown = (x[..., 2].eq(0).all(1) for x in (batch.heading, batch.reference_heading))
    assert not batch.heading[silent].any()
    assert not batch.reference_heading[unknown].any()
    assert batch.heading[~silent][..., 2].eq(1).all()
    assert abs(silent.float().mean() - 0.3) < 0.06
    assert abs(unknown.float().mean() - 0.15) < 0.05
    assert not (unknown & ~silent).any()


@pytest.mark.parametrize("units", [1, 3])
@pytest.mark.parametrize("kind", [OWN, AWAY, NONE])
def test_standing_windows_hold_the_last_frame_of_their_clip(clips, units, kind):
    whole = bank_of(clips, standing=1.0, no_heading=0.0)
    batch = whole.sample(0, 6, units)
    assert all(torch.equal(x, x[:, :1].expand_as(x)) for x in (batch.latents, batch.shares, batch.heading))
    one = torch.tensor([2])
    from_last = class_shares(clips.class_maps[2:3, -1:].expand(-1, 4, -1, -1), 13)
    still = still_latent(clips, 2, kind)
    assert torch.equal(whole.shares[2, -1], from_last[0])
    assert torch.allclose(whole.latents[kind, 2, -1].float(), still, atol=2e-3)
    moving = whole.windows(one, one, torch.tensor([kind]), 2)
    assert not torch.equal(moving.latents[:, 0], moving.latents[:, 1])


@torch.no_grad()
def still_latent(clips, clip: int, kind: int) -> torch.Tensor:
    """Latent of the held last frame, made as a session makes that of a reference."""
    autoencoder, own = RENDERER.autoencoder, clips.tables[clip : clip + 1]
    partner = int(clips.partners[clip])
    table = {OWN: own, AWAY: clips.tables[partner : partner + 1], NONE: torch.zeros_like(own)}[kind]
    picture = to_unit(clips.frames[clip : clip + 1, -1:]).expand(-1, 4, -1, -1, -1)
    maps = clips.class_maps[clip : clip + 1, -1:].expand(-1, 4, -1, -1)
    return autoencoder.encode(picture, autoencoder.codes(maps), autoencoder.look(table))[0, 0]


def test_standing_windows_have_their_share_and_look_where_the_clip_ends(clips):
    bank = bank_of(clips, no_heading=0.0, standing=0.25)
    batch = bank.sample(5, 400, 2)
    still = (batch.latents[:, 0] == batch.latents[:, 1]).flatten(1).all(1)
    assert abs(still.float().mean() - 0.25) < 0.07
    assert torch.equal(batch.heading[still, 0], batch.heading[still, 1])
    assert not torch.equal(batch.heading[~still, 0], batch.heading[~still, 1])
    ends = {round(float(x), 4) for x in torch.tensor([c + 1.1 - r for c in range(4) for r in (c, c ^ 1)]).cos()}
    assert {round(float(x), 4) for x in batch.heading[still, 0, 0]} <= ends


def test_headings_and_standing_leave_every_other_draw_as_it_was(clips):
    with_both, without = bank_of(clips), bank_of(clips, no_heading=0.0, standing=0.0)
    one, two = with_both.sample(7, 200, 2), without.sample(7, 200, 2)
    for name in ("reference", "reference_level", "reference_shares", "look_table", "text"):
        assert torch.equal(getattr(one, name), getattr(two, name)), name
    moving = (one.latents[:, 0] != one.latents[:, 1]).flatten(1).any(1)
    assert torch.equal(one.latents[moving], two.latents[moving])
    assert 0 < (~moving).sum() < 40


def test_windows_that_are_longer_than_the_clips_are_refused(bank):
    with pytest.raises(ShardError, match="takes 16 frames at a time, its clips have 12"):
        bank.openings(4)
    with pytest.raises(ShardError, match="takes 16 frames"):
        bank.sample(0, 1, 4)
