"""Prototypes: solid triangles with honest normals, in their box, with levels that get coarser and keep the shape."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine_sim.tracks.track import BOARD, PIT_BUILDING, SCENERY_DTYPE, STAND, TREE_BROADLEAF
from engine_sim.views.materials import Material
from engine_sim.views.meshes import prototypes
from engine_sim.views.meshes.parts import Finish, Part, join, to_mesh
from engine_sim.views.meshes.solids import box, creased, icosphere, lathe, mirrored, quads
from engine_sim.views.scene_data import Prototype
from render_bridge import palette

from .mesh_checks import agreement, corners, face_normals, surface_of

SCENERY = prototypes.scenery_prototypes()
CARS = prototypes.car_prototypes()
EVERY = [(p, k) for p in SCENERY + CARS for k in range(len(p.lods))]
NAMES = [f"{p.name}-lod{k}" for p, k in EVERY]
PLAIN = Finish(palette.BUILDING, Material.METAL)


@pytest.mark.parametrize(("prototype", "lod"), EVERY, ids=NAMES)
def test_normals_are_unit_and_look_out_of_the_side_that_winds_counter_clockwise(prototype: Prototype, lod: int) -> None:
    mesh = prototype.lods[lod]
    lengths = np.linalg.norm(mesh.vertices["normal"].astype(np.float64), axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-5)
    assert agreement(mesh).min() > 0.0


@pytest.mark.parametrize(("prototype", "lod"), EVERY, ids=NAMES)
def test_no_triangle_is_degenerate_and_none_mixes_classes_or_materials(prototype: Prototype, lod: int) -> None:
    mesh = prototype.lods[lod]
    assert np.linalg.norm(face_normals(mesh), axis=1).min() > 1e-7
    assert int(mesh.indices.max()) < len(mesh.vertices)
    for channel in (0, 1):
        values = surface_of(mesh, channel)
        assert (values == values[:, :1]).all()


@pytest.mark.parametrize("prototype", SCENERY + CARS, ids=lambda p: p.name)
def test_levels_of_detail_get_coarser_and_keep_the_silhouette(prototype: Prototype) -> None:
    counts = [len(m.indices) // 3 for m in prototype.lods]
    assert all(a >= b for a, b in pairwise(counts))
    assert counts[-1] < counts[0]
    assert list(prototype.lod_distance) == sorted(prototype.lod_distance)
    boxes = [m.vertices["position"].astype(np.float64) for m in prototype.lods]
    heights = [p[:, 2].max() for p in boxes]
    assert max(heights) - min(heights) < 0.16 * max(heights)
    widths = [np.ptp(p[:, 0]) for p in boxes]
    assert max(widths) < 1.35 * min(widths)


@pytest.mark.parametrize("prototype", SCENERY, ids=lambda p: p.name)
def test_scenery_fills_its_unit_box(prototype: Prototype) -> None:
    position = prototype.lods[0].vertices["position"].astype(np.float64)
    assert 0.97 < position[:, 2].max() <= 1.001
    assert np.abs(position[:, :2]).max() < 0.58
    assert np.abs(position[:, :2]).max() > 0.45
    assert prototype.radius >= np.linalg.norm(position, axis=1).max() - 1e-6


def test_a_stand_is_grandstand_a_board_billboard_and_a_tree_vegetation_all_over() -> None:
    expected = {"stand": palette.GRANDSTAND, "board": palette.BILLBOARD, "broadleaf": palette.VEGETATION,
                "conifer": palette.VEGETATION, "bush": palette.VEGETATION, "boulder": palette.ROCK,
                "house": palette.BUILDING, "tower": palette.BUILDING, "pits": palette.BUILDING,
                "car": palette.RIVAL_CAR}  # fmt: skip
    for prototype, lod in EVERY:
        wanted = expected.get(prototype.name.split("_")[0])
        if wanted is not None:
            assert (prototype.lods[lod].vertices["surface"][:, 0] == wanted).all(), prototype.name


def test_the_car_measures_like_a_gt_car_and_stands_on_its_wheels() -> None:
    body, wheel = CARS
    position = body.lods[0].vertices["position"].astype(np.float64)
    length, width, height = np.ptp(position[:, 0]), np.ptp(position[:, 1]), position[:, 2].max()
    assert 4.4 < length < 4.7
    assert 1.9 < width <= 1.96
    assert 1.1 < height <= 1.21
    assert position[:, 2].min() > 0.03
    radius = np.linalg.norm(wheel.lods[0].vertices["position"][:, [0, 2]], axis=1).max()
    np.testing.assert_allclose(radius, 0.34, atol=1e-3)


def test_the_car_is_the_same_on_both_sides() -> None:
    for mesh in CARS[0].lods:
        points = np.unique(np.round(mesh.vertices["position"].astype(np.float64), 4), axis=0)
        other = np.unique(np.round(points * (1.0, -1.0, 1.0), 4) + 0.0, axis=0)
        np.testing.assert_allclose(np.unique(points + 0.0, axis=0), other, atol=2e-4)


def test_the_car_wears_every_car_material() -> None:
    worn = set(np.unique(CARS[0].lods[0].vertices["surface"][:, 1]).tolist())
    assert worn == {Material.CAR_PAINT, Material.CAR_GLASS, Material.CAR_TRIM, Material.CAR_HEADLIGHT,
                    Material.CAR_TAILLIGHT, Material.CAR_RIM}  # fmt: skip
    assert Material.CAR_TYRE in CARS[1].lods[0].vertices["surface"][:, 1]


def test_budgets_of_triangles_hold() -> None:
    for prototype in SCENERY + CARS:
        counts = [len(m.indices) // 3 for m in prototype.lods]
        if prototype.name.startswith(("broadleaf", "conifer")):
            assert counts[0] <= 400
            assert counts[2] <= 52
            assert counts[3] <= 20
        if prototype.name == "car_body":
            assert counts[0] <= 1200
            assert counts[1] <= 420
            assert counts[2] <= 130


def test_prototypes_come_out_byte_for_byte_the_same() -> None:
    again = prototypes.scenery_prototypes() + prototypes.car_prototypes()
    for a, b in zip(SCENERY + CARS, again, strict=True):
        for m, n in zip(a.lods, b.lods, strict=True):
            assert m.vertices.tobytes() == n.vertices.tobytes()
            assert m.indices.tobytes() == n.indices.tobytes()


def test_forms_follow_size_where_they_differ_in_size_and_seed_elsewhere() -> None:
    scenery = np.zeros(7, SCENERY_DTYPE)
    scenery["kind"] = (PIT_BUILDING, PIT_BUILDING, STAND, BOARD, BOARD, BOARD, TREE_BROADLEAF)
    scenery["size_x"] = (30.0, 200.0, 50.0, 1.3, 7.0, 9.0, 6.0)
    scenery["size_z"] = (7.5, 7.5, 9.0, 2.3, 2.1, 5.0, 9.0)
    scenery["seed"] = (0, 0, 0, 0, 0, 0, 0xFFFFFFFF)
    names = [SCENERY[k].name for k in prototypes.choose(scenery)]
    assert names[:6] == ["pits_0", "pits_2", "stand_2", "board_2", "board_0", "board_1"]
    assert names[6].startswith("broadleaf_")


def test_a_box_is_closed_and_its_faces_measure_in_its_units() -> None:
    mesh = to_mesh([box((0.0, 0.0, 0.0), (2.0, 3.0, 4.0), PLAIN)])
    np.testing.assert_allclose(_volume(mesh), 24.0)
    assert agreement(mesh).min() > 0.999
    front = mesh.vertices[mesh.vertices["normal"][:, 1] < -0.5]
    np.testing.assert_allclose(np.ptp(front["uv"], axis=0), (2.0, 4.0))


def test_a_lathe_with_closed_ends_encloses_a_cylinder() -> None:
    mesh = to_mesh([lathe([(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0)], 64, PLAIN)])
    np.testing.assert_allclose(_volume(mesh), 2.0 * np.pi, rtol=0.01)


def test_an_icosphere_is_round_and_faces_out() -> None:
    points, triangles = icosphere(2)
    assert triangles.shape == (320, 3)
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 1.0)
    part = creased(points, triangles, np.zeros(320, np.int64), (PLAIN,), points[:, :2], 60.0)
    np.testing.assert_allclose(part.vertices["normal"], part.vertices["position"], atol=0.08)
    assert _volume(to_mesh([part])) > 3.9


def test_creases_split_sharp_edges_and_keep_flat_ones() -> None:
    roof = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0.0), (0, 1, 0), (0, 2, -2), (1, 2, -2)], float)
    triangles = np.array([(0, 1, 2), (0, 2, 3), (3, 2, 5), (3, 5, 4)])
    part = creased(roof, triangles, np.zeros(4, np.int64), (PLAIN,), roof[:, :2], 40.0)
    assert len(part.vertices) == 8
    assert len(np.unique(np.round(part.vertices["normal"], 3), axis=0)) == 2


def test_mirroring_turns_the_winding_so_that_the_outside_stays_outside() -> None:
    part = box((0.0, 1.0, 0.0), (1.0, 2.0, 1.0), PLAIN)
    other = to_mesh([mirrored(part)])
    np.testing.assert_allclose(_volume(other), 1.0)
    assert corners(other)[:, :, 1].max() == -1.0


def test_joining_renumbers_and_dropping_keeps_only_used_vertices() -> None:
    quad = quads([((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0))], PLAIN)
    flat = Part(quad.vertices, np.array([[0, 1, 1]]))
    mesh = to_mesh([quad, flat, quad])
    assert len(mesh.indices) == 12
    assert len(mesh.vertices) == 8
    assert len(join([quad, flat]).triangles) == 3


def _volume(mesh) -> float:
    a, b, c = corners(mesh).transpose(1, 0, 2)
    return float((a * np.cross(b, c)).sum() / 6.0)
