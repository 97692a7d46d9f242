"""Engines that are not ours: each plays against our renderer, and each holds every rule of the protocol."""

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from render_bridge.conformance.checker import check_engine
from tests.render_bridge.ends import in_time

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "demos" / "external"
COMPILER = shutil.which("c++") or shutil.which("g++")
HEADER = any(Path(p, "zmq.h").exists() for p in ("/usr/include", "/usr/local/include", "/opt/homebrew/include"))


def needs(package):
    missing = importlib.util.find_spec(package) is None
    return pytest.mark.skipif(missing, reason=f"{package} is not installed: pip install paintover[external]")


ENGINES = [
    pytest.param("mujoco_engine", marks=needs("mujoco")),
    pytest.param("vizdoom_engine", marks=needs("vizdoom")),
    pytest.param("panda3d_engine", marks=needs("panda3d")),
]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    if COMPILER is None or not HEADER:
        pytest.skip("no C++ compiler, or no zmq.h: apt-get install g++ libzmq3-dev")
    target = tmp_path_factory.mktemp("cpp") / "engine"
    words = [COMPILER, "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(target)]
    subprocess.run([*words, str(FOLDER / "cpp" / "engine.cpp"), "-lzmq"], check=True, timeout=120)
    return target


class Running:
    """A process that ends with the test, and whatever it started with it."""

    def __init__(self, words, **options):
        environment = {**os.environ, **options}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(words, cwd=ROOT, env=environment, start_new_session=True, **quiet)

    def __enter__(self):
        return self._process

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def serve(address):
    return Running([sys.executable, "-m", "demos.cli", "serve", "--renderer", "palette", "--address", address])


def conforms(address, words):
    """It holds every rule that an engine in play can break, those of suspending and ending its process too."""
    report = check_engine(address, patience=20.0, wait=60, start=[str(word) for word in words])
    assert report.broken == [], [f.line() for f in report.findings if f.state == "broken"]
    assert report.not_tried == ["R-25"]


def test_the_cpp_engine_is_one_short_file():
    lines = (FOLDER / "cpp" / "engine.cpp").read_text().splitlines()
    assert len(lines) <= 150
    assert {m for line in lines for m in re.findall(r'#include ["<](.*\.h)[">]', line)} == {"zmq.h"}


def test_the_cpp_engine_plays(compiled, address):
    with serve(address):
        done = subprocess.run([compiled, address, "3"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    frames, pictures = map(int, re.findall(r"\d+", done.stdout))
    assert frames >= 150
    assert pictures >= 30


def test_the_cpp_engine_holds_every_rule(compiled, address):
    conforms(address, [compiled, address, "60"])


def test_the_cpp_engine_without_a_renderer_ends_in_time(compiled, address):
    def run_alone():
        began = time.monotonic()
        assert subprocess.run([compiled, address, "0.5"], timeout=30, capture_output=True).returncode == 0
        return time.monotonic() - began

    in_time(run_alone, 2.5)


@pytest.mark.parametrize("name", ENGINES)
def test_the_engine_plays(name, address):
    with serve(address):
        words = [sys.executable, "-m", f"demos.external.{name}", address, "--seconds", "3"]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    frames, pictures = map(int, re.findall(r"(\d+) frames, (\d+) pictures", done.stdout)[0])
    assert frames >= 72
    assert pictures >= frames // 3


@pytest.mark.parametrize("name", ENGINES)
def test_the_engine_holds_every_rule(name, address):
    conforms(address, [sys.executable, "-m", f"demos.external.{name}", address, "--seconds", "120"])


@needs("mujoco")
def test_mujoco_draws_every_class():
    """Software GL draws the same maps; the car has moved between them."""
    from demos.external.mujoco_engine import CLASSES, HEIGHT, WIDTH, World

    world = World()
    first = world.draw(0)
    later = [world.draw(k) for k in range(1, 30)][-1]
    assert first.shape == (HEIGHT, WIDTH)
    assert set(np.unique(first)) == set(range(len(CLASSES)))
    car = CLASSES.index("car")
    assert abs(np.argwhere(later == car)[:, 1].mean() - np.argwhere(first == car)[:, 1].mean()) > 20


@needs("vizdoom")
def test_doom_has_floor_below_and_ceiling_above():
    from demos.external.vizdoom_engine import CLASSES, World

    world = World()
    class_map = [world.draw(k) for k in range(5)][-1]
    assert CLASSES[np.bincount(class_map[-40:].ravel()).argmax()] == "floor"
    assert CLASSES[np.bincount(class_map[:40].ravel()).argmax()] == "ceiling"
    assert "monster" in {CLASSES[k] for k in np.unique(class_map)}
    assert "wall" in {CLASSES[k] for k in np.unique(class_map[220:260])}


THREE = Path(os.environ.get("PAINTOVER_THREE", ROOT / "node_modules" / "three"))
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None or not (THREE / "build" / "three.module.js").is_file(),
    reason="needs Chromium and the npm package three: npm install three, or PAINTOVER_THREE=…/node_modules/three",
)


def three(address):
    words = [sys.executable, "-m", "demos.external.three_engine", address, "--seconds", "90"]
    return [*words, "--three", str(THREE), "--browser", str(CHROMIUM)]


@needs_browser
def test_the_browser_game_holds_every_rule(address):
    conforms(address, three(address))


@needs_browser
def test_the_browser_game_draws_its_classes_exactly(address):
    """Every id arrives, in our table, sky on top, though it went through a colour buffer of the browser."""
    from render_bridge.palette import GRASS, RIVAL_CAR, ROAD, SKY, VEGETATION
    from render_bridge.protocol.events import FrameTaken, SessionOpened
    from render_bridge.protocol.offer import Offer
    from render_bridge.zmq.renderer_end import RendererEnd

    seen, top = set(), set()
    with RendererEnd(address, Offer("test")) as renderer, Running(three(address)):
        give_up = time.monotonic() + 60
        while seen != {ROAD, GRASS, VEGETATION, SKY, RIVAL_CAR} and time.monotonic() < give_up:
            for event in renderer.events(0.1):
                if isinstance(event, FrameTaken):
                    seen |= set(np.unique(event.class_map).tolist())
                    top |= set(np.unique(event.class_map[0]).tolist())
                if isinstance(event, SessionOpened | FrameTaken):
                    renderer.ask(event.session, 1)
                if isinstance(event, FrameTaken):
                    blank = np.zeros((*event.class_map.shape, 3), np.uint8)
                    renderer.answer(event, blank, event.seq, {"started": 0, "rendered": 0})
    assert seen == {ROAD, GRASS, VEGETATION, SKY, RIVAL_CAR}
    assert top <= {SKY, VEGETATION}


def test_the_browser_game_says_what_it_needs(address, tmp_path, capsys):
    from demos.external.three_engine import main

    assert main([address, "--three", str(tmp_path)]) == 2
    assert "npm install three" in capsys.readouterr().out
