"""An X server without a screen, and the game's window on it."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from .browser import Browser
    from .played_window import Play

SCREEN = (1280, 800)


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Where a renderer of the test's own may listen."""
    return f"ipc://{tmp_path}/bridge.sock"


class Desktop:
    """One Xvfb: its display, keys through xdotool, and the pixels that a person would see.

    Args:
        display: such as ``:99``.
        framebuffer: file that Xvfb keeps its screen in, in XWD format.
    """

    def __init__(self, display: str, framebuffer: Path) -> None:
        self.display = display
        self._framebuffer = framebuffer

    def environment(self) -> dict[str, str]:
        """Environment of a program on this display."""
        kept = {k: v for k, v in os.environ.items() if k not in ("SDL_VIDEODRIVER", "WAYLAND_DISPLAY")}
        return {**kept, "DISPLAY": self.display, "SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS": "1"}

    def xdotool(self, *words: str) -> str:
        """One call of xdotool on this display."""
        done = subprocess.run(
            ["xdotool", *words], env=self.environment(), capture_output=True, text=True, timeout=20, check=True
        )
        return done.stdout.strip()

    def pixels(self) -> np.ndarray:
        """The whole screen, RGB ``[H, W, 3]``."""
        data = self._framebuffer.read_bytes()
        header = struct.unpack(">25I", data[:100])
        size, width, height, row, colors = header[0], header[4], header[5], header[12], header[19]
        start = size + colors * 12
        rows = np.frombuffer(data, np.uint8, height * row, start).reshape(height, row)
        return rows[:, : width * 4].reshape(height, width, 4)[..., 2::-1]


@pytest.fixture(scope="session")
def desktop(tmp_path_factory) -> Iterator[Desktop]:
    """A desktop for the whole test run; skipped where Xvfb or xdotool is not installed."""
    for tool in ("Xvfb", "xdotool"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed (Debian: apt-get install xvfb xdotool)")
    folder = tmp_path_factory.mktemp("screen")
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24", "-fbdir", str(folder)],
        pass_fds=[write], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    assert number, "Xvfb did not start"
    yield Desktop(f":{number}", folder / "Xvfb_screen0")
    server.terminate()
    server.wait(10)


@pytest.fixture
def play(desktop, tmp_path) -> Iterator[Callable[..., Play]]:
    """Starts games on the desktop, by their words, and makes sure that they are gone."""
    from .played_window import Play

    games = []

    def start(*words: str) -> Play:
        games.append(Play(desktop, tmp_path, *words))
        return games[-1]

    yield start
    for game in games:
        if not game.alone():
            os.killpg(game.process.pid, signal.SIGKILL)
        game.process.wait(10)


@pytest.fixture(autouse=True)
def settings_of_nobody(tmp_path, monkeypatch) -> None:
    """Settings of whoever runs the tests change nothing here, and are not changed."""
    monkeypatch.setenv("PAINTOVER_CONFIG", str(tmp_path / "config"))


@pytest.fixture(autouse=True)
def torch_as_before() -> Iterator[None]:
    """Commands set torch up for their whole process; tests share one, and some need numbers close to zero."""
    yield
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(1)
        torch.set_flush_denormal(False)
        torch.compiler.set_stance("default")


@pytest.fixture
def certificate(tmp_path) -> tuple[Path, Path]:
    """A certificate that nobody vouches for, and its key: PEM files."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "box.lan")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
    pem = serialization.Encoding.PEM
    (tmp_path / "cert.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(pem))
    plain = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "key.pem").write_bytes(plain)
    return tmp_path / "cert.pem", tmp_path / "key.pem"


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until the condition holds; fails the test if it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for the tests of one file."""
    from .browser import Browser  # not every environment that runs tests here has what it needs

    chromium = Browser()
    yield chromium
    chromium.close()
