"""A head that selects: at zero it changes nothing; edges inside a block are exact; the stream stays causal."""

import dataclasses
import json

import pytest
import torch

from diffusion_render.model.autoencoder import MAY_BE_MISSING, Autoencoder
from diffusion_render.model.bundle import open_renderer, save_renderer, weights_path
from diffusion_render.model.look_table import measure_look
from diffusion_render.model.renderer import PRESETS, Renderer
from diffusion_render.model.weights import WeightsError, WeightsHeader, load_weights, save_packed, save_weights
from render_bridge.palette import RACING
from tests.diffusion_render.toys import HEIGHT, TOY_AUTOENCODER, WIDTH, some_picture, waken

SELECTED = dataclasses.replace(TOY_AUTOENCODER, selected=True)
FRAMES = 12


def pixel_maps(seed: int = 1, frames: int = FRAMES) -> torch.Tensor:
    """uint8 class maps ``[1, frames, HEIGHT, WIDTH]`` with edges inside every block."""
    draw = torch.Generator().manual_seed(seed)
    return torch.randint(0, 13, (1, frames, HEIGHT, WIDTH), generator=draw, dtype=torch.uint8)


@pytest.fixture(scope="module")
def models():
    """The same random weights without the layer and with it, still at zero."""
    torch.manual_seed(0)
    plain, selected = Autoencoder(TOY_AUTOENCODER).eval(), Autoencoder(SELECTED).eval()
    waken(plain)
    missing, unexpected = selected.load_state_dict(plain.state_dict(), strict=False)
    assert set(missing) == set(MAY_BE_MISSING)
    assert not unexpected
    return plain, selected


@pytest.fixture(scope="module")
def awake(models):
    """The model with the layer in use."""
    model = Autoencoder(SELECTED).eval()
    model.load_state_dict(models[1].state_dict())
    torch.manual_seed(1)
    waken(model)
    return model


def inputs(model, maps):
    """Latents, codes and look of some pictures."""
    frames = torch.stack([some_picture(k) for k in range(maps.shape[1])])[None]
    look = model.look(measure_look(frames[:, 0], maps[:, 0], 13))
    codes = model.codes(maps)
    return model.encode(frames, codes, look), codes, look


@pytest.mark.parametrize("gradients", [False, True])
def test_a_layer_at_zero_changes_no_bit(models, gradients):
    plain, selected = models
    with torch.set_grad_enabled(gradients):
        latents, codes, look = inputs(plain, pixel_maps())
        before, _ = plain.decode(latents, codes, look)
        after, _ = selected.decode(latents, codes, look)
    assert torch.equal(before, after)


@torch.no_grad()
def test_every_pixel_is_corrected_exactly_by_its_own_class(models):
    plain, _ = models
    model = Autoencoder(SELECTED).eval()
    model.load_state_dict(plain.state_dict(), strict=False)
    maps = pixel_maps()
    latents, codes, look = inputs(plain, maps)
    colors = torch.randn(13, 3, generator=torch.Generator().manual_seed(3))
    model.decoder.head.select.bias.copy_(colors.flatten())
    before, _ = plain.decode(latents, codes, look)
    after, _ = model.decode(latents, codes, look)
    assert torch.equal(after, before + colors[maps.long()].permute(0, 1, 4, 2, 3))


def test_pictures_are_the_same_with_gradients_and_without(awake):
    latents, codes, look = inputs(awake, pixel_maps())
    trained, _ = awake.decode(latents, codes, look)
    with torch.no_grad():
        played, _ = awake.decode(latents, codes, look)
    assert trained.requires_grad
    # Lookup and product add the rows of the block table in another order.
    assert (trained - played).abs().max() < 1e-4


@torch.no_grad()
@pytest.mark.parametrize("plan", [[1, 1, 1], [2, 1]])
def test_streamed_units_are_the_frames_of_the_whole_clip(awake, plan):
    latents, codes, look = inputs(awake, pixel_maps())
    whole, _ = awake.decode(latents, codes, look)
    state, parts, at = None, [], 0
    for size in plan:
        part = slice(at, at + size)
        frames, state = awake.decode(latents[:, part], codes[:, part], look, state)
        parts.append(frames)
        at += size
    assert (torch.cat(parts, 1) - whole).abs().max() < 1e-5


