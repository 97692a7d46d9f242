"""The first pass: one word a sample says as much as two, little is written twice, and the rest is cleared."""

import moderngl
import numpy as np
import pytest

from engine_sim.core.errors import UserError
from engine_sim.views import teacher_scene, teacher_seen
from engine_sim.views.culling import draw_list
from engine_sim.views.gl_clear import open_clear
from engine_sim.views.gl_context import open_gl
from engine_sim.views.posed import posed_frame
from engine_sim.views.scene_data import DrawList
from engine_sim.views.teacher_blocks import FRAME, source
from engine_sim.views.teacher_frame import FrameNumbers
from engine_sim.views.teacher_programs import make_compute
from engine_sim.views.teacher_scene import Group, TeacherScene
from engine_sim.views.teacher_seen import SeenPass

WIDTH, HEIGHT = 160, 96
PLACES = (120.0, 300.0)

# Every pixel's parts as its painter gets them: 8 words each.
READER = """
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 5) writeonly buffer Found { uvec4 found[]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    Part parts[3];
    parts_of(at, parts);
    uint i = uint(at.y * int(frame_size.x) + at.x) * 6u;
    for (int k = 0; k < 3; ++k) {
        Part part = parts[k];
        uvec3 names = uvec3(triangle_of(part.words), record_of(part.words), uint(material_of(part.words)));
        found[i + 2u * uint(k)] = uvec4(names, floatBitsToUint(part.share));
        found[i + 2u * uint(k) + 1u] = floatBitsToUint(part.middle);
    }
}
"""


@pytest.fixture(scope="module")
def gl():
    opened = open_gl()
    yield opened
    opened.close()


