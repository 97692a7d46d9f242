"""The class view of both backends: exact ids, exact places, no smoothing, no state left behind."""

import moderngl
import numpy as np
import pytest
from numpy.typing import NDArray

from engine_sim.core.errors import UserError
from engine_sim.views.class_view import ClassView, Painter, make_painter, open_class_view
from engine_sim.views.culling import draw_list
from engine_sim.views.frame import FrameState
from engine_sim.views.gl_context import SMOOTHING, open_gl
from engine_sim.views.scene_data import Batch, Prototype
from render_bridge.palette import GRASS, RACING, SKY, TERRAIN

from .view_fixtures import (
    FACING,
    box_mesh,
    car_batch,
    flat_triangle,
    instance,
    look_along,
    mesh_of,
    scene_of,
    village,
    whole_list,
)

BACKENDS = ["cpu", "gl"]
ROTATED = [
    flat_triangle([(-0.9, -0.61), (0.83, -0.35), (-0.2, 0.77)], 2.0, 3),
    flat_triangle([(-0.55, 0.71), (0.31, -0.83), (0.92, 0.66)], 3.0, 9),
]


def paint(backend: str, scene, width: int, height: int, camera=FACING, draws=None) -> NDArray[np.uint8]:
    painter = make_painter(scene, width, height, backend)
    result = painter.classes(draws if draws is not None else whole_list(scene), camera)
    painter.close()
    return result


def checker(width: int, height: int, cell: int) -> tuple[list, NDArray[np.uint8]]:
    """Squares of ``cell`` pixels with classes that no two neighbours share, as meshes and as the picture."""
    expected = np.empty((height, width), np.uint8)
    corners, classes = [], []
    for row in range(0, height, cell):
        for col in range(0, width, cell):
            class_id = (row // cell * 5 + col // cell * 2) % 10
            expected[row : row + cell, col : col + cell] = class_id
            # One unit is half the height; the centre of the picture is the origin.
            x0, x1 = (2.0 * c / height - width / height for c in (col, col + cell))
            y0, y1 = (1.0 - 2.0 * r / height for r in (row + cell, row))
            quad = [(x0, y0, -1.0), (x1, y0, -1.0), (x1, y1, -1.0), (x0, y1, -1.0)]
            corners += [[quad[i] for i in t] for t in ((0, 1, 2), (0, 2, 3))]
            classes += [class_id] * 2
    return [mesh_of(corners, classes)], expected


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("width", "height", "cell"), [(5, 5, 1), (17, 3, 1), (333, 111, 37), (1366, 768, 61)])
def test_rows_of_any_width_come_back_straight_with_every_corner_in_place(backend, width, height, cell):
    meshes, expected = checker(width, height, cell)
    assert (paint(backend, scene_of(meshes), width, height) == expected).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_stands_top_left_is_drawn_top_left(backend):
    quarter = [[(-1, 0, -1), (0, 0, -1), (0, 1, -1)], [(-1, 0, -1), (0, 1, -1), (-1, 1, -1)]]
    expected = np.full((64, 64), SKY, np.uint8)
    expected[:32, :32] = 1
    assert (paint(backend, scene_of([mesh_of(quarter, 1)]), 64, 64) == expected).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_borders_of_rotated_triangles_hold_no_other_class(backend):
    picture = paint(backend, scene_of(ROTATED), 448, 256)
    assert set(np.unique(picture)) == {3, 9, SKY}
    assert picture[128, 224] == 3, "the nearer triangle wins"


