"""ERROR for a refusal."""

from __future__ import annotations

from .faults import ProtocolError
from .messages import Error


def error_message(
    error: ProtocolError,
    fatal: bool,
    about: int | None = None,
    seq: int | None = None,
    grant: int | None = None,
) -> Error:
    """The message that refuses; its text is cut to what a header takes."""
    return Error(
        code=int(error.fault), name=error.fault.label, text=error.text[:1000], fatal=fatal, about_type=about,
        about_seq=seq, about_grant=grant, details=error.details or None,
    )  # fmt: skip