def parts_seen(ctx, scene, frames, samples: int, one_word: bool) -> np.ndarray:
    """uint32 [F, H, W, 3, 8]: triangle + 1, record, material, share, middles of all the parts of every pixel."""
    size = (WIDTH, HEIGHT)
    block, found = ctx.buffer(reserve=FRAME.size), ctx.buffer(reserve=WIDTH * HEIGHT * 96)
    numbers = FrameNumbers(size, 0.0, 0.0, 0)
    parts, seen = TeacherScene(ctx, scene), SeenPass(ctx, size, samples, one_word)
    files = ("teacher_point.glsl", "teacher_words.glsl", "teacher_samples.glsl")
    reader = make_compute(ctx, source(*files, features=seen.features) + READER)
    result = []
    for frame in frames:
        numbers.write(frame, [np.eye(4)] * 2, np.zeros(4))
        block.write(numbers.bytes)
        parts.upload(draw_list(scene, frame))
        parts.bind()
        block.bind_to_uniform_block(0)
        found.bind_to_storage_buffer(5)
        seen.draw(parts, frame.camera)
        reader.run(WIDTH // 8, HEIGHT // 8)
        ctx.memory_barrier()
        result.append(np.frombuffer(found.read(), np.uint32).reshape(HEIGHT, WIDTH, 3, 8))
    return np.stack(result)


@pytest.mark.parametrize("samples", [1, 4])
def test_one_word_a_sample_says_what_two_say(gl, track, scene, samples):
    frames = [posed_frame(track, place) for place in PLACES]
    with gl as ctx:
        two, one = (parts_seen(ctx, scene, frames, samples, one_word) for one_word in (False, True))
        assert ctx.error == "GL_NO_ERROR"
    assert len(np.unique(two[..., 0, 0])) > 1000
    assert ((two[..., 1, 3] > 0).mean() > 0.02) == (samples > 1)
    # Both round a distance, by different sums: a pixel in ten thousand may fall to another side.
    assert (one != two).any((3, 4)).mean() < 1e-4


def test_what_is_too_long_for_one_word_is_drawn_in_pieces(gl, track, scene, monkeypatch):
    frame, bits = posed_frame(track, PLACES[1]), 11
    assert draw_list(scene, frame).ranges[:, 1].max() > 3 * 2**bits
    with gl as ctx:
        whole = parts_seen(ctx, scene, [frame], 1, True)
        monkeypatch.setattr(teacher_scene, "LONGEST_DRAW", 2**bits)
        monkeypatch.setattr(teacher_seen, "TRIANGLE_BITS", bits)
        assert np.array_equal(parts_seen(ctx, scene, [frame], 1, True), whole)


def test_pieces_of_ranges_hold_the_same_triangles(monkeypatch):
    monkeypatch.setattr(teacher_scene, "LONGEST_DRAW", 10)
    ranges = np.array([[0, 3], [30, 30], [60, 33], [300, 99]])
    pieces = teacher_scene._short(ranges)
    assert pieces[:, 1].max() == 30
    assert pieces[:, 1].min() > 0
    expected, found = (np.concatenate([np.arange(a, a + n) for a, n in r.tolist()]) for r in (ranges, pieces))
    assert np.array_equal(expected, found)
    assert len(teacher_scene._short(np.zeros((0, 2), np.int64))) == 0


def test_an_object_too_large_for_one_word_is_refused(gl, scene, monkeypatch):
    monkeypatch.setattr(teacher_scene, "LONGEST_DRAW", 100)
    with gl as ctx, pytest.raises(UserError, match="at most 100 at once"):
        TeacherScene(ctx, scene)


@pytest.mark.parametrize("limit", ["MOST_TRIANGLES", "MOST_OBJECTS", "MOST_CELLS"])
def test_a_scene_too_large_for_the_words_is_refused(gl, scene, monkeypatch, limit):
    monkeypatch.setattr(teacher_scene, limit, 50)
    with gl as ctx, pytest.raises(UserError, match="smaller track"):
        TeacherScene(ctx, scene)


def samples_written(ctx, scene, frame, order) -> float:
    """How often a sample is written on average, in some order of drawing."""
    parts, seen = TeacherScene(ctx, scene), SeenPass(ctx, (WIDTH, HEIGHT), 4, one_word=True)
    parts.upload(draw_list(scene, frame))
    query = ctx.query(samples=True)
    with pytest.MonkeyPatch.context() as patch, query:
        patch.setattr(teacher_seen, "_ORDER", order)
        seen.draw(parts, frame.camera)
    return query.samples / (4 * WIDTH * HEIGHT)


def test_every_group_is_drawn_on_both_sides_and_near_walls_before_far_ones(gl, track, scene):
    order = teacher_seen._ORDER
    sides = {group: [left_out for g, left_out in order if g == group] for group in Group}
    assert all(given in ([None], ["front", "back"]) for given in sides.values())
    plain = tuple((group, None) for group in dict.fromkeys(group for group, _ in order))
    frame = posed_frame(track, PLACES[0])
    with gl as ctx:
        assert samples_written(ctx, scene, frame, order) < samples_written(ctx, scene, frame, plain)


def test_within_a_group_the_finest_levels_come_first(gl, track, scene):
    draws = draw_list(scene, posed_frame(track, PLACES[1]))
    with gl as ctx:
        parts = TeacherScene(ctx, scene)
        commands = parts._commands(draws)
    level = {}
    for number, batch in enumerate(draws.batches):
        level[1 + sum(len(b.instances) for b in draws.batches[:number])] = batch.lod
    for group in (Group.CAR, Group.BUILT, Group.PLANTS):
        first, count = parts._spans[group]
        levels = [level[base] for base in commands[first : first + count, 4].tolist()]
        assert len(set(levels)) > 1
        assert levels == sorted(levels)


@pytest.mark.parametrize("one_word", [False, True])
def test_where_nothing_is_seen_the_words_are_nought(gl, track, scene, one_word):
    frame = posed_frame(track, PLACES[0])
    with gl as ctx:
        parts, seen = TeacherScene(ctx, scene), SeenPass(ctx, (WIDTH, HEIGHT), 1, one_word)
        parts.upload(draw_list(scene, frame))
        seen.draw(parts, frame.camera)
        before = np.frombuffer(seen._seen.read(), np.uint32)
        parts.upload(DrawList(np.zeros((0, 2), np.int64), ()))
        seen.draw(parts, frame.camera)
        after = np.frombuffer(seen._seen.read(), np.uint32)
        assert ctx.error == "GL_NO_ERROR"
    assert before.any()
    assert not after.any()


@pytest.mark.parametrize("samples", [0, 4])
def test_a_target_of_whole_numbers_is_cleared_with_its_depth(gl, samples):
    with gl as ctx:
        texture = ctx.texture((32, 32), 2, samples=samples, dtype="u4")
        target = ctx.framebuffer([texture], ctx.depth_renderbuffer((32, 32), samples=samples))
        program = ctx.program(
            vertex_shader=source("teacher_screen.vert"),
            fragment_shader="#version 430 core\nout uvec2 word;\nvoid main() { word = uvec2(7u, 9u); }\n",
        )
        triangle, passed = ctx.vertex_array(program, []), ctx.query(samples=True)
        target.use()
        ctx.enable_only(moderngl.DEPTH_TEST)
        ctx.depth_func = "<"
        program["depth"] = 0.5
        for depth, drawn in ((1.0, True), (0.25, False), (0.75, True)):
            open_clear()(depth)
            with passed:
                triangle.render(moderngl.TRIANGLES, vertices=3)
            assert (passed.samples > 0) == drawn
            if not samples:
                words = np.frombuffer(texture.read(), np.uint32).reshape(-1, 2)
                assert (words == ([7, 9] if drawn else [0, 0])).all()
        assert ctx.error == "GL_NO_ERROR"
