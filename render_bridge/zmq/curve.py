"""CURVE on sockets: an engine proves itself to the one renderer that it knows; a renderer lets in whom it knows."""

from __future__ import annotations

import zmq
from zmq.auth.thread import ThreadAuthenticator

from .keys import Keys


class TrustedPeers:
    """Lets in the engines whose public keys we hold."""

    def __init__(self, peers: tuple[str, ...]) -> None:
        self._peers = {p.encode() for p in peers}

    def callback(self, domain: str, key: bytes) -> bool:
        """True for a known key, as ZeroMQ's authenticator asks."""
        return key in self._peers


def use_keys(socket: zmq.Socket, keys: Keys | None) -> None:
    """Connect with our pair to the renderer of the first peer's key; without keys nothing changes."""
    if keys is not None:
        socket.curve_publickey = keys.public.encode()
        socket.curve_secretkey = keys.secret.encode()
        socket.curve_serverkey = keys.peers[0].encode()


def require_keys(context: zmq.Context, socket: zmq.Socket, keys: Keys | None) -> ThreadAuthenticator | None:
    """Bind for the named peers alone; returns what must be stopped before the context ends."""
    if keys is None:
        return None
    authenticator = ThreadAuthenticator(context)
    authenticator.start()
    authenticator.configure_curve_callback(credentials_provider=TrustedPeers(keys.peers))
    socket.curve_server = True
    socket.curve_publickey = keys.public.encode()
    socket.curve_secretkey = keys.secret.encode()
    return authenticator
