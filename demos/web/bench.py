"""Figures of `paintover web` while viewers come and go, as people run it: a process of its own, a palette renderer."""

from __future__ import annotations

import asyncio
import math
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import aiohttp

from engine_sim.core.errors import UserError

from .guest import Guest
from .visits import Say, VisitsFigures, VisitsPlan, receive, report_of

START_S = 300.0
"""Until the first race: the first time on a machine its rules are compiled."""
WORDS = ("--preset", "palette", "--rivals", "7", "--seed", "1", "--laps", "99")
END_S = 30.0


def bench_web(plan: VisitsPlan, say: Say, words: Sequence[str] = WORDS) -> dict[str, Any]:
    """All figures of ``paintover bench web``, and which limits they hold.

    One guest drives all the time; viewers come and go.

    Args:
        words: of ``paintover web``.

    Raises:
        UserError: the server does not start, or no picture comes.
    """
    command = [sys.executable, "-m", "demos.cli", "web", "--port", "0", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.match(r"open (http://\S+?)/?$", server.stdout.readline().strip())
        if not found:
            raise UserError("`paintover web` did not start; what it wrote stands above")
        seen = asyncio.run(_watch(plan, found.group(1), server.pid, say))
    finally:
        server.terminate()  # a job in the background may have been told to ignore Ctrl-C
        server.wait(END_S)
        if server.stdout is not None:
            server.stdout.close()
    return report_of("web", plan, seen, say)


async def _watch(plan: VisitsPlan, url: str, pid: int, say: Say) -> VisitsFigures:
    async with aiohttp.ClientSession() as session:
        driver = Guest(session, url)
        await driver.come(START_S)
        driving = asyncio.create_task(_drive(driver))

        async def invite() -> Guest:
            viewer = Guest(session, url)
            await viewer.come()
            await viewer.watch()
            return viewer

        try:
            return await receive(plan, invite, pid, say)
        finally:
            driving.cancel()
            await driver.go()


async def _drive(driver: Guest) -> None:
    """Swing from side to side, and back on the track now and then: the picture never stands still for long."""
    turn = 0
    while True:
        steer = 0.3 * math.sin(turn / 7)
        await driver.say(type="pad", id=0, name="bench", steer=steer, throttle=0.5, brake=0.0, buttons=[])
        if turn % 60 == 59:
            await driver.say(type="command", name="back to the track")
        await asyncio.sleep(0.25)
        turn += 1
