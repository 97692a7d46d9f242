"""What an engine must do as time passes, and at its end, tried from the renderer's end (section 10)."""

from __future__ import annotations

import time

from ..protocol.messages import Bye, Hello, Ping, Pong
from .engine_bench import HEARTBEAT_MS, EngineBench
from .peer_process import needed
from .report import Check, expect, registrar

CHECKS: list[Check] = []
check = registrar(CHECKS)

SILENT_MS = 400
RETRY_MS = 1000


@check("R-37")
def heartbeat(bench: EngineBench) -> None:
    """PING is answered with PONG; an idle engine pings."""
    bench.take_in()
    bench.calm = False
    try:
        bench.send(Ping(id=77, time=-3))
        pong = bench.wait(Pong, lambda p: p.id == 77)
        expect(pong.time == -3, f"PONG repeats time -3, got {pong.time}")
        bench.wait(Ping, timeout=5 * HEARTBEAT_MS / 1000 + bench.patience)
    finally:
        bench.calm = True


@check("R-38")
def notices_silence(bench: EngineBench) -> None:
    """After dead_ms of silence the engine greets again, at intervals of at most dead_ms / 2."""
    bench.take_in(dead_ms=SILENT_MS)
    bench.calm = False
    try:
        bench.wait(Hello, timeout=SILENT_MS / 1000 + bench.greeting_patience)
        bench.wait(Hello, timeout=bench.greeting_patience)
    finally:
        bench.calm = True


@check("R-40")
def after_goodbye(bench: EngineBench) -> None:
    """After the renderer's BYE the engine greets again."""
    bench.take_in()
    bench.send(Bye(text="a check"))
    bench.wait(Hello)


@check("R-20")
def waits_its_turn(bench: EngineBench) -> None:
    """ERROR 205 makes the engine greet again after retry_ms, not before."""
    bench.turn_away()
    bench.send(bench.error(205, "session_taken", fatal=True, details={"retry_ms": RETRY_MS}))
    last = time.monotonic()
    end = last + RETRY_MS / 1000 + bench.greeting_patience
    waited = 0.0
    while waited < 0.7 * RETRY_MS / 1000:  # the first ones may have been under way
        expect(time.monotonic() < end, f"never waited longer than {waited:.2f} s; {RETRY_MS} ms were asked for")
        bench.wait(Hello, timeout=RETRY_MS / 1000 + bench.greeting_patience)
        waited, last = max(waited, time.monotonic() - last), time.monotonic()


@check("R-39")
def suspended(bench: EngineBench) -> None:
    """An engine that was suspended for longer than dead_ms does not take its renderer for dead."""
    process = needed(bench.process)
    bench.take_in(dead_ms=SILENT_MS)
    bench.send(Ping(id=1, time=0))
    process.suspend(3 * SILENT_MS / 1000)
    time.sleep(HEARTBEAT_MS / 1000)
    bench.send(Ping(id=2, time=0))
    found = bench.gather(SILENT_MS / 1000)
    expect(not any(isinstance(m, Hello) for m in found), "it greeted again, as if its renderer had been silent")


@check("R-47")
def ends_in_time(bench: EngineBench) -> None:
    """An engine that is asked to end and that nobody answers has ended within 2 s."""
    process = needed(bench.process)
    bench.take_in()
    process.end()
