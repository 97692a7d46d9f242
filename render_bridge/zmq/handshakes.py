"""Why a connection does not come about: what ZeroMQ's monitor tells of handshakes, in words for people."""

from __future__ import annotations

import contextlib
import time

import zmq
from zmq.utils.monitor import parse_monitor_message

FAILED = zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_AUTH
READ_AT_ONCE = 64
KNOCK_AGAIN_S = 1.0
"""After a handshake that ZeroMQ gives up on: our key was refused, and the renderer may be started again with it."""
WANTS_KEYS = "wants keys: make them with `paintover keys`, give them with --keys and --peer"


class Handshakes:
    """Watches one socket; to be read by the thread that owns it.

    Args:
        socket: before it binds or connects.
        serves: it binds.
        with_keys: CURVE is set on it.
    """

    def __init__(self, socket: zmq.Socket, serves: bool, with_keys: bool) -> None:
        self._serves, self._with_keys = serves, with_keys
        self._socket = socket
        events = FAILED if serves else FAILED | zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_CONNECTED
        self._monitor: zmq.Socket = socket.get_monitor_socket(events)
        self.reached = False
        """Somebody took a connection, whatever became of it."""
        self.succeeded = False
        """The last handshake that ended went well."""
        self.trouble = ""
        """What is likely to be wrong; empty when the last handshake succeeded, or none has ended yet."""
        self.is_final = False
        """ZeroMQ does not try again by itself, as after every failure that it knows more of."""
        self._knock_at = 0.0

    def read(self) -> list[str]:
        """Take what has happened; the failures among it, in words."""
        failures = []
        for _ in range(READ_AT_ONCE):
            try:
                parts = self._monitor.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                break
            message = parse_monitor_message(parts)
            event, value = int(message["event"]), int(message["value"])
            if event & FAILED:
                words = self._serving_words(event, value) if self._serves else self._connecting_words(event, value)
                if not self.trouble or event != zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL:  # it may say less than before
                    self.trouble = words
                self.succeeded, self.is_final = False, event != zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
                failures.append(words)
            elif event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self.trouble, self.succeeded, self.is_final = "", True, False
            self.reached = True
        return failures

    def knock_again(self, address: str) -> None:
        """Take what has happened; connect anew where ZeroMQ has given up."""
        now = time.monotonic()
        if self.read():
            self._knock_at = now + KNOCK_AGAIN_S
        if self.is_final and now >= self._knock_at:
            self._knock_at = now + KNOCK_AGAIN_S
            with contextlib.suppress(zmq.ZMQError):  # it may have forgotten the endpoint
                self._socket.disconnect(address)
            self._socket.connect(address)

    def close(self) -> None:
        """Watch no longer: for a socket that is closed before its context is."""
        self._socket.disable_monitor()
        self._monitor.close(linger=0)

    def _connecting_words(self, event: int, value: int) -> str:
        if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            return "the renderer refuses our key: it must be given our .public file with --peer"
        if event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL and value == zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH:
            return "the renderer there uses no keys" if self._with_keys else "the renderer there " + WANTS_KEYS
        if event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL and value != zmq.PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC:
            return "what listens there does not speak ZeroMQ"
        if self._with_keys:
            return (
                "somebody listens there and breaks off the handshake: the key given with --peer is probably not that "
                "renderer's, or it uses no keys"
            )
        return f"somebody listens there and breaks off the handshake: it is no renderer, or it {WANTS_KEYS}"

    def _serving_words(self, event: int, value: int) -> str:
        if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            return "an engine whose key is none of those given with --peer"
        if event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL and value == zmq.PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH:
            return "an engine without keys" if self._with_keys else "an engine with keys, and we use none (--keys)"
        if event == zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL and value == zmq.PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC:
            return "an engine that expects another renderer's key"
        suspects = "without keys, with another renderer's, or not speaking ZeroMQ"
        return "somebody who broke off the handshake: " + (suspects if self._with_keys else "with keys, or no engine")
