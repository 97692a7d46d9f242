"""Imports run one way: every import of every package is read from its source and held against the design's arrows."""

import ast
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

ARROWS = {
    "demos": ("demos", "engine_sim", "render_bridge", "diffusion_render"),
    "engine_sim": ("engine_sim", "render_bridge.palette"),
    "render_bridge": ("render_bridge",),
    "diffusion_render": ("diffusion_render", "kernels", "render_bridge.palette"),
    "kernels": ("kernels",),
    "benchmarks": ("benchmarks", "demos", "diffusion_render", "kernels", "engine_sim.core.errors"),
}
"""Package → what of the project it may import, itself included."""

THIRD_PARTY = {
    "engine_sim": {"numpy", "numba", "moderngl", "cv2", "av", "zstandard", "tqdm"},
    "render_bridge": {"numpy", "msgpack", "zmq", "zstandard", "websockets"},
}
"""Packages that may import these and the standard library only."""

EXTRA = {"engine_sim.gym": {"gymnasium"}}
"""Module prefix → third-party packages that it alone may import besides."""

BANNED = {
    "engine_sim": {"socket", "asyncio"},
    "render_bridge": {"torch", "moderngl", "pygame"},
    "render_bridge.palette": {"zmq", "msgpack", "websockets"},
    "render_bridge.protocol": {"zmq", "websockets", "socket", "asyncio", "time", "datetime"},
    "diffusion_render": {"zmq", "socket", "pygame", "moderngl", "websockets"},
    "kernels": {"zmq", "socket", "pygame", "moderngl", "websockets"},
}
"""Module prefix → what it may never import, whatever else allows it."""

LAYERS = ("core", "tracks", "racing", "views", "recording")
"""Subpackages of engine_sim: each may import itself and those before it."""
UPWARD = {("racing", "engine_sim.views.frame")}
"""The one upward arrow: the moment that a view draws is a record that the world fills in."""


@dataclass(frozen=True)
class Import:
    """One import statement: the importing module, what it names in full, and where."""

    module: str
    target: str
    line: int
    at_start: bool  # runs while the module is being imported

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}"


def within(name: str, prefix: str) -> bool:
    """True if ``name`` is the module ``prefix`` or lies inside it."""
    return name == prefix or name.startswith(prefix + ".")


def find_modules(root: Path) -> dict[str, Path]:
    """Module name → file, for every package of the design that exists."""
    modules = {}
    for package in ARROWS:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def read_imports(root: Path) -> list[Import]:
    """Every import of every module: plain, relative, inside functions, and by name through importlib."""
    modules = find_modules(root)
    return [found for name, path in modules.items() for found in _imports_of(name, path, set(modules))]


