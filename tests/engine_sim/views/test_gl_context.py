"""Contexts: made in one place, released, strangers to each other, and missed with a clear message."""

import os
import subprocess
import sys

import moderngl
import numpy as np
import pytest

from engine_sim.views.class_gl import GlPainter
from engine_sim.views.gl_context import load_shader, open_gl

from .view_fixtures import FACING, flat_triangle, scene_of, whole_list

TRIANGLE = scene_of([flat_triangle([(-0.9, -0.8), (0.9, -0.7), (0.1, 0.8)], 2.0, 3)])


def _memory_kb() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_context_says_what_draws_and_whether_it_is_software():
    gl = open_gl()
    assert gl.ctx.version_code >= 430
    assert gl.renderer
    assert gl.software == gl.label.startswith("software GL: ")
    assert gl.renderer in gl.label
    gl.close()


def test_three_hundred_views_opened_drawn_and_closed_leave_memory_and_files_flat():
    def once():
        painter = GlPainter(TRIANGLE, 64, 64)
        assert (painter.classes(whole_list(TRIANGLE), FACING) == 3).any()
        painter.close()

    for _ in range(40):
        once()
    memory, files = _memory_kb(), _open_files()
    for _ in range(260):
        once()
    assert _open_files() <= files
    assert _memory_kb() - memory < 6000, "kB grown over 260 views"


def test_several_contexts_do_not_disturb_one_another():
    first, second = (
        GlPainter(TRIANGLE, 64, 64),
        GlPainter(scene_of([flat_triangle([(-3, -3), (3, -3), (0, 5)], 1, 7)]), 32, 32),
    )
    alone = first.classes(whole_list(TRIANGLE), FACING)
    other = second.classes(whole_list(TRIANGLE), FACING)
    for _ in range(3):
        assert (second.classes(whole_list(TRIANGLE), FACING) == other).all()
        assert (first.classes(whole_list(TRIANGLE), FACING) == alone).all()
    first.close()
    assert (second.classes(whole_list(TRIANGLE), FACING) == other).all()
    second.close()


def test_the_inner_of_two_nested_contexts_gives_the_outer_back():
    outer, inner = open_gl(), open_gl()
    with outer as ctx:
        buffer = ctx.buffer(b"outer")
        with inner as other:
            other.buffer(b"inner")
        assert buffer.read() == b"outer"
        assert ctx.error == "GL_NO_ERROR"
    del buffer
    inner.close()
    outer.close()


def test_opening_a_context_inside_another_leaves_the_outer_current():
    outer = open_gl()
    with outer as ctx:
        opened = [open_gl() for _ in range(2)]
        assert ctx.buffer(b"here").read() == b"here"
    for gl in opened:
        gl.close()
    outer.close()


def test_objects_dropped_by_a_view_are_freed_in_its_own_context():
    first, second = open_gl(), open_gl()
    with first as ctx:
        kept = ctx.buffer(b"kept")
    with second as ctx:
        doomed = ctx.buffer(b"doomed")
    with first:
        del doomed  # named alike in both contexts: freeing it here would free ``kept``
        assert kept.read() == b"kept"
    with second:
        pass
    with first:
        assert kept.read() == b"kept"
        del kept
    first.close()
    second.close()


def test_a_closed_context_refuses_to_draw_and_closing_twice_is_fine():
    gl = open_gl()
    gl.close()
    gl.close()
    with pytest.raises(RuntimeError, match="closed"), gl:
        pass


def test_a_reused_context_starts_clean():
    gl = open_gl()
    with gl as ctx:
        ctx.enable(moderngl.BLEND | moderngl.CULL_FACE)
    gl.close()
    painter = GlPainter(TRIANGLE, 64, 64)
    assert set(np.unique(painter.classes(whole_list(TRIANGLE), FACING))) == {3, 10}
    painter.close()


def test_shaders_are_found_in_the_package():
    for name in ("class_view.vert", "class_view.frag", "surfaces.frag", "sky.vert"):
        assert load_shader(name).startswith("#version 430 core\n")


@pytest.mark.parametrize("variable", ["__EGL_VENDOR_LIBRARY_DIRS", "GLCONTEXT_LINUX_LIBEGL"])
def test_without_drivers_one_line_says_what_to_install_and_the_cpu_draws_on(variable, tmp_path):
    program = (
        "from engine_sim.core.errors import UserError\n"
        "from engine_sim.views.class_view import open_class_view\n"
        "from tests.engine_sim.views.test_gl_context import TRIANGLE\n"
        "try:\n"
        "    open_class_view(TRIANGLE, 32, 32, 'gl')\n"
        "except UserError as error:\n"
        "    print(error)\n"
        "print(open_class_view(TRIANGLE, 32, 32, 'auto').backend)\n"
    )
    environment = {**os.environ, variable: str(tmp_path)}
    environment.pop("DISPLAY", None)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert len(lines) == 2
    for word in ("EGL", "libegl1 libgl1", "egl_vendor.d"):
        assert word in lines[0]
    assert lines[1] == "cpu"
