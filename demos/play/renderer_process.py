"""The renderer as a process of the game: at an address of its own, started again when it dies, ended with the game."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from engine_sim.core.errors import UserError

from .paint_plan import PaintPlan, serve_words

PAUSE_S = 0.5
"""Between a death and the next start."""
MOST_DEATHS, WITHIN_S = 3, 60.0
"""So many deaths within so long, and it is left dead: it would only die again."""
PATIENCE_S = 2.0
LINES = 40


class RendererProcess:
    """``paintover serve`` at an address that only we know.

    Args:
        words: of the command, after ``serve --address ADDRESS``.
        clock: seconds of any monotonic clock.
        module: what is run with these words; tests put a stand-in here.
    """

    def __init__(self, words: Sequence[str], clock: Callable[[], float], module: str = "demos.play.tied") -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="paintover-"))
        self.address = f"ipc://{self._folder}/renderer.sock"
        self._words = [sys.executable, "-m", module, "serve", "--address", self.address, *words]
        self._clock = clock
        self._deaths: deque[float] = deque(maxlen=MOST_DEATHS)
        self._lines: deque[str] = deque(maxlen=LINES)
        self._start_at: float | None = None
        self.given_up = ""
        self._process = self._start()

    @property
    def said(self) -> str:
        """The last line that it printed."""
        return self._lines[-1] if self._lines else ""

    @property
    def pid(self) -> int:
        """Of the process that runs now, or ran last."""
        return self._process.pid

    def poll(self) -> str:
        """Look after it: what a player should hear, or nothing. It is started again half a second after a death."""
        now = self._clock()
        if self._start_at is not None:
            if now < self._start_at:
                return ""
            self._start_at = None
            self._process = self._start()
            return "the renderer was started again"
        code = None if self.given_up else self._ended()
        if code is None:
            return ""
        self._deaths.append(now)
        if len(self._deaths) == MOST_DEATHS and now - self._deaths[0] < WITHIN_S:
            self.given_up = f"the renderer ended {MOST_DEATHS} times ({self._last_words(code)}); it stays off"
            return self.given_up
        self._start_at = now + PAUSE_S
        return f"the renderer ended ({self._last_words(code)}); it is started again"

    def revive(self) -> None:
        """Start it again although it was given up; its deaths so far are forgotten."""
        if self.given_up:
            self.given_up = ""
            self._deaths.clear()
            self._start_at = self._clock()

    def check(self) -> None:
        """UserError if it ended while it was starting: input that it refused, for which another start is no help."""
        code = self._ended()
        if code is not None:
            raise UserError(f"the renderer did not start: {self._last_words(code)}")

    def close(self) -> None:
        """End it: asked first, killed after two seconds. Safe to call twice."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._hang_up()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> subprocess.Popen[str]:
        # The model and the game share a few cores; threads that wait actively would stall both.
        environment = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ, "PYTHONUNBUFFERED": "1"}
        environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
        process = subprocess.Popen(
            self._words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, args=(process,), name="renderer-lines", daemon=True)
        self._reader.start()
        return process

    def _ended(self) -> int | None:
        code = self._process.poll()
        if code is not None:
            self._hang_up()
        return code

    def _last_words(self, code: int) -> str:
        """The last line that it printed, or how it ended."""
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return how if code < 0 else self.said.removeprefix("paintover serve: ") or how

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip():
                self._lines.append(line.strip())

    def _hang_up(self) -> None:
        self._reader.join(PATIENCE_S)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


class Renderer:
    """The renderer that a plan names: our own process, or somebody's address."""

    def __init__(self, plan: PaintPlan) -> None:
        self.process = None if plan.address is not None else RendererProcess(serve_words(plan), time.monotonic)
        self.address = str(plan.address) if self.process is None else self.process.address

    def close(self) -> None:
        """End the process, if it is ours."""
        if self.process is not None:
            self.process.close()