@torch.no_grad()
def test_later_maps_leave_earlier_frames_bit_identical(awake):
    latents, codes, look = inputs(awake, pixel_maps())
    other = codes.clone()
    other[:, 2:] = awake.codes(pixel_maps(seed=9, frames=4))
    before, _ = awake.decode(latents, codes, look)
    after, _ = awake.decode(latents, other, look)
    assert torch.equal(before[:, :8], after[:, :8])
    assert not torch.equal(before[:, 8:], after[:, 8:])


def test_a_step_of_the_layer_alone_lowers_the_loss():
    torch.manual_seed(0)
    model = Autoencoder(SELECTED)
    maps = pixel_maps(frames=4)
    wanted = torch.rand(13, 3)[maps.long()].permute(0, 1, 4, 2, 3) * 2 - 1
    layer = model.decoder.head.select
    optimizer = torch.optim.SGD(layer.parameters(), 1.0)
    look, codes = model.look(measure_look(wanted[:, 0], maps[:, 0], 13)), model.codes(maps)

    def loss() -> torch.Tensor:
        return (model.decode(model.encode(wanted, codes, look), codes, look)[0] - wanted).square().mean()

    before = loss()
    before.backward()
    optimizer.step()
    assert layer.weight.any()
    assert loss() < 0.999 * before


def header(part: str, config) -> WeightsHeader:
    return WeightsHeader(part, "toy", "reconstruction", "none", RACING.hash, dataclasses.asdict(config), "none")


@pytest.mark.parametrize("save", [save_weights, save_packed])
def test_only_the_named_parameters_may_be_missing(tmp_path, models, save):
    plain, _ = models
    path, target = tmp_path / "autoencoder.safetensors", Autoencoder(SELECTED)
    save(path, plain, header("autoencoder", TOY_AUTOENCODER))
    with pytest.raises(WeightsError, match=r"do not fit the toy autoencoder: decoder\.head\.select\.bias"):
        load_weights(path, target)
    with pytest.raises(WeightsError, match=r"do not fit the toy autoencoder: decoder\.head\.select\.weight"):
        load_weights(path, target, MAY_BE_MISSING[1:])
    load_weights(path, target, MAY_BE_MISSING)
    assert not target.decoder.head.select.weight.any()
    difference = target.decoder.head.out.weight - plain.decoder.head.out.weight
    assert difference.norm() < 0.01 * plain.decoder.head.out.weight.norm()


def test_nothing_else_may_be_missing_and_nothing_may_be_left_over(tmp_path, models):
    plain, selected = models
    path = tmp_path / "w.safetensors"
    save_weights(path, selected, header("autoencoder", SELECTED))
    with pytest.raises(WeightsError, match=r"decoder\.head\.select\.bias, decoder\.head\.select\.weight"):
        load_weights(path, Autoencoder(TOY_AUTOENCODER), MAY_BE_MISSING)
    save_weights(path, plain.decoder, header("autoencoder", SELECTED))
    with pytest.raises(WeightsError, match="do not fit"):
        load_weights(path, selected, MAY_BE_MISSING)


def test_a_packed_renderer_that_selects_opens_as_one_and_presets_stay_as_they_are(tmp_path):
    toy = PRESETS["toy"]
    config = dataclasses.replace(toy, autoencoder=dataclasses.replace(toy.autoencoder, selected=True))
    torch.manual_seed(0)
    renderer = Renderer(config)
    with torch.no_grad():
        renderer.autoencoder.decoder.head.select.bias.fill_(0.25)  # weights still at zero: packing must bear them
    save_renderer(weights_path("toy", tmp_path), renderer, header("renderer", config))
    opened = open_renderer("toy", tmp_path, dtype=torch.float32)
    assert opened.config == config
    assert opened.autoencoder.decoder.head.select.bias.eq(0.25).all()
    assert not PRESETS["toy"].autoencoder.selected


def test_a_header_from_before_the_layer_opens_without_it(tmp_path):
    toy = PRESETS["toy"]
    old = json.loads(json.dumps(dataclasses.asdict(toy)))
    del old["autoencoder"]["selected"]
    torch.manual_seed(0)
    before = dataclasses.replace(header("renderer", toy), config=old)
    save_weights(weights_path("toy", tmp_path), Renderer(toy), before)
    assert open_renderer("toy", tmp_path).autoencoder.decoder.head.select is None
