"""Trained renderers in a folder: found, opened as they were saved, refused by name."""

import contextlib
import dataclasses
import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from diffusion_render.model.bundle import (
    best_dtype,
    cpu_capabilities,
    has_weights,
    open_renderer,
    read_config,
    save_renderer,
    weights_folder,
    weights_path,
)
from diffusion_render.model.renderer import PRESETS, Renderer
from diffusion_render.model.weights import FORMAT, WeightsError, WeightsHeader, save_weights
from diffusion_render.stream.session import SessionConfig, StreamSession
from render_bridge.palette import RACING
from tests.diffusion_render.toys import waken

TOY = PRESETS["toy"]


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    torch.manual_seed(3)
    made = Renderer(TOY)
    waken(made)
    return made.eval().requires_grad_(False)


def header(**changed) -> WeightsHeader:
    values = dict(
        part="renderer",
        preset="toy",
        stage="forcing",
        sampler="euler",
        class_table=RACING.hash,
        config=dataclasses.asdict(TOY),
        data="none",
    )
    return WeightsHeader(**values | changed)


def write(folder, **changed) -> None:
    """A file of the toy's name with another header and hardly a tensor in it."""
    meta = {"format": FORMAT, "header": json.dumps(dataclasses.asdict(header(**changed)))}
    save_file({"x": torch.zeros(1)}, weights_path("toy", folder), meta)


def first_pictures(renderer: Renderer) -> torch.Tensor:
    maps = torch.arange(28 * 64 * 64).view(28, 64, 64).div(97, rounding_mode="floor").remainder(13).to(torch.uint8)
    text = torch.randn(64, 384, generator=torch.Generator().manual_seed(1))
    stream = StreamSession(renderer, SessionConfig(0, 64, 64), torch.zeros(3, 64, 64), maps[0], text)
    return torch.stack(stream.push(maps)).float()


def test_a_saved_renderer_is_opened_and_draws_the_same_but_for_packing(tmp_path, renderer):
    assert not has_weights("toy", tmp_path)
    size = save_renderer(weights_path("toy", tmp_path), renderer, header())
    assert has_weights("toy", tmp_path)
    assert size < 2 * sum(p.numel() for p in renderer.parameters())
    opened = open_renderer("toy", tmp_path, dtype=torch.float32)
    assert opened.config == TOY
    assert not opened.training
    assert not any(p.requires_grad for p in opened.parameters())
    difference = first_pictures(opened) - first_pictures(renderer)
    assert difference.abs().mean() < 2.0


def test_plain_files_of_training_open_too(tmp_path, renderer):
    save_weights(weights_path("toy", tmp_path), renderer, header(), torch.float32)
    opened = open_renderer("toy", tmp_path, dtype=torch.float32)
    assert torch.equal(first_pictures(opened), first_pictures(renderer))


def test_sizes_come_from_the_file_not_from_the_preset(tmp_path):
    config = dataclasses.replace(TOY, autoencoder=dataclasses.replace(TOY.autoencoder, noise_octaves=1))
    save_renderer(weights_path("toy", tmp_path), Renderer(config), header(config=dataclasses.asdict(config)))
    assert open_renderer("toy", tmp_path).config == config


def test_opening_leaves_the_random_numbers_as_they_are(tmp_path, renderer):
    save_renderer(weights_path("toy", tmp_path), renderer, header())
    before = torch.random.get_rng_state()
    open_renderer("toy", tmp_path)
    assert torch.equal(before, torch.random.get_rng_state())


