"""The numbered errors of the protocol (PROTOCOL.md section 11) and the two classes that say who broke it."""

from __future__ import annotations

from enum import IntEnum
from typing import Any


class Fault(IntEnum):
    """Number of an error; its name in lower case is the ``name`` field of ERROR."""

    TOO_FEW_FRAMES = 100
    BAD_TAG = 101
    WRONG_VERSION = 102
    UNKNOWN_TYPE = 103
    BAD_HEADER = 104
    MISSING_FIELD = 105
    UNKNOWN_FIELD = 106
    WRONG_TYPE = 107
    OUT_OF_RANGE = 108
    TOO_LARGE = 109
    BUFFER_COUNT = 110
    BUFFER_SIZE = 111
    WRONG_ENCODING = 112
    CORRUPT_DATA = 113
    NOT_GREETED = 200
    TABLE_DIFFERS = 201
    SIZE_NOT_SERVED = 202
    RATE_NOT_SERVED = 203
    NO_COMMON_ENCODING = 204
    SESSION_TAKEN = 205
    UNMAPPED_CLASS = 206
    FULL = 207
    UNKNOWN_TARGET = 208
    BAD_TABLE = 209
    UNKNOWN_CLASS = 300
    FOREIGN_COLORS = 301
    BAD_SEQUENCE = 302
    NO_CREDIT = 303
    UNKNOWN_GENERATION = 305
    OUT_OF_STATE = 306
    BAD_CONTROL = 307
    WRONG_PLANES = 308
    BAD_PLANE = 309
    RENDER_FAILED = 400

    @property
    def label(self) -> str:
        """The ``name`` field of ERROR."""
        return self.name.lower()

    @property
    def ends_greeting(self) -> bool:
        """True for the errors that refuse a HELLO: always fatal."""
        return 201 <= self <= 209


TRY_AGAIN = frozenset({Fault.SESSION_TAKEN, Fault.FULL})
"""Refusals of a HELLO that may pass by themselves; the engine greets again after ``details.retry_ms``."""


class ProtocolError(Exception):
    """Somebody broke the protocol; the subclass says who.

    Args:
        fault: number.
        text: one line: what was expected, what came.
        details: machine-readable facts, as in ERROR.
    """

    def __init__(self, fault: Fault, text: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(f"{fault.value} {fault.label}: {text}")
        self.fault = fault
        self.text = text
        self.details = details or {}


class LocalProtocolError(ProtocolError):
    """We are about to break the protocol: a mistake in the calling code, nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the protocol: answer with ERROR, count, go on."""
