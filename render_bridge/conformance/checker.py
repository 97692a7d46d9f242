"""`paintover check`: plays the engine against a renderer, or the renderer against an engine, rule by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..errors import BridgeError
from ..zmq.address import check_address
from ..zmq.keys import Keys
from . import engine_checks, renderer_checks
from .engine_bench import EngineBench
from .renderer_bench import RendererBench
from .report import Broken, Report, run_checks

PATIENCE_S = 2.0
RENDER_PATIENCE_S = 20.0
"""A model may take its time for a first chunk."""


def check_renderer(
    address: str,
    keys: Keys | None = None,
    only: Iterable[str] | None = None,
    patience: float = PATIENCE_S,
    render_patience: float = RENDER_PATIENCE_S,
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """Try every rule on the renderer that serves an address.

    Args:
        only: rule ids; None for all.
        patience: seconds to wait for an answer; ``render_patience`` for a picture.
        say: takes a line for each finding.

    Raises:
        BridgeError: bad address.
    """
    bench = RendererBench(check_address(address, keys is not None), patience, render_patience, keys)
    try:
        bench.learn()
        return run_checks(f"renderer at {address}", renderer_checks.CHECKS, bench, _rules(only), say)
    finally:
        bench.close()


def check_engine(
    address: str,
    keys: Keys | None = None,
    only: Iterable[str] | None = None,
    patience: float = PATIENCE_S,
    wait: float = 30.0,
    say: Callable[[str], None] = lambda _: None,
) -> Report:
    """Listen at an address and try every rule on the first engine that comes.

    Args:
        wait: seconds for an engine to come.

    Raises:
        BridgeError: bad or taken address, or nobody came.
    """
    bench = EngineBench(check_address(address, keys is not None), patience, keys)
    try:
        say(f"waiting for an engine at {address}")
        try:
            bench.meet(wait)
        except Broken as broken:
            raise BridgeError(f"no engine greeted at {address} in {wait:g} s: {broken}") from None
        return run_checks(f"engine at {address}", engine_checks.CHECKS, bench, _rules(only), say)
    finally:
        bench.close()


def _rules(only: Iterable[str] | None) -> set[str] | None:
    return None if only is None else set(only)
