"""Addresses of the bridge (R-46): ipc and loopback freely, anything else only with keys."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path

import zmq

from ..errors import BridgeError

LONGEST_IPC = 100
"""Bytes of a socket's path; systems stop at 103 to 107."""
DEFAULT = "ipc:///tmp/paintover.sock"


def check_address(address: str, with_keys: bool) -> str:
    """The address, if it may be used. BridgeError says what is wrong with it.

    Args:
        address: ``ipc://PATH`` or ``tcp://HOST:PORT``; a bare ``HOST:PORT`` or ``:PORT`` is tcp.
        with_keys: CURVE keys are there, so that other machines may be spoken to.
    """
    if "://" not in address and ":" in address:
        host = address.rsplit(":", 1)[0] or "127.0.0.1"
        address = f"tcp://{bracketed(host)}:{address.rsplit(':', 1)[1]}"
    scheme, _, rest = address.partition("://")
    if scheme == "ipc":
        return _check_path(address, rest)
    if scheme != "tcp":
        raise BridgeError(f"address {address!r}: expected ipc://PATH or tcp://HOST:PORT")
    host, _, port = rest.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise BridgeError(f"address {address!r}: expected tcp://HOST:PORT with a port from 1 to 65535")
    if ":" in host and not (host.startswith("[") and host.endswith("]")):
        raise BridgeError(f"address {address!r}: write an IPv6 host in brackets, such as tcp://[::1]:{port}")
    if not with_keys and not is_loopback(host):
        text = "is not this machine: make keys with `paintover keys` and give them with --keys and --peer"
        raise BridgeError(f"address {address!r} {text}, or use tcp://127.0.0.1:{port}")
    return address


def encodings_for(address: str) -> tuple[str, ...]:
    """Encodings in the order in which an engine does well to ask for them at an address.

    To a renderer on the same machine copying costs less than packing (1344×768: 1.2 ms one way against 1.5); a network
    is slower than zstd.
    """
    scheme, _, rest = address.partition("://")
    near = scheme == "ipc" or (scheme == "tcp" and is_loopback(rest.rpartition(":")[0]))
    return ("raw", "zstd", "rle") if near else ("zstd", "rle", "raw")


def is_loopback(host: str) -> bool:
    """True for names and numbers of this very machine; ``*`` and ``0.0.0.0`` are everybody."""
    bare = host.strip("[]")
    if bare == "localhost":
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False


def bracketed(host: str) -> str:
    """A host as URLs write it: IPv6 numbers in brackets."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def set_family(end: zmq.Socket, address: str) -> None:
    """Let a socket speak IPv6 if its address is one; before bind or connect. Names and others mean IPv4."""
    if address.startswith("tcp://["):
        end.setsockopt(zmq.IPV6, 1)


def refuse_if_served(address: str) -> None:
    """BridgeError if an ipc address is taken: ZeroMQ would delete what lies there without a word.

    A socket that nobody answers on was left over by a process that was killed, and may be replaced; a file may not.
    """
    if not address.startswith("ipc://"):
        return
    path = address.removeprefix("ipc://")
    if not Path(path).exists():
        return
    if not Path(path).is_socket():
        raise BridgeError(f"address {address!r} is a file or folder, not a socket; choose another path")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(0.2)
        try:
            probe.connect(path)
        except OSError:
            return  # left over from a process that was killed: ZeroMQ replaces it
    raise BridgeError(f"address {address!r} is already served by another process; stop it or choose another address")


def _check_path(address: str, path: str) -> str:
    if not path or len(os.fsencode(path)) > LONGEST_IPC:
        raise BridgeError(f"address {address!r}: expected a path of 1 to {LONGEST_IPC} bytes after ipc://")
    if not Path(path).resolve().parent.is_dir():
        raise BridgeError(f"address {address!r}: the folder {str(Path(path).parent)!r} does not exist; make it first")
    return address
