"""The scene of a circuit: sound triangles, nothing on the road that is not road, levels that fit together."""

from __future__ import annotations

import numpy as np
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.tracks.track import CONCRETE, FENCE, Track
from engine_sim.views import scene as scene_module
from engine_sim.views.materials import Material
from engine_sim.views.meshes import barriers, bridges, ground, markings, ribbon
from engine_sim.views.meshes.parts import to_static
from engine_sim.views.meshes.rings import LODS, Rings
from engine_sim.views.scene import build_scene
from engine_sim.views.scene_data import Mesh, Scene
from render_bridge import palette

from .mesh_checks import (
    BRIDGE_TRACK,
    ROAD_TRACK,
    agreement,
    cell_triangles,
    covered,
    face_normals,
    instance_triangles,
    level_mesh,
    point_grid,
    surface_of,
)

TRACKS = (ROAD_TRACK, BRIDGE_TRACK)


@pytest.fixture(params=TRACKS)
def track(request: pytest.FixtureRequest) -> Track:
    return load_track(request.param)


@pytest.fixture
def scene(track: Track) -> Scene:
    return build_scene(track)


def road_points(track: Track) -> np.ndarray:
    """Points of the road between the samples, nine across, ``[k, 3]``."""
    rings = Rings(track)
    s = (np.arange(track.samples) + 0.5) * track.step
    left, right = (0.5 * (v[:-1] + v[1:]) for v in (rings.field("width_left"), rings.field("width_right")))
    return np.concatenate(
        [markings.on_road(rings, s, -right + f * (left + right))[0] for f in np.linspace(0.02, 0.98, 9)]
    )


@pytest.mark.parametrize(("lod", "least"), [(0, 0.03), (1, 0.10), (2, 0.5)])
def test_nothing_static_stands_on_the_road(track: Track, scene: Scene, lod: int, least: float) -> None:
    mesh = level_mesh(scene, lod)
    triangles = mesh.vertices["position"].astype(np.float64)[mesh.indices].reshape(-1, 3, 3)
    found = covered(triangles, point_grid(road_points(track)), least, 3.0)
    materials = np.unique(surface_of(mesh, 1)[found[found >= 0], 0])
    assert (found >= 0).sum() == 0, [Material(m).name for m in materials]


def test_no_scenery_stands_on_the_road(track: Track, scene: Scene) -> None:
    found = covered(instance_triangles(scene, 0), point_grid(road_points(track)), -0.5, 3.0)
    assert (found >= 0).sum() == 0


def test_the_road_lies_where_the_physics_drives(track: Track, scene: Scene) -> None:
    mesh = level_mesh(scene, 0)
    mine = np.isin(surface_of(mesh, 0)[:, 0], (palette.ROAD, palette.ROAD_EDGE))
    triangles = mesh.vertices["position"].astype(np.float64)[mesh.indices].reshape(-1, 3, 3)[mine]
    found = covered(triangles, point_grid(road_points(track)), -0.04, 0.07)
    assert (found >= 0).mean() > 0.999


def test_static_triangles_have_area_one_class_and_unit_normals_that_look_out(scene: Scene) -> None:
    mesh = scene.static.mesh
    assert np.linalg.norm(face_normals(mesh), axis=1).min() > 1e-7
    lengths = np.linalg.norm(mesh.vertices["normal"].astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-5)
    for channel in (0, 1):
        values = surface_of(mesh, channel)
        assert (values == values[:, :1]).all()
    # Curtains between cells of the height field stand upright but are lit like the ground above them.
    upright = np.abs(face_normals(mesh)[:, 2]) < 1e-3
    wild = np.isin(surface_of(mesh, 1)[:, 0], (Material.GRASS_WILD, Material.SOIL, Material.SAND, Material.ROCK))
    assert agreement(mesh)[~(upright & wild)].min() > 0.0


def test_ground_and_road_face_up(scene: Scene) -> None:
    mesh = level_mesh(scene, 0)
    flat = np.isin(surface_of(mesh, 1)[:, 0], (Material.ASPHALT, Material.EDGE_LINE, Material.GRASS_MOWN))
    assert (face_normals(mesh)[flat, 2] > 0.0).all()


