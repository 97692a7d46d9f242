"""Every check of a renderer, in the order in which they are tried."""

from __future__ import annotations

from .renderer_greeting_checks import CHECKS as GREETING
from .renderer_rare_checks import CHECKS as RARE
from .renderer_stream_checks import CHECKS as STREAM

CHECKS = [*GREETING, *STREAM, *RARE]
