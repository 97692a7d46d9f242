"""Who is let in: by the name that a request was sent to, by the page that it comes from, by the token. No socket.

The name is checked so that no foreign name can be pointed at this machine (DNS rebinding); the page, so that no web
site that a player visits can drive his game; the token, so that only those who were told it come in from elsewhere.
"""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from .plan import EVERYWHERE, WebPlan, origin_of

OWN_NAMES = ("127.0.0.1", "localhost", "::1")


class Gate:
    """Judges requests.

    Args:
        plan: checked.
        port: on which the server really listens.
    """

    def __init__(self, plan: WebPlan, port: int) -> None:
        names = [*([] if plan.host in EVERYWHERE else [plan.host]), *OWN_NAMES]
        known = [*plan.origins, *(origin_of(plan.scheme, name, port) for name in names)]
        self.main = known[0]
        self.origins = frozenset(known)
        self._hosts = frozenset(urlsplit(origin).netloc for origin in self.origins)
        self._token = plan.token

    def refusal(self, host: str | None, origin: str | None) -> str:
        """Why a request is refused, or nothing.

        Args:
            host, origin: its headers; programs that are no browsers send no origin.
        """
        if (host or "").lower() not in self._hosts:
            return f"this server is not {host or 'nameless'}: open {self.main}, or name yours with --origin"
        if origin is not None and origin not in self.origins:
            return f"pages of {origin} may not connect: open {self.main}, or allow yours with --origin"
        return ""

    def knows(self, token: str) -> bool:
        """True if no token is needed, or this is it; takes the same time whatever is wrong with it."""
        given = token.encode(errors="surrogatepass")  # whoever sends half a character is wrong like others, no fault
        return not self._token or hmac.compare_digest(given, self._token.encode())