def test_levels_of_detail_get_coarser(track: Track, scene: Scene) -> None:
    count = scene.static.count
    assert (count > 0).all()
    ribbon_cells = count[: Rings(track).cells]
    assert (ribbon_cells[:, 0] > ribbon_cells[:, 1]).all()
    assert (ribbon_cells[:, 1] >= ribbon_cells[:, 2]).all()
    total = count.sum(0)
    assert total[1] < 0.7 * total[0]
    assert total[2] < total[1]


def test_cells_fit_their_spheres_and_every_triangle_has_one_cell(scene: Scene) -> None:
    static = scene.static
    for cell in range(0, len(static.radius), 7):
        for lod in range(LODS):
            away = np.linalg.norm(cell_triangles(scene, cell, lod) - static.center[cell], axis=-1)
            assert away.max() <= static.radius[cell] + 1e-3
    order = np.argsort(static.first.reshape(-1), kind="stable")
    first, count = static.first.reshape(-1)[order], static.count.reshape(-1)[order]
    assert first[0] == 0
    np.testing.assert_array_equal(first[1:], (first + count)[:-1])
    assert first[-1] + count[-1] == len(static.mesh.indices)


def test_cells_share_their_border_ring_in_every_level(track: Track) -> None:
    rings = Rings(track)
    for starts, ends in rings.spans:
        np.testing.assert_array_equal(starts[1:], ends[:-1])
        assert starts[0] == 0
        assert ends[-1] == track.samples
        assert np.isin(rings.cell_edges[:-1], starts).all()
    assert len(rings.spans[2][0]) < len(rings.spans[1][0]) < len(rings.spans[0][0]) == track.samples


def test_the_same_track_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    track = load_track(ROAD_TRACK)
    first = build_scene(track)
    assert build_scene(track) is first
    monkeypatch.setattr(scene_module, "_built", {})
    again = build_scene(track)
    assert again is not first
    assert again.static.mesh.vertices.tobytes() == first.static.mesh.vertices.tobytes()
    assert again.static.mesh.indices.tobytes() == first.static.mesh.indices.tobytes()
    assert again.instances.tobytes() == first.instances.tobytes()


def test_a_scene_stays_small(scene: Scene) -> None:
    total = scene.static.mesh.vertices.nbytes + scene.static.mesh.indices.nbytes + scene.instances.nbytes
    total += sum(m.vertices.nbytes + m.indices.nbytes for p in scene.prototypes for m in p.lods)
    assert total < 60e6


def test_instances_carry_the_scenery_sorted_by_prototype(track: Track, scene: Scene) -> None:
    assert len(scene.instances) == len(track.scenery)
    assert (np.diff(scene.prototype_of) >= 0).all()
    assert (scene.instances["class_id"] == -1).all()
    assert (scene.instances["object"] == 0).all()
    rotation = scene.instances["rotation"].astype(np.float64)
    np.testing.assert_allclose(np.linalg.det(rotation), 1.0, atol=1e-6)
    assert sorted(scene.instances["seed"].tolist()) == sorted(track.scenery["seed"].tolist())


def test_instance_spheres_enclose_their_meshes(scene: Scene) -> None:
    for i in range(0, len(scene.instances), 97):
        prototype = scene.prototypes[scene.prototype_of[i]]
        for mesh in prototype.lods:
            scaled = mesh.vertices["position"].astype(np.float64) * scene.instances["scale"][i]
            assert np.linalg.norm(scaled, axis=1).max() <= scene.instance_radius[i] + 1e-3


def test_the_ground_stays_below_the_ribbon_in_every_level(track: Track) -> None:
    rings = Rings(track)
    points = ground.ribbon_points(rings)
    for lod in range(LODS):
        level = ground.Level(track, points, lod)
        before = level.z.copy()
        ground.press(level.z, track.ground.x0, track.ground.y0, level.cell, points, 0.0)
        np.testing.assert_array_equal(before, level.z)


def test_all_thirteen_classes_but_sky_and_player_can_be_seen_on_a_circuit_with_a_bridge() -> None:
    scene = build_scene(load_track(BRIDGE_TRACK))
    seen = set(np.unique(scene.static.mesh.vertices["surface"][:, 0]).tolist())
    for prototype in scene.prototypes:
        seen |= set(np.unique(prototype.lods[0].vertices["surface"][:, 0]).tolist())
    missing = set(range(len(palette.RACING))) - seen
    assert missing <= {palette.SKY, palette.PLAYER_CAR, palette.TERRAIN, palette.ROCK}


