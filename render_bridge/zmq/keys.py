"""CURVE keys as two small text files: NAME.public to hand to the peer, NAME.secret to keep."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import zmq

from ..errors import BridgeError

PREFIX = "paintover-key-1"
LARGEST_FILE = 4096
KEY = re.compile(r"[0-9A-Za-z.\-:+=^!/*?&<>()\[\]{}@%$#]{40}")  # Z85


@dataclass(frozen=True)
class Keys:
    """Our pair, and the public keys of the peers that we trust: an engine names one, its renderer.

    Args:
        public, secret: Z85 text of 40 characters each.
        peers: public keys.
    """

    public: str
    secret: str
    peers: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Keys(public={self.public!r}, secret=…, peers={self.peers!r})"


def new_pair(peers: tuple[str, ...]) -> Keys:
    """A pair that no file knows of."""
    public, secret = (part.decode("ascii") for part in zmq.curve_keypair())
    return Keys(public, secret, peers)


def make_keys(stem: Path) -> tuple[Path, Path]:
    """Write a new pair as STEM.public and STEM.secret (mode 0600). BridgeError if either is there already."""
    pair = new_pair(())
    paths = stem.with_name(stem.name + ".public"), stem.with_name(stem.name + ".secret")
    for path in paths:
        if path.exists():
            raise BridgeError(f"{path} is already there; keys are never overwritten, choose another name")
    try:
        _write(paths[0], f"{PREFIX} public {pair.public}\n", 0o644)
        _write(paths[1], f"{PREFIX} secret {pair.public} {pair.secret}\n", 0o600)
    except OSError as error:
        raise BridgeError(f"cannot write keys at {stem}: {error.strerror}") from None
    return paths


def read_keys(secret: Path, peers: list[Path]) -> Keys:
    """Our pair from a .secret file and the peers' .public files. BridgeError names a file that is not one."""
    own_public, own_secret = _read(secret, "secret", 2)
    if not peers:
        raise BridgeError("keys without a peer: give the other end's .public file with --peer")
    return Keys(own_public, own_secret, tuple(_read(path, "public", 1)[0] for path in peers))


def _write(path: Path, text: str, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "w", encoding="ascii") as out:
        out.write(text)


def _read(path: Path, kind: str, count: int) -> list[str]:
    try:
        with path.open(encoding="ascii") as file:
            words = file.read(LARGEST_FILE).split()
    except (OSError, UnicodeDecodeError) as error:
        raise BridgeError(f"cannot read the key file {path}: {error}") from None
    if words[:2] != [PREFIX, kind] or len(words) != 2 + count or not all(KEY.fullmatch(w) for w in words[2:]):
        raise BridgeError(f"{path} is not a {kind} key file of `paintover keys` (expected {PREFIX!r} {kind!r} …)")
    return words[2:]
