"""The one error class for input that a user can mend."""

from __future__ import annotations


class UserError(ValueError):
    """Names what was expected, what came and what to do.

    The command line prints it as one line and exits with code 2; it never shows a traceback.
    """
