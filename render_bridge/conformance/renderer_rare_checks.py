"""What a renderer must do that takes a full house, a failure, keys, a look at its pictures or its process to see."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress

import numpy as np
from numpy.typing import NDArray

from ..protocol.message_base import Message
from ..protocol.messages import Error, Frame, Picture, Ping, Pong, Receipt, Welcome
from ..zmq.keys import new_pair
from .peer_process import needed
from .renderer_bench import EnginePart, RendererBench
from .report import Broken, Check, NotApplicable, expect, registrar
from .wire_end import QUIET_S

CHECKS: list[Check] = []
check = registrar(CHECKS)

MOST_ENGINES = 33
RUNS_TO_FAIL = 12
"""A renderer that fails is given so many runs to do it in."""
VISIBLE = 8.0
"""Levels by which pictures must differ, in one channel of their mean colour, to show what they are asked to show."""
LONGEST_DEAD_MS = 10_000
Pixels = NDArray[np.uint8]


@check("R-21")
def full(bench: RendererBench) -> None:
    """A renderer that holds as many sessions as it can answers ERROR 207 with the time to wait."""
    with ExitStack() as stack:
        for _ in range(MOST_ENGINES):
            part = stack.enter_context(bench.connection())
            part.send(part.hello())
            answer = part.wait(Message, lambda m: isinstance(m, Welcome | Error))
            if isinstance(answer, Welcome):
                continue
            assert isinstance(answer, Error)
            expect(answer.code == 207, f"expected ERROR 207, got {answer.code} {answer.name}: {answer.text}")
            wait = (answer.details or {}).get("retry_ms")
            expect(isinstance(wait, int) and wait > 0, f"details.retry_ms must be a time, got {wait}")
            return
    raise NotApplicable(f"it takes {MOST_ENGINES} engines and more")


@check("R-35")
def chunk_borders(bench: RendererBench) -> None:
    """Controls are acted on in their order, and none is in force from a chunk that was begun before it came."""
    with bench.session() as part:
        before = part.serves()[-1].chunk
        for number in (1, 2):
            part.send(bench.control(number, text=f"check {number}"))
        for _ in range(3):
            last = part.serves()
            acted = [m for m in part.seen if isinstance(m, Receipt) and m.stage != "received"]
            if len(acted) == 2:
                break
        expect([r.id for r in acted] == [1, 2], f"controls 1 and 2 were acted on in the order {[r.id for r in acted]}")
        chunks = [r.chunk for r in acted if r.chunk is not None]
        text = f"in force from chunks {chunks}; chunk {before} was there before they came, {last[-1].chunk} is the last"
        expect(chunks == sorted(chunks) and all(before < c <= last[-1].chunk for c in chunks), text)


@check("R-36")
def reset_keeps_controls(bench: RendererBench) -> None:
    """After a reset pictures still show the prompt that was in force."""
    with bench.session() as part:
        plain = _mean(part)
        part.send(bench.control(1, text="deep snow under a white sky, night"))
        part.wait(Receipt, lambda r: r.stage == "received")
        part.serves()
        prompted = _mean(part)
        if np.abs(prompted - plain).max() < VISIBLE:
            raise NotApplicable("its pictures do not show their prompt")
        part.send(bench.control(2, "reset", generation=1))
        part.wait(Receipt, lambda r: (r.id, r.stage) == (2, "received"))
        part.generation = 1
        after = _mean(part)
        near, far = (float(np.abs(after - m).max()) for m in (plain, prompted))
        text = (
            f"after a reset the pictures are {near:.0f} levels from those without a prompt, {far:.0f} from those with"
        )
        expect(near > far / 2, text)


def _mean(part: EnginePart) -> NDArray[np.float64]:
    """Mean colour of the last picture of a run."""
    return _pixels(part, part.serves()[-1]).reshape(-1, 3).mean(0)


def _pixels(part: EnginePart, picture: Picture) -> Pixels:
    return np.frombuffer(picture.buffers[0], np.uint8).reshape(picture.height, picture.width, 3)


FLIPS: dict[str, Callable[[NDArray[np.bool_]], NDArray[np.bool_]]] = {
    "as it was sent": lambda m: m,
    "upside down": lambda m: m[::-1],
    "mirrored": lambda m: m[:, ::-1],
    "turned by half a turn": lambda m: m[::-1, ::-1],
}


@check("R-45")
def upright(bench: RendererBench) -> None:
    """What is at the top left of the class map is at the top left of the picture."""
    with bench.session() as part:
        pixels = part.class_map(0)
        height, width = pixels.shape
        block = np.zeros(pixels.shape, bool)
        block[: height // 2, : width // 2] = True
        pixels[block] = len(bench.table) - 1
        picture = _pixels(part, part.serves(pixels=pixels)[-1]).astype(float)
        seen = {name: _contrast(picture, flip(block)) for name, flip in FLIPS.items()}
        if max(seen.values()) < VISIBLE:
            raise NotApplicable("its pictures do not show two classes that lie apart")
        way = max(seen, key=lambda name: seen[name])
        expect(way == "as it was sent", f"the class map is shown {way}")


def _contrast(picture: NDArray[np.float64], block: NDArray[np.bool_]) -> float:
    """Levels between the mean colours inside and outside."""
    return float(np.abs(picture[block].mean(0) - picture[~block].mean(0)).max())


@check("R-46")
def strangers(bench: RendererBench) -> None:
    """A renderer with keys answers nobody whose key it does not hold, nor anybody without keys."""
    if bench.keys is None:
        raise NotApplicable("no keys are needed at this address; give --keys and --peer where they are")
    for keys, who in ((new_pair(bench.keys.peers), "an engine with an unknown key"), (None, "an engine without keys")):
        with bench.connection(keys=keys) as part:
            with suppress(Broken):  # the connection may be refused as soon as it is made
                part.send(part.hello())
            expect(part.get(part.patience) is None, f"{who} was answered")


@check("R-49")
def failures(bench: RendererBench) -> None:
    """Rendering that fails is ERROR 400 with the chunk and the run; no picture of it comes, the next run is drawn."""
    with bench.session() as part:
        for _ in range(RUNS_TO_FAIL):
            frames = part.send_run(part.credit())
            for frame in frames:
                answer = _answer(part, frame)
                if isinstance(answer, Picture):
                    continue
                _check_failure(part, answer, frames)
                return
    raise NotApplicable(f"none of {RUNS_TO_FAIL} runs failed")


def _answer(part: EnginePart, frame: Frame) -> Picture | Error:
    found = part.wait(Message, lambda m: isinstance(m, Picture | Error), timeout=part.bench.render_patience)
    assert isinstance(found, Picture | Error)
    if isinstance(found, Picture):
        part.acknowledge(found)
        expect(found.seq == frame.seq, f"frame {frame.seq} was answered by picture {found.seq}")
    return found


def _check_failure(part: EnginePart, error: Error, frames: list[Frame]) -> None:
    expect(error.code == 400, f"expected a picture or ERROR 400, got {error.code} {error.name}: {error.text}")
    chunk = (error.details or {}).get("chunk")
    expect(type(chunk) is int, f"details.chunk must be a number, got {chunk}")
    if error.fatal:
        return
    expect(error.about_grant == frames[0].grant, f"about_grant must be {frames[0].grant}, got {error.about_grant}")
    late = part.look(Picture, lambda p: p.seq in [f.seq for f in frames], QUIET_S)
    expect(late is None, f"picture {late and late.seq} came of the run that failed")
    part.serves()


@check("R-39")
def suspended(bench: RendererBench) -> None:
    """A renderer that was suspended for longer than dead_ms does not take its engine for dead."""
    process = needed(bench.process)
    with bench.session() as part:
        assert part.welcome is not None
        if part.welcome.dead_ms > LONGEST_DEAD_MS:
            raise NotApplicable(f"its dead_ms is {part.welcome.dead_ms}")
        part.send(Ping(id=1, time=0))
        process.suspend(2 * part.welcome.dead_ms / 1000 + QUIET_S)
        time.sleep(part.welcome.heartbeat_ms / 2000)
        part.send(Ping(id=2, time=0))
        part.calm = False
        answer = part.look(
            Message, lambda m: isinstance(m, Error) or (isinstance(m, Pong) and m.id == 2), part.patience
        )
        expect(isinstance(answer, Pong), "PING was not answered with PONG: the session was parked")


@check("R-47")
def ends_in_time(bench: RendererBench) -> None:
    """A renderer that is asked to end and that nobody answers has ended within 2 s."""
    process = needed(bench.process)
    with bench.session():
        process.end()
