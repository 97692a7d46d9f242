"""Where the page is served and who may come: this machine alone, or others with token, origin check and TLS."""

from __future__ import annotations

import secrets
import ssl
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from engine_sim.core.errors import UserError
from engine_sim.core.files import read_given_file
from render_bridge.zmq.address import is_loopback

SHORTEST_TOKEN, LONGEST_TOKEN = 16, 256
LARGEST_TOKEN_FILE = 4096
EVERYWHERE = ("", "0.0.0.0", "::", "[::]")


@dataclass(frozen=True)
class WebPlan:
    """Where to listen, and for whom.

    Args:
        host, port: port 0 takes a free one.
        token: what a browser must know; empty for none, which only this machine may have.
        certificate, key: PEM files of TLS.
        origins: addresses of pages that may connect besides the server's own, such as ``https://box.lan:8443``.
        viewers: most browsers at once, the player's included.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    token: str = ""
    certificate: Path | None = None
    key: Path | None = None
    origins: tuple[str, ...] = ()
    viewers: int = 8

    @property
    def local(self) -> bool:
        """True if only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def scheme(self) -> str:
        """``https`` with TLS files."""
        return "http" if self.certificate is None else "https"


def checked_plan(plan: WebPlan, words: str = "--host") -> WebPlan:
    """The plan with normal origins, and a token of our own making where one is needed and none is given.

    Args:
        words: the option that named host and port.

    Raises:
        UserError: something that other machines need is missing, or a value cannot be.
    """
    if not 0 <= plan.port <= 65535:
        raise UserError(f"--port takes a port from 0 (any that is free) to 65535, got {plan.port}")
    if not 1 <= plan.viewers <= 64:
        raise UserError(f"--viewers must be at least 1 and at most 64, got {plan.viewers}")
    if (plan.certificate is None) != (plan.key is None):
        raise UserError("TLS needs two files: give both --tls-cert and --tls-key")
    if plan.token and not SHORTEST_TOKEN <= len(plan.token) <= LONGEST_TOKEN:
        raise UserError(
            f"a token has {SHORTEST_TOKEN} to {LONGEST_TOKEN} characters, this one has {len(plan.token)}; leave "
            "--token-file out and one is made"
        )
    plan = replace(plan, origins=tuple(checked_origin(text) for text in plan.origins))
    if plan.local:
        return plan
    if plan.certificate is None:
        raise UserError(
            f"{words} {plan.host} is open to other machines, which takes TLS: give --tls-cert and --tls-key, or name "
            "127.0.0.1 to stay on this machine"
        )
    if plan.host in EVERYWHERE and not plan.origins:
        raise UserError(
            f"{words} {plan.host} listens on every address: say with --origin which one people type, such as "
            f"--origin https://{example_name()}:{plan.port}"
        )
    return plan if plan.token else replace(plan, token=secrets.token_urlsafe(24))


def example_name() -> str:
    """A name for an example of an origin."""
    return "box.lan"


def checked_origin(text: str) -> str:
    """``https://NAME[:PORT]`` as browsers write it. Raises UserError."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise UserError(f"--origin {text!r}: expected https://NAME or https://NAME:PORT, the address that people type")
    return origin_of(parts.scheme, parts.hostname, port)


def origin_of(scheme: str, host: str, port: int | None) -> str:
    """An origin as browsers write it: lower case, numbers of IPv6 in brackets, no default port."""
    name = f"[{host.strip('[]')}]" if ":" in host else host.lower()
    usual = port in (None, {"http": 80, "https": 443}[scheme])
    return f"{scheme}://{name}" if usual else f"{scheme}://{name}:{port}"


def tls_of(plan: WebPlan) -> ssl.SSLContext | None:
    """TLS of the plan's files, or None without any. Raises UserError if they cannot be used."""
    if plan.certificate is None or plan.key is None:
        return None
    for path in (plan.certificate, plan.key):
        if not path.is_file():
            raise UserError(f"no TLS file {path}; expected a PEM file")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(plan.certificate, plan.key)
    except (ssl.SSLError, OSError) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise UserError(f"{plan.certificate} and {plan.key} are no certificate with its key: {reason}") from None
    return context


def read_token(path: Path) -> str:
    """The token in a file, without the white space around it. Raises UserError."""
    try:
        token = read_given_file(path, LARGEST_TOKEN_FILE).decode("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the token file {path}: {getattr(error, 'strerror', None) or 'no text'}") from None
    if not token:
        raise UserError(f"the token file {path} is empty; write {SHORTEST_TOKEN} or more characters into it")
    return token
