"""`paintover doctor`: every part the program can use, whether it is here, and how to get what is not."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

from demos.report import package_version, print_json
from engine_sim.core.errors import UserError


@dataclass(frozen=True)
class Finding:
    """One part of the machine.

    Args:
        part: its name.
        found: what there is; empty if nothing.
        remedy: what to do about it; empty if nothing needs doing.
        essential: nothing works without it.
    """

    part: str
    found: str
    remedy: str = ""
    essential: bool = False


PACKAGES = {
    "numpy": "numpy",
    "numba": "numba",
    "zstandard": "zstandard",
    "cv2": "opencv-python-headless",
    "av": "av",
    "moderngl": "moderngl",
    "pygame": "pygame",
    "gymnasium": "gymnasium",
    "torch": "torch",
    "zmq": "pyzmq",
    "aiohttp": "aiohttp",
    "aiortc": "aiortc",
}
"""Import name → distribution."""
ESSENTIAL = ("numpy", "numba", "zstandard", "cv2", "av")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--json", action="store_true", help="print one JSON object on the last line")


def run(args: argparse.Namespace) -> int:
    """Print all findings. Exit code 1 if something essential is missing."""
    findings = [finding for check in CHECKS for finding in check()]
    width = max(len(f.part) for f in findings)
    for f in findings:
        mark = "ok" if f.found else "MISSING" if f.essential else "none"
        print(f"{f.part:<{width}}  {mark:<7}  {f.found}".rstrip())
        if f.remedy:
            print(f"{'':<{width}}           {f.remedy}")
    missing = [f.part for f in findings if f.essential and not f.found]
    print(f"missing: {', '.join(missing)}" if missing else "everything essential is here")
    if args.json:
        print_json({"ok": not missing, "parts": [asdict(f) for f in findings]})
    return 1 if missing else 0


def check_python() -> list[Finding]:
    """The interpreter."""
    good = sys.version_info >= (3, 11)
    found = ".".join(map(str, sys.version_info[:3]))
    remedy = "" if good else f"this is {found}; install Python 3.11 or newer (Debian: apt-get install python3)"
    return [Finding("Python", f"{found} at {sys.executable}" if good else "", remedy, essential=True)]


def check_packages() -> list[Finding]:
    """Python packages: importable, not only installed."""
    findings = []
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    for name, distribution in PACKAGES.items():
        try:
            importlib.import_module(name)
            found, remedy = package_version(distribution) or "version unknown", ""
        except Exception as error:  # a broken binary can raise anything at import
            found, remedy = "", f"{type(error).__name__}: {error}; pip install {distribution}"
        findings.append(Finding(name, found, remedy, name in ESSENTIAL))
    return findings


def check_gl() -> list[Finding]:
    """OpenGL through EGL: the teacher view needs it, the class view does not."""
    try:
        from engine_sim.views.gl_context import open_gl

        context = open_gl()
    except (UserError, ImportError) as error:
        return [Finding("OpenGL", "", f"{error}; class maps are drawn on the CPU, the teacher view is not")]
    try:
        version = context.ctx.version_code
        return [Finding("OpenGL", f"EGL, GL {version // 100}.{version % 100 // 10}, {context.label}")]
    finally:
        context.close()


def check_display() -> list[Finding]:
    """A display that SDL can open a window on."""
    try:
        from demos.play.screen import display_found
    except ImportError as error:
        return [Finding("display", "", str(error))]
    import pygame

    if not display_found():
        return [
            Finding("display", "", "play films a scripted race here; for a window start X or Wayland, or: xvfb-run")
        ]
    width, height = pygame.display.get_desktop_sizes()[0]
    found = f"{pygame.display.get_driver()}, {width}x{height}"
    pygame.display.quit()
    return [Finding("display", found)]


def check_controllers() -> list[Finding]:
    """Pads and wheels that SDL sees now."""
    try:
        import pygame
        from pygame._sdl2 import controller
    except ImportError as error:
        return [Finding("controllers", "", str(error))]
    pygame.joystick.init()
    controller.init()
    names = [
        pygame.joystick.Joystick(i).get_name() + ("" if controller.is_controller(i) else " (no mapping)")
        for i in range(pygame.joystick.get_count())
    ]
    controller.quit()
    pygame.joystick.quit()
    remedy = "" if names else "plug one in at any time; on Linux it must be readable: usermod -aG input USER"
    return [Finding("controllers", ", ".join(names), remedy)]


def check_codecs() -> list[Finding]:
    """An encoder for films; class maps never need one."""
    try:
        from engine_sim.recording.video import ENCODERS, encoder_works
    except (UserError, ImportError) as error:
        return [Finding("video", "", str(error), essential=True)]
    working = [name for name in ENCODERS if encoder_works(name)]
    remedy = "" if working else "pip install --force-reinstall av (its wheels bring H.264)"
    return [Finding("video", ", ".join(working), remedy, essential=True)]


def check_rules() -> list[Finding]:
    """Whether the rules are compiled here, and whether they can be kept."""
    try:
        from demos.play.preparing import rules_compiled
        from engine_sim.core.jit import cache_root, can_be_written
    except Exception as error:  # numba may be missing, or broken in any way
        return [Finding("rules", "", str(error))]
    folder = cache_root()
    if not can_be_written(folder):
        remedy = f"{folder} cannot be written, so every race compiles them anew: name a folder with PAINTOVER_CACHE"
        return [Finding("rules", "", remedy)]
    return [Finding("rules", f"{'compiled' if rules_compiled() else 'the first race compiles them'}, in {folder}")]


def check_torcs() -> list[Finding]:
    """Foreign circuits."""
    try:
        from engine_sim.tracks.catalogue import track_names

        names = track_names("torcs")
    except (UserError, ImportError) as error:
        return [Finding("TORCS tracks", "", str(error))]
    remedy = "" if names else "Debian: apt-get install torcs-data; elsewhere set PAINTOVER_TORCS to a TORCS data folder"
    return [Finding("TORCS tracks", f"{len(names)} circuits" if names else "", remedy)]


CHECKS: tuple[Callable[[], list[Finding]], ...] = (
    check_python,
    check_packages,
    check_gl,
    check_display,
    check_controllers,
    check_codecs,
    check_rules,
    check_torcs,
)
