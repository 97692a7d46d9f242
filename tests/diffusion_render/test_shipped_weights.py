"""What the toys promise holds for the weights that ship: the same paths in fp32 at a small size."""

import pytest
import torch

from diffusion_render.model.bundle import open_renderer, weights_folder
from diffusion_render.model.generator import Tokens
from diffusion_render.model.look_table import LOOK_FEATURES
from diffusion_render.stream.batch import make_together
from diffusion_render.stream.schedule import Schedule
from diffusion_render.stream.session import SessionConfig, StreamSession
from tests.diffusion_render.toys import HEIGHT, WIDTH, some_maps, some_picture

MAPS = some_maps(60)
TEXT = torch.randn(64, 384, generator=torch.Generator().manual_seed(5))


@pytest.fixture(scope="module")
def nano():
    return open_renderer("nano", dtype=torch.float32)


def render(nano, maps, plan, seed=0):
    stream = StreamSession(nano, SessionConfig(seed, WIDTH, HEIGHT), some_picture(), MAPS[0], TEXT)
    return torch.stack([picture for part in maps.split(plan) for picture in stream.push(part)])


@pytest.fixture(scope="module")
def streamed(nano):
    return render(nano, MAPS[:44], 4)


@pytest.mark.parametrize("plan", [1, 44])
def test_grouping_of_pushes_never_changes_a_picture(nano, streamed, plan):
    assert torch.equal(render(nano, MAPS[:44], plan), streamed)


def test_session_length_and_later_maps_never_change_earlier_pictures(nano, streamed):
    changed = MAPS.clone()
    changed[36:] = some_maps(24, seed=8)
    longer = render(nano, changed, 4)
    assert len(longer) == 60
    assert torch.equal(longer[:36], streamed[:36])
    assert not torch.equal(longer[36:44], streamed[36:44])


def test_players_drawn_together_get_what_they_would_get_alone(nano):
    """fp32: one level of 255, and hardly a pixel has that; looks, texts, seeds and histories differ."""

    def players():
        made = []
        for k in range(2):
            config = SessionConfig(k, WIDTH, HEIGHT, Schedule(first=2))
            made.append(StreamSession(nano, config, some_picture(k), MAPS[k], (-1) ** k * TEXT))
            made[k].push(some_maps(8, k))
        return made

    both, alone, maps = players(), players(), some_maps(8, 9)
    drafts = [stream.draft(maps) for stream in both]
    made = make_together(nano, drafts)
    for k in range(2):
        pictures = torch.stack(both[k].finish(drafts[k], made[k])).int()
        difference = (pictures - torch.stack(alone[k].push(maps)).int()).abs()
        assert difference.max() <= 1
        assert (difference > 0).float().mean() < 1e-3


def decoding(nano, units):
    """Look, latents and codes of a scene that stands still for ``units`` units."""
    autoencoder, generator = nano.autoencoder, torch.Generator().manual_seed(3)
    look = autoencoder.look(torch.rand(1, autoencoder.config.classes, LOOK_FEATURES, generator=generator))
    latent = torch.randn(1, 1, autoencoder.config.latent, HEIGHT // 32, WIDTH // 32, generator=generator)
    latents = (latent / latent.square().mean(2, keepdim=True).sqrt()).expand(-1, units, -1, -1, -1)
    return look, latents, autoencoder.codes(MAPS[:1][None].expand(-1, 4 * units, -1, -1))


@torch.no_grad()
def test_streamed_decode_equals_the_whole_clip(nano):
    look, latents, codes = decoding(nano, 4)
    whole, _ = nano.autoencoder.decode(latents, codes, look)
    state, parts = None, []
    for k in range(4):
        frames, state = nano.autoencoder.decode(latents[:, k : k + 1], codes[:, k : k + 1], look, state)
        parts.append(frames)
    assert (torch.cat(parts, 1) - whole).abs().max() < 1e-5


@torch.no_grad()
def test_the_same_latents_give_the_same_picture_at_any_time_of_the_stream(nano):
    """The state after a few equal units is the state after one more, bit for bit: so it never changes again."""
    look, latents, codes = decoding(nano, 1)
    state, pictures, states = None, [], []
    for _ in range(9):
        frames, state = nano.autoencoder.decode(latents, codes, look, state)
        pictures.append(frames)
        states.append(state)
    assert all(torch.equal(a, b) for a, b in zip(states[7], states[8], strict=True))
    assert torch.equal(pictures[7], pictures[8])


@torch.no_grad()
def test_cached_prefix_and_history_equal_everything_computed_afresh(nano):
    config = nano.config.generator
    draw = torch.Generator().manual_seed(4)

    def run(units, first, level):
        latents = torch.randn(1, units, config.latent, 2, 3, generator=draw)
        structure = torch.randn(1, units, config.structure, 2, 3, generator=draw)
        return Tokens(latents, structure, torch.full((1, units), level), torch.arange(first, first + units))

    reference, history, chunk = run(1, 0, 0.0), run(2, 1, 0.1), run(2, 3, 1.0)
    plain = nano.generator(TEXT[None], reference, None, history, chunk)
    cache = nano.generator.remember(nano.generator.prefix(TEXT[None], reference, None), history)
    cached = nano.generator.step(cache, chunk)
    assert plain.abs().max() > 0.1
    assert (plain - cached).abs().max() < 1e-5 * max(1.0, float(plain.abs().max()))


def test_after_a_change_of_look_the_old_text_may_be_poison(nano):
    text = TEXT.clone()
    stream = StreamSession(nano, SessionConfig(0, WIDTH, HEIGHT), some_picture(), MAPS[0], text)
    stream.push(MAPS[:28])
    stream.change_look(some_picture(9), MAPS[0], TEXT)
    text.fill_(torch.nan)
    assert len(stream.push(MAPS[28:36])) == 8


def test_files_keep_to_their_sizes():
    sizes = {path.stem: path.stat().st_size / 2**20 for path in weights_folder().glob("*.safetensors")}
    assert sizes["nano"] <= 8
    assert sizes["base"] <= 28
    assert sum(sizes.values()) <= 37


def test_base_opens_and_draws_what_it_is_given():
    base = open_renderer("base", dtype=torch.float32)
    config = SessionConfig(0, WIDTH, HEIGHT, Schedule(first=1, chunk=1, history=1, sink=0))
    stream = StreamSession(base, config, some_picture(), MAPS[0], TEXT)
    pictures = torch.stack(stream.push(MAPS[:4])).float()
    assert pictures.shape == (4, 3, HEIGHT, WIDTH)
    assert pictures.std() > 10  # of 255: something is drawn
    assert (pictures.mean((0, 2, 3)) - 127.5 * (some_picture().mean((1, 2)) + 1)).abs().max() < 60
