"""`paintover check`: plays the engine against a renderer, or the renderer against an engine, rule by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager

from ..errors import BridgeError
from ..zmq.address import check_address
from ..zmq.keys import Keys
from . import engine_checks, renderer_checks
from .engine_bench import EngineBench
from .peer_process import PeerProcess
from .renderer_bench import ANSWER_S, RendererBench
from .report import Broken, Check, Report, rules_of, run_checks

PATIENCE_S = 2.0
RENDER_PATIENCE_S = 20.0
"""A model may take its time for a first chunk."""
START_S = 60.0
"""A model may take its time to load."""


def check_renderer(
    address: str,
    keys: Keys | None = None,
    only: Iterable[str] | None = None,
    patience: float = PATIENCE_S,
    render_patience: float = RENDER_PATIENCE_S,
    say: Callable[[str], None] = lambda _: None,
    start: Sequence[str] = (),
) -> Report:
    """Try every rule on the renderer that serves an address.

    Args:
        only: rule ids; None for all.
        patience: seconds to wait for an answer; ``render_patience`` for a picture.
        say: takes a line for each finding.
        start: command that starts the renderer; what is empty is there already.

    Raises:
        BridgeError: bad address, unknown rule, or nobody is there.
    """
    address, rules = check_address(address, keys is not None), _rules(only, renderer_checks.CHECKS)
    with started(start) as process, closing(RendererBench(address, patience, render_patience, keys, process)) as bench:
        bench.find(START_S if process else max(patience, ANSWER_S))
        bench.learn()
        return run_checks(f"renderer at {address}", renderer_checks.CHECKS, bench, rules, say)


def check_engine(
    address: str,
    keys: Keys | None = None,
    only: Iterable[str] | None = None,
    patience: float = PATIENCE_S,
    wait: float = 30.0,
    say: Callable[[str], None] = lambda _: None,
    start: Sequence[str] = (),
) -> Report:
    """Listen at an address and try every rule on the first engine that comes.

    Args:
        wait: seconds for an engine to come.
        start: command that starts the engine; what is empty comes by itself.

    Raises:
        BridgeError: bad or taken address, unknown rule, or nobody came.
    """
    address, rules = check_address(address, keys is not None), _rules(only, engine_checks.CHECKS)
    with closing(EngineBench(address, patience, keys)) as bench, started(start) as process:
        bench.process = process
        say(f"waiting for an engine at {address}")
        try:
            bench.meet(wait)
        except Broken as broken:
            raise BridgeError(f"no engine greeted at {address} in {wait:g} s: {broken}") from None
        return run_checks(f"engine at {address}", engine_checks.CHECKS, bench, rules, say)


@contextmanager
def started(words: Sequence[str]) -> Iterator[PeerProcess | None]:
    """The peer's process while the checks run, or None without a command."""
    if not words:
        yield None
        return
    with closing(PeerProcess(words)) as process:
        yield process


def _rules(only: Iterable[str] | None, checks: Sequence[Check]) -> set[str] | None:
    """The rules that are asked for. BridgeError names the known ones for a rule that no check at this end is about."""
    if only is None:
        return None
    wanted = {word.strip().upper() for word in only} - {""}
    known = rules_of(checks)
    if unknown := sorted(wanted - set(known)) or [""] * (not wanted):
        what = f"no check at this end is about {', '.join(unknown)}" if wanted else "no rule was named"
        raise BridgeError(f"{what}; there are {', '.join(known)}")
    return wanted