def test_blending_and_smoothing_switched_on_elsewhere_change_no_id():
    scene = scene_of(ROTATED)
    before = paint("gl", scene, 448, 256)
    left_on = [open_gl(), open_gl()]
    for gl in left_on:
        with gl as ctx:
            ctx.enable(moderngl.BLEND | moderngl.CULL_FACE)
            ctx.depth_func = ">"
            for switch in SMOOTHING:
                ctx.enable_direct(switch)
    left_on[0].close()  # the painter takes this one over; the other stays open beside it
    painter = make_painter(scene, 448, 256, "gl")
    after = painter.classes(whole_list(scene), FACING)
    with painter._gl as ctx:
        for switch in SMOOTHING:
            ctx.enable_direct(switch)
    again = painter.classes(whole_list(scene), FACING)
    assert painter._gl.ctx.error == "GL_NO_ERROR"
    painter.close()
    left_on[1].close()
    assert (before == after).all()
    assert (before == again).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_class_reads_back_as_its_id_and_its_colour(backend):
    for row in RACING.classes:
        picture = paint(backend, scene_of([flat_triangle([(-9, -9), (9, -9), (0, 9)], 4.0, row.id)]), 32, 32)
        assert (picture == row.id).all()
        assert (RACING.colorize(picture) == row.color).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_cut_up_plane_has_neither_holes_nor_overlaps(backend):
    rng = np.random.default_rng(11)
    n = 14
    grid = np.stack(np.meshgrid(np.linspace(-2, 2, n), np.linspace(-2, 2, n), indexing="ij"), -1)
    grid[1:-1, 1:-1] += rng.uniform(-0.09, 0.09, (n - 2, n - 2, 2))
    points = np.concatenate([grid, np.full((n, n, 1), -1.0)], -1)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    corners = np.concatenate([np.stack(t, -2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])
    forward = paint(backend, scene_of([mesh_of(corners, [i % 10 for i in range(len(corners))])]), 96, 96)
    classes = [i % 10 for i in range(len(corners))][::-1]
    backward = paint(backend, scene_of([mesh_of(corners[::-1], classes)]), 96, 96)
    assert (forward != SKY).all()
    assert (forward == backward).all(), "an edge pixel belongs to one triangle, whatever the order"


def test_edges_through_pixel_centres_fall_to_the_same_side_in_both():
    def at(col: float, row: float) -> tuple[float, float]:
        return col / 16 - 1, 1 - row / 16

    corners = [at(8.5, 8.5), at(20.5, 8.5), at(20.5, 20.5), at(8.5, 20.5)]
    scene = scene_of([
        flat_triangle([corners[i] for i in t], 1.0, k) for k, t in enumerate(((0, 1, 2), (0, 2, 3)))
    ])  # fmt: skip
    cpu, gl = (paint(backend, scene, 32, 32) for backend in BACKENDS)
    assert (cpu == gl).all()
    rows, cols = np.nonzero(cpu != SKY)
    assert (rows.min(), rows.max(), cols.min(), cols.max()) == (8, 19, 8, 19), "top and left edges are inside"


@pytest.mark.parametrize("backend", BACKENDS)
def test_ground_under_the_camera_fills_everything_below_the_horizon(backend):
    side = 4000.0
    a, b, c, d = (-side, -side, 0), (side, -side, 0), (side, side, 0), (-side, side, 0)
    ground = [[a, b, c], [a, c, d]]
    picture = paint(backend, scene_of([mesh_of(ground, GRASS)]), 128, 96, look_along((3.0, 2.0, 0.7), 0.4))
    assert (picture[:47] == SKY).all()
    assert (picture[49:] == GRASS).all(), "a triangle that reaches behind the camera is clipped, not lost"


@pytest.mark.parametrize("backend", BACKENDS)
def test_beyond_the_far_plane_is_sky(backend):
    wall = [[(d, -9000, -9000), (d, 9000, -9000), (d, 0, 9000)] for d in (2400.0, 2600.0)]
    for corners, expected in zip(wall, (TERRAIN, SKY), strict=True):
        picture = paint(backend, scene_of([mesh_of([corners], TERRAIN)]), 32, 32, look_along((0, 0, 0), 0.0))
        assert (picture == expected).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_instances_are_turned_scaled_placed_and_reclassed(backend):
    prototype = Prototype("box", (box_mesh((2.0, 2.0, 2.0), 7),), (1e9,), 3.0)
    placed = instance(10.0, 3.0, 1.0, yaw=0.5, scale=1.5, object_id=4, class_id=12)
    scene = scene_of([flat_triangle([(0, 0), (0, 0), (0, 0)], 1.0, 0)], (prototype,), placed, [0])
    by_hand = box_mesh((3.0, 3.0, 3.0), 12)
    c, s = np.cos(0.5), np.sin(0.5)
    turned = by_hand.vertices["position"] @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    by_hand.vertices["position"] = turned + np.array([10, 3, 1])
    camera = look_along((0.0, 0.0, 2.0), 0.2)
    assert (paint(backend, scene, 96, 96, camera) == paint(backend, scene_of([by_hand]), 96, 96, camera)).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_empty_list_is_all_sky(backend):
    scene = scene_of(ROTATED)
    draws = whole_list(scene)
    empty = type(draws)(draws.ranges[:0], ())
    assert (paint(backend, scene, 32, 32, draws=empty) == SKY).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_index_ranges_joined_over_cells_draw_the_same(backend):
    scene = village(objects=0)
    camera = look_along((-30.0, 4.0, 6.0), 0.7, -0.1)
    apart = whole_list(scene)
    total = np.array([[0, apart.ranges[:, 1].sum()]])
    joined = type(apart)(total, ())
    assert (paint(backend, scene, 64, 64, camera, apart) == paint(backend, scene, 64, 64, camera, joined)).all()


@pytest.mark.parametrize("backend", BACKENDS)
def test_more_cars_than_reserved_still_draw(backend):
    scene = village(cells=2, objects=4)
    car = next(k for k, p in enumerate(scene.prototypes) if p.name == "car_body")
    rows = np.concatenate(
        [instance(8.0 + i // 20, (i % 20 - 10) * 0.3, 1.8, scale=0.05, class_id=12) for i in range(700)]
    )
    draws = whole_list(scene, (Batch(car, 0, rows),))
    assert (paint(backend, scene, 64, 64, look_along((0.0, 0.0, 2.0), 0.0), draws) == 12).any()


@pytest.mark.parametrize("backend", BACKENDS)
def test_drawing_twice_gives_the_same_bits_and_writes_nothing(backend):
    scene = village(cells=4, objects=40)
    draws = whole_list(scene, (car_batch(scene, [(0.0, 0.0, 0.3), (12.0, 2.0, 0.1)]),))
    before = [scene.static.mesh.vertices.tobytes(), scene.instances.tobytes(), draws.ranges.tobytes()]
    painter = make_painter(scene, 128, 96, backend)
    cameras = [look_along((-12.0, 0.0, 4.0), yaw, -0.1) for yaw in (0.0, 1.0)]
    first = [painter.classes(draws, camera) for camera in cameras]
    again = [painter.classes(draws, camera) for camera in cameras]
    painter.close()
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert (first[0] != first[1]).any()
    assert before == [scene.static.mesh.vertices.tobytes(), scene.instances.tobytes(), draws.ranges.tobytes()]


@pytest.mark.parametrize("backend", BACKENDS)
def test_begun_class_maps_come_back_in_order(backend):
    scene = village(cells=4, objects=40)
    draws = whole_list(scene)
    cameras = [look_along((0.0, 0.0, 5.0), yaw, -0.1) for yaw in np.linspace(0.0, 5.0, 5)]
    painter = make_painter(scene, 96, 64, backend)
    expected = [painter.classes(draws, camera) for camera in cameras]
    got = []
    for k, camera in enumerate(cameras):
        painter.begin(draws, camera)
        if k >= 2:
            got.append(painter.end())
    got += [painter.end(), painter.end()]
    painter.close()
    assert all((a == b).all() for a, b in zip(expected, got, strict=True))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_class_map_is_fetched_into_the_callers_array(backend):
    scene = village(cells=4, objects=40)
    draws, camera = whole_list(scene), look_along((0.0, 0.0, 5.0), 1.0, -0.1)
    painter = make_painter(scene, 96, 64, backend)
    film = np.zeros((2, 64, 96), np.uint8)
    painter.begin(draws, camera)
    assert painter.end(film[1]).base is film
    assert (film[1] == painter.classes(draws, camera)).all()
    assert not film[0].any()
    painter.close()


@pytest.mark.parametrize("backend", BACKENDS)
def test_surfaces_tell_class_object_and_distance(backend):
    scene = village(cells=2, objects=0)
    draws = whole_list(scene, (car_batch(scene, [(10.0, 0.0, 0.0), (18.0, 1.5, 0.4)]),))
    painter: Painter = make_painter(scene, 128, 96, backend)
    camera = look_along((0.0, 0.0, 3.0), 0.0, -0.1)
    surfaces = painter.surfaces(draws, camera)
    assert (surfaces.class_id == painter.classes(draws, camera)).all()
    painter.close()
    assert set(np.unique(surfaces.object_id)) == {0, 1, 2}
    assert (surfaces.class_id[surfaces.object_id == 1] == 11).all()
    assert (surfaces.class_id[surfaces.object_id == 2] == 12).all()
    assert np.isinf(surfaces.distance[surfaces.class_id == SKY]).all()
    assert 7.0 < surfaces.distance[surfaces.object_id == 1].min() < 8.5, "tail of a car 10 m ahead"


@pytest.mark.parametrize(("width", "height"), [(450, 256), (448, 250), (0, 256), (-32, 32), (16384, 32)])
def test_a_size_the_model_cannot_take_is_refused_with_the_nearest_one(width, height):
    with pytest.raises(UserError, match=r"multiple of 32 .* nearest is \d+"):
        open_class_view(scene_of(ROTATED), width, height, "cpu")


def test_an_unknown_backend_is_refused_by_name():
    with pytest.raises(UserError, match=r"'vulkan'.*auto, gl, cpu"):
        open_class_view(scene_of(ROTATED), 64, 64, "vulkan")


def test_an_unknown_plane_is_refused_by_name():
    frame = FrameState(0, FACING, ())
    with open_class_view(scene_of(ROTATED), 64, 64, "cpu") as view, pytest.raises(UserError, match=r"'normal'.*depth"):
        view.planes(frame, None, ["class", "normal"])


def test_ending_what_was_never_begun_says_so():
    view: ClassView = open_class_view(scene_of(ROTATED), 64, 64, "cpu")
    with pytest.raises(RuntimeError, match="begin"):
        view.end()


@pytest.mark.parametrize("backend", BACKENDS)
def test_planes_begun_ahead_beside_class_maps_are_those_drawn_alone(backend):
    scene = village(cells=4, objects=40)
    frames = [FrameState(k, look_along((0.0, 0.0, 5.0 + k), 0.3 * k, -0.1), ()) for k in range(5)]
    names = ("class", "depth", "motion", "object")
    with open_class_view(scene, 96, 64, backend) as view:
        alone = [(view.draw(f), view.planes(f, frames[max(k - 1, 0)], names)) for k, f in enumerate(frames)]
        ahead = []
        for k, frame in enumerate(frames):
            draws = draw_list(scene, frame)
            view.begin(frame, draws)
            view.begin_planes(frame, frames[max(k - 1, 0)], names, draws)
            if k >= 2:
                ahead.append((view.end(), view.end_planes()))
        ahead += [(view.end(), view.end_planes()) for _ in range(2)]
    for (maps, planes), (other_maps, other_planes) in zip(alone, ahead, strict=True):
        assert np.array_equal(maps, other_maps)
        assert set(planes) == set(other_planes) == set(names)
        assert all(np.array_equal(planes[name], other_planes[name]) for name in names)
    assert len({maps.tobytes() for maps, _ in alone}) == 5


@pytest.mark.parametrize("backend", BACKENDS)
def test_another_camera_with_the_same_draw_list_is_another_picture(backend):
    """Painters keep what they drew or sent last; a list alone does not say what is seen."""
    scene = village(cells=4, objects=40)
    draws = whole_list(scene)
    cameras = [look_along((0.0, 0.0, 5.0), turn, -0.1) for turn in (0.0, 1.5)]
    painter: Painter = make_painter(scene, 96, 64, backend)
    mixed = [painter.classes(draws, cameras[0]), painter.surfaces(draws, cameras[1]).class_id]
    painter.close()
    for camera, got in zip(cameras, mixed, strict=True):
        fresh: Painter = make_painter(scene, 96, 64, backend)
        assert np.array_equal(fresh.classes(whole_list(scene), camera), got)
        fresh.close()
    assert not np.array_equal(*mixed)


def test_planes_in_turn_and_planes_ahead_do_not_mix():
    frame = FrameState(0, FACING, ())
    with open_class_view(scene_of(ROTATED), 64, 64, "cpu") as view:
        with pytest.raises(RuntimeError, match="begin_planes"):
            view.end_planes()
        view.begin_planes(frame, None, ["depth"])
        with pytest.raises(RuntimeError, match="fetch those"):
            view.planes(frame, None, ["depth"])
        assert set(view.end_planes()) == {"depth"}
