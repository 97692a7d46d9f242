"""Every check of an engine; the one that ends its process comes last."""

from __future__ import annotations

from .engine_greeting_checks import CHECKS as GREETING
from .engine_stream_checks import CHECKS as STREAM
from .engine_time_checks import CHECKS as TIME

CHECKS = [*GREETING, *STREAM, *TIME]