def test_number_type_is_the_asked_one_or_the_best(tmp_path, renderer):
    save_renderer(weights_path("toy", tmp_path), renderer, header())
    assert next(open_renderer("toy", tmp_path).parameters()).dtype == best_dtype("cpu")
    assert next(open_renderer("toy", tmp_path, dtype=torch.float16).parameters()).dtype == torch.float16


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"part": "autoencoder"}, "expected part 'renderer', found 'autoencoder'"),
        ({"preset": "nano"}, "expected preset 'toy', found 'nano'"),
        ({"class_table": "0123"}, "expected class_table"),
        ({"config": dataclasses.asdict(PRESETS["nano"])}, "expected a config for 'toy' with 13 classes, found 'nano'"),
        ({"config": {"preset": "toy", "autoencoder": {"classes": 12}}}, "with 13 classes, found 'toy' with 12"),
        ({"config": {"autoencoder": {"latent": 9}}}, "autoencoder makes 9 latent channels"),
        ({"config": {"colour": 3}}, "config has the unknown field 'colour'"),
        ({"config": {"generator": {"width": 100}}}, "width 100 must be divisible"),
        ({"config": {"generator": {"width": 10**9}}}, "config.generator.width must lie between 0 and 4096"),
        ({"config": {"generator": {"layers": 65}}}, "config.generator.layers must lie between 0 and 64"),
        ({"config": {"generator": {"width": 4096, "layers": 64}}}, "more than 134217728 parameters"),
        ({"config": {"autoencoder": {"encoder_blocks": [1, 1, 1, 65]}}}, "encoder_blocks must lie between 0 and 64"),
        ({"config": {"autoencoder": {"encoder_widths": 7}}}, "encoder_widths must be a short list"),
        ({"config": {"autoencoder": {"decoder_widths": [7, 5, 3, 1]}}}, "must be divisible"),
        ({"config": dataclasses.asdict(TOY)}, "tensors do not fit the toy renderer"),
    ],
)
def test_files_of_another_making_are_refused_by_name(tmp_path, changed, match):
    write(tmp_path, **changed)
    with pytest.raises(WeightsError, match=match):
        open_renderer("toy", tmp_path)


def test_missing_files_and_unknown_presets_are_named(tmp_path):
    with pytest.raises(WeightsError, match=r"no weights at .*toy\.safetensors"):
        open_renderer("toy", tmp_path)
    with pytest.raises(WeightsError, match="unknown preset 'huge'; expected one of nano, base, toy"):
        open_renderer("huge", tmp_path)


def test_a_header_that_does_not_describe_the_renderer_is_not_written(tmp_path, renderer):
    other = dataclasses.asdict(PRESETS["nano"])
    for changed in ({"part": "autoencoder"}, {"preset": "nano"}, {"config": other}, {"config": {"a": 1}}):
        with pytest.raises(ValueError):
            save_renderer(tmp_path / "w.safetensors", renderer, header(**changed))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_a_device_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ValueError, match="there is no cuda here"):
        open_renderer("toy", tmp_path, "cuda")


def test_weights_folder_is_in_the_repository_unless_the_environment_names_one(monkeypatch, tmp_path):
    monkeypatch.delenv("PAINTOVER_WEIGHTS", raising=False)
    assert weights_folder().parts[-2:] == ("assets", "weights")
    assert (weights_folder().parent / "looks").is_dir()
    monkeypatch.setenv("PAINTOVER_WEIGHTS", str(tmp_path))
    assert weights_folder() == tmp_path


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_survives_its_own_header(preset):
    config = PRESETS[preset]
    assert read_config(json.loads(json.dumps(dataclasses.asdict(config)))) == config


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200)
@given(field=st.sampled_from(["preset", "width", "autoencoder", "generator"]), value=_JSON)
def test_any_config_is_read_or_refused(field, value):
    with contextlib.suppress(ValueError):
        assert dataclasses.is_dataclass(read_config({field: value}))


@pytest.mark.parametrize(
    ("device", "cpu", "expected"),
    [
        ("cuda", {}, torch.bfloat16),
        ("cuda:1", {}, torch.bfloat16),
        ("mps", {}, torch.float32),
        ("cpu", {}, torch.float32),
        ("cpu", {"cpu_name": "Intel(R) Xeon(R)", "avx512_bf16": True, "amx_bf16": True}, torch.bfloat16),
        ("cpu", {"cpu_name": "Intel(R) Xeon(R)", "avx512_bf16": True, "amx_bf16": False}, torch.float32),
        ("cpu", {"cpu_name": "AMD EPYC", "avx512_bf16": True, "amx_bf16": False}, torch.bfloat16),
        ("cpu", {"cpu_name": "AMD Ryzen", "avx512_bf16": False, "avx2": True}, torch.float32),
    ],
)
def test_bfloat16_only_where_it_was_measured_faster(device, cpu, expected):
    assert best_dtype(device, cpu) == expected


def test_the_processor_here_can_be_asked():
    assert isinstance(dict(cpu_capabilities()), dict)
    assert best_dtype("cpu") in (torch.float32, torch.bfloat16)
