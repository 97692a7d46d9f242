"""Textures, print, draw groups, shadow maps and posed moments of the teacher view."""

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.views.culling import draw_list
from engine_sim.views.gl_context import open_gl
from engine_sim.views.materials import Material
from engine_sim.views.posed import posed_car, posed_frame
from engine_sim.views.scene import build_scene
from engine_sim.views.scene_data import INSTANCE_DTYPE
from engine_sim.views.teacher_atlas import BRANDS, DIGIT, PANEL, print_atlas
from engine_sim.views.teacher_families import FAMILY_OF, Family, families_of, painter_source
from engine_sim.views.teacher_noise import fractal, hash_grid, stones, value_noise
from engine_sim.views.teacher_scene import TeacherScene
from engine_sim.views.teacher_shadows import MAPS, SunShadows
from engine_sim.views.teacher_textures import SIZE, Layer, detail_layers

TRACK = "acorn-loop"


def seam(image: np.ndarray) -> float:
    """Step across the border of a tile over the mean step inside."""
    flat = image.astype(np.float64)
    border = np.abs(flat[0] - flat[-1]).mean() + np.abs(flat[:, 0] - flat[:, -1]).mean()
    inside = np.abs(np.diff(flat, axis=0)).mean() + np.abs(np.diff(flat, axis=1)).mean()
    return border / inside


@pytest.mark.parametrize("layer", [layer for layer in Layer if layer != Layer.CROWD])
def test_layers_tile_and_are_not_flat(layer):
    picture = detail_layers()[layer]
    assert picture.shape == (SIZE, SIZE, 4)
    for channel in range(4):
        assert picture[..., channel].std() > 2
        assert seam(picture[..., channel]) < 2.0


def test_the_crowd_is_people_on_nothing():
    crowd = detail_layers()[Layer.CROWD]
    assert 0.3 < (crowd[..., 3] > 0).mean() < 0.9
    assert (crowd[..., :3][crowd[..., 3] == 0] == 0).all()


def test_noise_is_a_function_of_its_seed():
    assert np.array_equal(hash_grid(8, 8, 1), hash_grid(8, 8, 1))
    assert not np.array_equal(hash_grid(8, 8, 1), hash_grid(8, 8, 2))
    assert abs(hash_grid(64, 64, 3).astype(np.float64).mean() / 2**32 - 0.5) < 0.02
    for image in (value_noise(64, 8, 1), fractal(64, 4, 3, 2), *stones(64, 6, 3)):
        assert image.dtype == np.float32
        assert image.min() >= 0.0
        assert image.max() <= 1.0


def test_every_brand_and_digit_is_printed():
    atlas = print_atlas()
    for index in range(len(BRANDS)):
        x, y = index % 4 * PANEL[0], index // 4 * PANEL[1]
        panel = atlas[y : y + PANEL[1], x : x + PANEL[0]]
        assert 0.02 < (panel[..., 0] > 128).mean() < 0.6
        assert (panel[..., 1] > 128).mean() > 0.02
    digits = [atlas[-DIGIT:, k * DIGIT : (k + 1) * DIGIT, 0] for k in range(10)]
    assert all((d > 128).mean() > 0.05 for d in digits)
    assert all(not np.array_equal(a, b) for i, a in enumerate(digits) for b in digits[i + 1 :])


@pytest.fixture(scope="module")
def scene():
    return build_scene(load_track(TRACK))


def test_groups_share_out_every_triangle_of_the_list_once(scene):
    draws = draw_list(scene, posed_frame(load_track(TRACK), 120.0))
    with open_gl() as ctx:
        parts = TeacherScene(ctx, scene)
        commands = parts._commands(draws)
    wanted = int(draws.ranges[:, 1].sum()) + sum(
        len(b.instances) * len(scene.prototypes[b.prototype].lods[b.lod].indices) for b in draws.batches
    )
    assert int((commands[:, 0] * commands[:, 1]).sum()) == wanted
    assert sum(count for _, count in parts._spans) == len(commands)


def test_what_is_built_can_be_drawn_without_the_ground(scene):
    static = scene.static
    cells = static.count[:, 0] > 0
    with open_gl() as ctx:
        parts = TeacherScene(ctx, scene)
    ranges = parts.built_ranges(static.first[cells, 0])
    mesh = parts._parts.mesh
    kinds = [mesh.vertices["surface"][mesh.indices[a : a + n], 1] for a, n in ranges.tolist()]
    whole = zip(static.first[cells, 0].tolist(), static.count[cells, 0].tolist(), strict=True)
    everything = [static.mesh.vertices["surface"][static.mesh.indices[a : a + n], 1] for a, n in whole]
    barriers = range(Material.GUARD_RAIL, Material.FENCE + 1)
    assert np.isin(np.concatenate(kinds), barriers).all()
    assert len(np.concatenate(kinds)) == np.isin(np.concatenate(everything), barriers).sum() > 0


def test_every_record_knows_where_its_triangles_start(scene):
    draws = draw_list(scene, posed_frame(load_track(TRACK), 120.0))
    with open_gl() as ctx:
        parts = TeacherScene(ctx, scene)
        commands = parts._commands(draws)
        records = len(parts._records(draws)) // INSTANCE_DTYPE.itemsize
    assert records == len(parts._starts)
    static = sum(len(b.instances) for b in draws.batches) + 1
    for _, instances, start, base_vertex, base in commands.tolist():
        assert base_vertex == 0
        assert (parts._starts[base : base + instances, 1] == start // 3).all()
        expected = 0 if base >= static else np.arange(base, base + instances)
        assert (parts._starts[base : base + instances, 0] == expected).all()


def test_every_material_belongs_to_a_family_and_its_program_holds_no_other(scene):
    assert set(FAMILY_OF) == set(Material)
    assert Family.SKY in families_of(scene)
    assert set(families_of(scene)) <= set(Family)
    sky, everything = painter_source((Family.SKY,), ()), painter_source(tuple(Family), ())
    assert "vec3 sky_behind" in sky
    assert "Surface ground" not in sky
    assert all(f"Surface {name}(" in everything for name in ("ground", "built", "plant", "car"))


def test_shadow_maps_are_redrawn_only_when_their_centre_moves(scene):
    frame = posed_frame(load_track(TRACK), 120.0)
    with open_gl() as ctx:
        shadows = SunShadows(ctx, scene, TeacherScene(ctx, scene), 64)
        shadows.set_sun(np.array([0.6, 0.0, 0.8]))
        drawn = []
        plain = shadows._draw
        shadows._draw = lambda index, center: (drawn.append(index), plain(index, center))
        shadows.follow(frame.camera)
        shadows.follow(frame.camera)
        assert drawn == [0, 1]
        aside = np.array([2.0 * MAPS[0].step, 2.0 * MAPS[0].step, 0.0])
        moved = np.array(frame.camera.position) + aside
        shadows.follow(frame.camera._replace(position=tuple(moved)))
        assert drawn[2] == 0
        assert len(drawn) < 5
        drawn.clear()
        shadows.set_sun(None)
        shadows.follow(frame.camera)
        assert not drawn
    assert all(kind.step / (2.0 * kind.half / 1024) % 1.0 == 0.0 for kind in MAPS)


def test_posed_cars_stand_on_the_road():
    track = load_track(TRACK)
    car = posed_car(track, 100.0, 1.5)
    i = int(100.0 / track.step)
    assert np.hypot(car.x - track.arrays.x[i], car.y - track.arrays.y[i]) == pytest.approx(1.5)
    assert posed_frame(track, 10.0, "cockpit").hide_player