def _imports_of(name: str, path: Path, known: set[str]) -> list[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    later = _deferred(tree)
    found = []
    for node in ast.walk(tree):
        for target in _targets(node, package, known):
            found.append(Import(name, target, node.lineno, node not in later))
    return found


def _deferred(tree: ast.Module) -> set[ast.AST]:
    """Nodes that do not run at import time: bodies of functions and of ``if TYPE_CHECKING``."""
    later: set[ast.AST] = set()
    for node in ast.walk(tree):
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if function or typing_only:
            later.update(ast.walk(node))
    return later


def _targets(node: ast.AST, package: list[str], known: set[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else []
        stem = ".".join([*base, node.module] if node.module else base)
        return [f"{stem}.{a.name}" if f"{stem}.{a.name}" in known else stem for a in node.names]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = ast.unparse(node.func)
        if called in ("importlib.import_module", "import_module", "__import__"):
            return [str(node.args[0].value)]
    return []


def bad_arrows(imports: list[Import]) -> list[str]:
    """Imports between the project's packages that the design does not draw."""
    packages = set(ARROWS)
    return [
        f"{i}: {i.module.split('.')[0]} may import {', '.join(ARROWS[i.module.split('.')[0]])}"
        for i in imports
        if i.target.split(".")[0] in packages
        and not any(within(i.target, allowed) for allowed in ARROWS[i.module.split(".")[0]])
    ]


def bad_third_party(imports: list[Import]) -> list[str]:
    """Imports of foreign packages that a package of ours may not stand on."""
    bad = []
    for i in imports:
        package, foreign = i.module.split(".")[0], i.target.split(".")[0]
        banned = any(foreign in names for prefix, names in BANNED.items() if within(i.module, prefix))
        extra = any(foreign in names for prefix, names in EXTRA.items() if i.module.startswith(prefix))
        listed = package not in THIRD_PARTY or foreign in THIRD_PARTY[package] or extra
        ours = foreign in ARROWS or foreign in sys.stdlib_module_names
        if banned or not (ours or listed):
            bad.append(f"{i}: not allowed in {package}")
    return bad


def bad_layers(imports: list[Import]) -> list[str]:
    """Imports inside engine_sim that point up its layers."""
    bad = []
    for i in imports:
        source, target = i.module.split("."), i.target.split(".")
        if source[0] != "engine_sim" or len(source) < 2 or source[1] not in LAYERS or target[0] != "engine_sim":
            continue
        layer = target[1] if len(target) > 1 else None
        above = layer not in LAYERS or LAYERS.index(layer) > LAYERS.index(source[1])
        if above and (source[1], i.target) not in UPWARD:
            bad.append(f"{i}: the layers are {' <- '.join(LAYERS)}")
    return bad


def import_cycles(imports: list[Import]) -> list[str]:
    """Rings of modules that import one another while they are being imported."""
    edges: dict[str, list[str]] = {}
    for i in imports:
        if i.at_start:
            edges.setdefault(i.module, []).append(i.target)
    rings, state = [], {}

    def visit(module: str, path: list[str]) -> None:
        state[module] = "open"
        for target in edges.get(module, []):
            if state.get(target) == "open" and target != module:
                rings.append(" -> ".join([*path[path.index(target) :], target]))
            elif target not in state:
                visit(target, [*path, target])
        state[module] = "done"

    for module in sorted(edges):
        if module not in state:
            visit(module, [module])
    return rings


CHECKS = (bad_arrows, bad_third_party, bad_layers, import_cycles)


@pytest.fixture(scope="module")
def imports() -> list[Import]:
    return read_imports(ROOT)


def test_the_reader_sees_the_whole_tree(imports):
    modules = {i.module for i in imports}
    assert {"engine_sim.core.exact", "demos.cli", "render_bridge.palette"} <= modules
    assert Import("engine_sim.core.exact", "engine_sim.core.jit", 12, True) in imports


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__)
def test_every_import_follows_the_design(imports, check):
    assert check(imports) == []


GOOD = {
    "engine_sim/__init__.py": "",
    "engine_sim/core/__init__.py": "",
    "engine_sim/core/exact.py": "import math\nimport numba\n",
    "engine_sim/views/__init__.py": "",
    "engine_sim/views/frame.py": "from ..core import exact\n",
    "engine_sim/racing/__init__.py": "",
    "engine_sim/racing/world.py": "from ..views.frame import CarPose\nfrom render_bridge.palette import RACING\n",
    "engine_sim/gym_env.py": "import gymnasium\nfrom .racing import world\n",
    "render_bridge/__init__.py": "",
    "render_bridge/palette.py": "import numpy\n",
    "diffusion_render/__init__.py": "import torch\n",
    "demos/cli.py": "import pygame, torch, zmq\nimport engine_sim.racing.world\n",
}


def plant(root: Path, extra: dict[str, str]) -> list[Import]:
    for name, text in {**GOOD, **extra}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_imports(root)


def test_a_tree_that_follows_the_design_passes(tmp_path):
    found = plant(tmp_path, {})
    assert [check(found) for check in CHECKS] == [[], [], [], []]


@pytest.mark.parametrize(
    ("check", "path", "source"),
    [
        (bad_arrows, "engine_sim/core/bad.py", "import demos.cli"),
        (bad_arrows, "engine_sim/core/bad.py", "from render_bridge import protocol"),
        (bad_arrows, "engine_sim/core/bad.py", "def f():\n    from render_bridge.zmq import engine"),
        (bad_arrows, "engine_sim/core/bad.py", "import importlib\nimportlib.import_module('diffusion_render')"),
        (bad_arrows, "diffusion_render/bad.py", "from engine_sim.core.exact import sin"),
        (bad_arrows, "render_bridge/bad.py", "import engine_sim"),
        (bad_arrows, "kernels/bad.py", "import diffusion_render"),
        (bad_arrows, "demos/bad.py", "import benchmarks.ladder"),
        (bad_arrows, "benchmarks/bad.py", "from engine_sim.racing import world"),
        (bad_third_party, "engine_sim/core/bad.py", "import torch"),
        (bad_third_party, "engine_sim/core/bad.py", "import pygame.display"),
        (bad_third_party, "engine_sim/views/bad.py", "try:\n    import zmq\nexcept ImportError:\n    pass"),
        (bad_third_party, "engine_sim/racing/bad.py", "import gymnasium"),
        (bad_third_party, "engine_sim/core/bad.py", "import socket"),
        (bad_third_party, "render_bridge/bad.py", "from torch import nn"),
        (bad_third_party, "render_bridge/bad.py", "import moderngl"),
        (bad_third_party, "render_bridge/palette.py", "import zmq"),
        (bad_third_party, "render_bridge/protocol/bad.py", "import time"),
        (bad_third_party, "diffusion_render/bad.py", "import zmq"),
        (bad_layers, "engine_sim/core/bad.py", "from ..tracks import track"),
        (bad_layers, "engine_sim/racing/bad.py", "from ..views.scene import build_scene"),
        (bad_layers, "engine_sim/racing/bad.py", "from ..views import scene"),
        (bad_layers, "engine_sim/tracks/bad.py", "from ..views.frame import Camera"),
        (bad_layers, "engine_sim/views/bad.py", "import engine_sim.recording"),
        (bad_layers, "engine_sim/recording/bad.py", "from .. import gym_env"),
        (import_cycles, "engine_sim/core/exact.py", "from ..views import frame"),
    ],
)
def test_a_planted_bad_import_is_found(tmp_path, check, path, source):
    found = plant(tmp_path, {path: source + "\n"})
    assert check(found), f"{check.__name__} let {source!r} in {path} pass"
