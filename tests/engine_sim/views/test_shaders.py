"""Shaders as strict compilers see them: those of graphics cards refuse what software GL lets pass."""

import re
import shutil
import subprocess
from importlib import resources

import moderngl
import pytest

from engine_sim.tracks.catalogue import load_track
from engine_sim.views import teacher_view
from engine_sim.views.class_view import open_class_view
from engine_sim.views.gl_context import GlContext
from engine_sim.views.look import sample_look
from engine_sim.views.posed import posed_frame
from engine_sim.views.scene import build_scene
from tests.engine_sim.views.shader_programs import Program, all_programs

VALIDATOR = shutil.which("glslangValidator")
needs_validator = pytest.mark.skipif(VALIDATOR is None, reason="no glslangValidator: apt-get install glslang-tools")

# Functions of GLSL 4.60 and of its compatibility profile whose names one might choose oneself, too.
BUILT_IN = {
    "abs", "acos", "all", "any", "asin", "atan", "barrier", "ceil", "clamp", "cos", "cross", "degrees", "determinant",
    "distance", "dot", "equal", "exp", "exp2", "faceforward", "floor", "fma", "fract", "frexp", "ftransform", "fwidth",
    "inverse", "inversesqrt", "isinf", "isnan", "ldexp", "length", "log", "log2", "max", "memoryBarrier", "min", "mix",
    "mod", "modf", "noise1", "noise2", "noise3", "noise4", "normalize", "not", "outerProduct", "pow", "radians",
    "reflect", "refract", "round", "roundEven", "sign", "sin", "smoothstep", "sqrt", "step", "tan", "texture",
    "texture2D", "textureLod", "textureGrad", "texelFetch", "transpose", "trunc",
}  # fmt: skip


def lines() -> list[tuple[str, str]]:
    """(file and number, line without its comment) of all shaders."""
    found = []
    for entry in sorted(resources.files("engine_sim.views").joinpath("shaders").iterdir(), key=lambda e: e.name):
        for number, line in enumerate(entry.read_text(encoding="utf-8").splitlines(), 1):
            found.append((f"{entry.name}:{number}", line.split("//")[0]))
    return found


def run_validator(programs: list[Program], folder, *flags: str) -> str:
    """What the validator objects to, empty if nothing."""
    names = []
    for program in programs:
        for ending, text in program.stages:
            path = folder / f"{program.name}.{ending}"
            path.write_text(text, encoding="utf-8")
            names.append(path.name)
    done = subprocess.run(
        [VALIDATOR, *flags, *names], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    faults = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith(("ERROR", "WARNING"))]
    return "\n".join(faults) or ("" if done.returncode == 0 else f"ended with {done.returncode}")


@needs_validator
def test_a_strict_compiler_takes_every_stage(tmp_path):
    assert run_validator(all_programs(), tmp_path) == ""


@needs_validator
def test_a_strict_compiler_links_programs_and_turns_them_into_code(tmp_path):
    code = ("-G", "--target-env", "opengl", "--aml", "--amb", "-l", "-o", "out.spv")
    chosen = [p for p in all_programs() if not p.name.endswith(("-SHAFTS", "STATIC_ONLY", "-2", "-8"))]
    assert len(chosen) > 20
    faults = [run_validator([program], tmp_path, *code) for program in chosen]
    assert not [text for text in faults if text]


@needs_validator
def test_the_strict_compiler_refuses_what_software_gl_takes(tmp_path):
    head = "#version 430 core\nlayout(local_size_x = 1) in;\n"
    text = head + "float barrier() { return 1.0; }\nvoid main() { barrier(); }\n"
    assert "barrier" in run_validator([Program("bad", (("comp", text),))], tmp_path)


def test_views_compile_no_program_that_is_not_listed(monkeypatch):
    seen = set()
    plain, plain_compute = moderngl.Context.program, moderngl.Context.compute_shader

    def program(ctx, *, vertex_shader, fragment_shader):
        seen.update((vertex_shader, fragment_shader))
        return plain(ctx, vertex_shader=vertex_shader, fragment_shader=fragment_shader)

    def compute_shader(ctx, text):
        seen.add(text)
        return plain_compute(ctx, text)

    monkeypatch.setattr(moderngl.Context, "program", program)
    monkeypatch.setattr(moderngl.Context, "compute_shader", compute_shader)
    track = load_track("acorn-loop")
    scene, frame = build_scene(track), posed_frame(track, 300.0)
    for software in (True, False):
        monkeypatch.setattr(GlContext, "software", software)
        view = teacher_view.open_teacher_view(scene, 64, 64, sample_look(1, "storm"))
        view.draw(frame)
        view.set_look(sample_look(1, "clear midday"))
        view.draw(frame)
        view.close()
    with open_class_view(scene, 64, 64, "gl") as classes:
        classes.planes(frame, None, ["depth"])
    listed = {text for program in all_programs() for _, text in program.stages}
    assert len(seen) > 30
    assert seen <= listed


def test_no_function_takes_the_name_of_a_built_in_one():
    defined = [
        (place, match[1])
        for place, line in lines()
        if (match := re.match(r"(?:\w+ )(\w+)\([^;]*\)\s*\{", line)) is not None
    ]
    assert len(defined) > 80
    assert not [found for found in defined if found[1] in BUILT_IN and found[1] != "main"]


def test_edges_of_smooth_steps_rise_because_others_are_undefined():
    number = r"(-?\d+\.\d*)"
    steps = [
        (place, float(low), float(high))
        for place, line in lines()
        for low, high in re.findall(rf"(?:smoothstep|falls)\({number}, {number},", line)
    ]
    assert len(steps) > 70
    assert not [step for step in steps if step[1] >= step[2]]


def test_no_texture_is_read_by_differences_to_neighbours_which_compute_shaders_lack():
    calls = [(place, call) for place, line in lines() for call in re.findall(r"\b(texture|dFd[xy]|fwidth)\(", line)]
    assert calls == []
