"""A gateway for browsers in front of a renderer of this process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from engine_sim.core.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from render_bridge.gateways.websocket import GatewayPlan
    from render_bridge.zmq.keys import Keys

Say = Callable[[str], None]


def web_gateway(
    port: int | None, address: str, keys: Keys | None, say: Say
) -> tuple[AbstractContextManager[object], Keys | None]:
    """A gateway to be entered when the renderer is bound, and the renderer's keys, which let it in.

    Args:
        port: for browsers; None: no gateway.
        address: of the renderer, as it is bound.
        keys: the renderer's.
        say: takes the line for people.

    Raises:
        UserError: no such port, or the package for it is missing. BridgeError when it is entered: the port is taken.
    """
    if port is None:
        return nullcontext(), keys
    try:
        from render_bridge.gateways.websocket import GatewayPlan
    except ImportError:
        raise UserError("--web needs the package websockets: pip install websockets") from None
    if not 0 <= port <= 65535:
        raise UserError(f"--web takes a port from 0 (any that is free) to 65535, got {port}")
    own, keys = gateway_keys(keys)
    return _running(GatewayPlan(_near(address), port=port), own, say), keys


def gateway_keys(keys: Keys | None) -> tuple[Keys | None, Keys | None]:
    """A pair for the gateway that lives as long as it, and the renderer's keys with that pair among its peers."""
    from render_bridge.zmq.keys import new_pair

    if keys is None:
        return None, None
    own = new_pair((keys.public,))
    return own, replace(keys, peers=(*keys.peers, own.public))


@contextmanager
def _running(plan: GatewayPlan, keys: Keys | None, say: Say) -> Iterator[None]:
    from render_bridge.gateways.websocket import Gateway

    with Gateway(plan, keys, say=say) as gateway:
        say(f"browsers: {gateway.url}")
        yield


def _near(address: str) -> str:
    """Where a renderer that is bound to all of this machine's addresses is found from here."""
    for everybody, here in (("tcp://*:", "tcp://127.0.0.1:"), ("tcp://0.0.0.0:", "tcp://127.0.0.1:")):
        address = address.replace(everybody, here)
    return address.replace("tcp://[::]:", "tcp://[::1]:")
