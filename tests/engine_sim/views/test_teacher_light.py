"""Light: skies, ambient harmonics, blocks of numbers, tables of materials."""

import dataclasses

import numpy as np
import pytest

from engine_sim.views import teacher_light
from engine_sim.views.look import LIGHTINGS, sample_look
from engine_sim.views.materials import Material
from engine_sim.views.teacher_blocks import LOOK, Block, source
from engine_sim.views.teacher_light import light_of
from engine_sim.views.teacher_materials import kind_tables
from engine_sim.views.teacher_sky import AZIMUTHS, ELEVATIONS, Atmosphere, clear_sky, elevation_of, table_azimuths


def up() -> np.ndarray:
    return elevation_of((np.arange(ELEVATIONS) + 0.5) / ELEVATIONS) > 0.02


def test_noon_is_blue_overhead_and_sunset_red_at_the_sun():
    noon, evening = clear_sky(Atmosphere(55.0, 1.0)), clear_sky(Atmosphere(2.0, 1.2))
    zenith, sunset = noon.table[-1, 32], evening.table[up()][2, 0]
    assert zenith[2] > 2.0 * zenith[0]
    assert sunset[0] > 2.0 * sunset[2]
    assert evening.sun[0] > 5.0 * evening.sun[2]
    assert noon.sun.min() > 0.4


def test_the_sun_below_the_horizon_leaves_only_sky():
    dusk = clear_sky(Atmosphere(-4.5, 1.0))
    assert dusk.sun.max() == 0.0
    assert dusk.table[up()].min() > 0.0
    assert dusk.table[up()].mean() < 0.05 * clear_sky(Atmosphere(20.0, 1.0)).table[up()].mean()


def test_a_sky_scatters_no_more_than_the_sun_gives():
    for elevation in (5.0, 30.0, 60.0):
        sky = clear_sky(Atmosphere(elevation, 1.5))
        falls = teacher_light._irradiance(sky.table.astype(np.float64)) + sky.sun * np.sin(np.radians(elevation))
        assert (falls < np.sin(np.radians(elevation)) + 0.06).all()
        assert (falls > 0.0).all()


def test_table_coordinates_grow_and_end_at_the_poles():
    elevation, azimuth = elevation_of(np.linspace(0.0, 1.0, 33)), table_azimuths()
    assert (np.diff(elevation) > 0.0).all()
    assert elevation[[0, 16, -1]] == pytest.approx([-np.pi / 2, 0.0, np.pi / 2])
    assert azimuth[[0, -1]] == pytest.approx([0.0, np.pi])


def test_an_even_sky_gives_an_even_ambient_light():
    table = np.ones((ELEVATIONS, AZIMUTHS, 3))
    harmonics = teacher_light._harmonics(table, 1.0, np.ones(3))
    assert harmonics[0] == pytest.approx(np.ones(3), abs=0.01)
    assert np.abs(harmonics[1:]).max() < 0.02


def test_ambient_light_comes_from_the_bright_side():
    table = np.zeros((ELEVATIONS, AZIMUTHS, 3))
    table[:, :8] = 1.0
    harmonics = teacher_light._harmonics(table, 0.0, np.zeros(3))
    assert harmonics[3, 0] > 0.04
    assert abs(harmonics[1, 0]) < 1e-9


@pytest.mark.parametrize("lighting", LIGHTINGS)
def test_light_is_finite_and_exposed(lighting):
    light = light_of(sample_look(4, lighting))
    assert len(light.block) == LOOK.size
    assert np.isfinite(np.frombuffer(light.block, np.float32)).all()
    assert np.isfinite(light.sky.astype(np.float32)).all()
    assert 0.01 < light.sky[up()][..., :3].astype(np.float32).mean() < 4.0
    assert (light.sun is None) == (lighting in ("blue hour", "overcast"))


def test_warmth_warms():
    look = sample_look(4, "clear midday")
    cold, warm = (
        light_of(dataclasses.replace(look, weather=dataclasses.replace(look.weather, warmth=w))).sky.astype(np.float32)
        for w in (-1.0, 1.0)
    )
    assert (warm[..., 0] / warm[..., 2]).mean() > 1.1 * (cold[..., 0] / cold[..., 2]).mean()


def test_a_block_packs_rows_in_order_and_matrices_by_columns():
    block = Block("B", {"a": ("vec4", 1), "m": ("mat4", 4), "n": ("ivec4", 1), "list": ("vec4", 2)})
    matrix = np.arange(16.0).reshape(4, 4)
    data = block.pack({"a": (1.0, 2.0), "m": matrix, "n": (7,), "list": [(3.0,), (4.0,)]})
    rows = np.frombuffer(data, np.float32).reshape(-1, 4)
    assert block.size == len(data) == 8 * 16
    assert rows[0].tolist() == [1.0, 2.0, 0.0, 0.0]
    assert np.array_equal(rows[1:5], matrix.T)
    assert rows[5].view(np.int32)[0] == 7
    assert rows[6:, 0].tolist() == [3.0, 4.0]
    assert block.declaration.splitlines()[0] == "layout(std140) uniform B {"
    with pytest.raises(KeyError):
        block.pack({"a": 1.0})


def test_every_material_has_a_colour_a_layer_and_a_constant():
    tables = kind_tables(sample_look(1).palette)
    assert all(len(t) == len(Material) for t in tables.values())
    assert (tables["kind_color"][:, :3].max(1) > 0.0).all()
    assert (tables["kind_detail"][:, 1] > 0.0).all()
    text = source("teacher_common.glsl")
    assert all(f"const int {m.name} = {int(m)};" in text for m in Material)
