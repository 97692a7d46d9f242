"""Servers for streams: nginx with its RTMP module, and one that never reads; and a viewer of numbered pictures."""

from __future__ import annotations

import contextlib
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np

from demos.streaming.numbered import number_of

from .conftest import wait_for

MODULE = Path("/usr/lib/nginx/modules/ngx_rtmp_module.so")
CONFIG = """
load_module {module};
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log notice;
events {{ worker_connections 64; }}
rtmp {{
    server {{
        listen 127.0.0.1:{port};
        application live {{ live on; }}
    }}
}}
"""


def free_port() -> int:
    """A port of this machine that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Nginx:
    """A real RTMP server, as an ordinary process with a configuration of its own.

    Args:
        folder: for its files.
    """

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"rtmp://127.0.0.1:{self.port}/live/secret-key"
        self._config = folder / "nginx.conf"
        self._config.write_text(CONFIG.format(module=MODULE, folder=folder, port=self.port))
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it and wait until it listens."""
        self._process = process = subprocess.Popen(
            ["nginx", "-c", str(self._config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for(lambda: process.poll() is not None or self._listens())
        assert process.poll() is None, "nginx did not start"

    def stop(self) -> None:
        """Kill it, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def freeze(self) -> None:
        """Let it stand still, connections and all."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _listens(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False


def nginx_is_missing() -> bool:
    """True where Debian's server and its RTMP module are not installed."""
    return shutil.which("nginx") is None or not MODULE.exists()


@contextlib.contextmanager
def deaf_server(answer: Callable[[socket.socket], None] = lambda _: None) -> Iterator[str]:
    """The address of a server that takes connections and reads nothing, unless ``answer`` does something to them."""
    held: list[socket.socket] = []

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                held.append(listener.accept()[0])
                answer(held[-1])

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"rtmp://127.0.0.1:{listener.getsockname()[1]}/live/secret-key"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()  # it may have taken one more
        for connection in held:
            connection.close()


@dataclass(frozen=True)
class Seen:
    """A picture that a viewer saw.

    Args:
        at: when, by the monotonic clock.
        stamp: its time in the stream, seconds.
        number: what it says.
        size: width and height.
        color: mean of its brightest part, RGB.
    """

    at: float
    stamp: float
    number: int
    size: tuple[int, int]
    color: tuple[int, ...]


class Viewer:
    """Watches a stream from a thread, from its start on or from wherever it is.

    Args:
        url: of the stream.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.joined = time.monotonic()
        self.seen: list[Seen] = []
        self.newest = np.zeros((1, 1, 3), np.uint8)
        self.sound: list[float] = []
        self.kinds: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Stop watching."""
        self._stop.set()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def _watch(self) -> None:
        quick = {"fflags": "nobuffer", "flags": "low_delay", "probesize": "256", "analyzeduration": "0"}
        while not self._stop.is_set():
            with (
                contextlib.suppress(OSError, av.FFmpegError),
                av.open(self._url, options=quick, timeout=(8.0, 1.0)) as file,
            ):
                self._read(file)
            time.sleep(0.1)

    def _read(self, file: av.container.InputContainer) -> None:
        for packet in file.demux():
            if self._stop.is_set():
                return
            kind = packet.stream.type
            if kind not in self.kinds:
                self.kinds.append(kind)
            for frame in packet.decode():
                if kind == "audio":
                    assert not np.any(frame.to_ndarray())
                    self.sound.append(float(frame.time or 0))
                else:
                    rgb = self.newest = frame.to_ndarray(format="rgb24")
                    color = tuple(int(v) for v in rgb[rgb.sum(-1) >= rgb.sum(-1).max() - 30].mean(0))
                    self.seen.append(
                        Seen(
                            time.monotonic(), float(frame.time or 0), number_of(rgb), (frame.width, frame.height), color
                        )
                    )
