"""Mistakes that the user of a bridge can mend."""

from __future__ import annotations


class BridgeError(ValueError):
    """One line: what was expected, what came, what to do. The command line prints it and exits with 2."""


class NoCredit(BridgeError, TimeoutError):
    """A recording engine waited for credit in vain; the frame was not taken."""


class BridgeClosed(BridgeError):
    """The end was closed, by us or by a fatal refusal; the text says which."""