def test_bridges_have_decks_and_pillars_that_leave_the_road_below_free() -> None:
    track = load_track(BRIDGE_TRACK)
    rings = Rings(track)
    over = bridges.bridge_samples(rings)
    assert 5 < over.sum() < 200
    under = {sign: scene_module._ground_beside(rings, sign) for sign in (ribbon.LEFT, ribbon.RIGHT)}
    parts = bridges.bridge_parts(rings, over, under)
    mesh = to_static(_in_one_cell(parts), (1.0, 2.0, 3.0)).mesh
    assert (agreement(mesh) > 0.0).all()
    down = face_normals(mesh)[:, 2] < -0.5
    assert down.any()
    found = covered(
        mesh.vertices["position"].astype(np.float64)[mesh.indices].reshape(-1, 3, 3),
        point_grid(road_points(track)), -0.5, 3.5,
    )  # fmt: skip
    assert (found >= 0).sum() == 0


@pytest.mark.parametrize("style", [1, 2, 3, 4])
@pytest.mark.parametrize("sign", [ribbon.LEFT, ribbon.RIGHT])
def test_every_barrier_style_is_a_solid_wall_beyond_the_face(style: int, sign: int) -> None:
    track = load_track(ROAD_TRACK)
    styles = np.where(np.arange(track.samples) % 60 < 40, style, 0)
    arrays = track.arrays._replace(style_left=styles, style_right=styles)
    rings = Rings(Track(**{**track.__dict__, "arrays": arrays}))
    parts = barriers.barrier_parts(rings, sign)
    for part in parts:
        mesh = Mesh(part.vertices, part.triangles[part.lod == 0].astype(np.uint32).reshape(-1))
        if len(mesh.indices):
            solid = np.linalg.norm(face_normals(mesh), axis=1) > 1e-7
            assert (agreement(mesh)[solid] > 0.0).all()
        assert (part.vertices["surface"][:, 0] == palette.BARRIER).all()
    highest = max(float((p.vertices["position"][:, 2]).max()) for p in parts)
    assert highest > float(track.arrays.z.max()) - 50.0
    tall = 1.6 if style == FENCE else 1.05
    side = ribbon.Side(rings, sign)
    top = rings.at(sign * side.barrier, tall)[:, 2].max()
    assert highest <= top + 0.5


def test_run_off_of_asphalt_is_road_and_of_gravel_terrain() -> None:
    assert ribbon.verge_finish(CONCRETE).class_id == palette.ROAD
    assert [ribbon.verge_finish(s).class_id for s in range(2, 6)] == [palette.GRASS] + [palette.TERRAIN] * 3


def test_grid_boxes_lie_in_front_of_the_cars_on_the_road() -> None:
    track = load_track(ROAD_TRACK)
    rings = Rings(track)
    slots = markings.grid_slots(rings)
    assert len(slots) == 16
    assert slots[0][0] == pytest.approx(-8.0 + markings.NOSE)
    assert slots[0][1] > 0.0 > slots[1][1]
    for part in markings.marking_parts(rings):
        assert (part.vertices["surface"][:, 0] == palette.ROAD).all()
        assert (part.vertices["surface"][:, 1] == Material.GRID_MARK).all()
        mesh = Mesh(part.vertices, part.triangles.astype(np.uint32).reshape(-1))
        assert (face_normals(mesh)[:, 2] > 0.0).all()


def test_the_horizon_surrounds_the_field_and_reaches_far_beyond_it(track: Track, scene: Scene) -> None:
    position = scene.static.mesh.vertices["position"].astype(np.float64)
    rows, cols = track.ground.z.shape
    middle = np.array([track.ground.x0, track.ground.y0]) + 0.5 * track.ground.cell * np.array([cols, rows])
    away = np.linalg.norm(position[:, :2] - middle, axis=1)
    assert away.max() > 2400.0
    assert np.ptp(position[:, 2]) < 1500.0


def _in_one_cell(parts: list) -> list:
    return [p._replace(cell=np.zeros_like(p.cell)) for p in parts]
