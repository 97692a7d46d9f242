"""Findings of the checker: one line a rule, held or broken, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..plain_text import LINE, shown


class Broken(Exception):
    """The peer broke the rule that is being checked; the text says how."""


class NotApplicable(Exception):
    """The rule does not apply to what this peer offers; the text says why."""


@dataclass(frozen=True)
class Finding:
    """What became of one check. ``state``: held, broken, or not tried."""

    rule: str
    title: str
    state: str
    text: str = ""

    def line(self) -> str:
        """For people."""
        return f"{self.rule}  {self.state:9}  {self.title}" + (f": {self.text}" if self.text else "")


@dataclass
class Report:
    """All findings about one peer."""

    peer: str
    findings: list[Finding] = field(default_factory=list)

    @property
    def broken(self) -> list[str]:
        """Rules that were broken, each once, in order."""
        return sorted({f.rule for f in self.findings if f.state == "broken"})

    @property
    def held(self) -> list[str]:
        """Rules that were tried and never broken."""
        return sorted({f.rule for f in self.findings if f.state == "held"} - set(self.broken))

    @property
    def not_tried(self) -> list[str]:
        """Rules of which nothing could be tried here; the findings say what it would take."""
        return sorted({f.rule for f in self.findings} - set(self.held) - set(self.broken))

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        rows = [{"rule": f.rule, "title": f.title, "state": f.state, "text": f.text} for f in self.findings]
        return {
            "peer": self.peer,
            "held": self.held,
            "broken": self.broken,
            "not_tried": self.not_tried,
            "findings": rows,
        }


@dataclass(frozen=True)
class Check:
    """One thing to try on a peer."""

    rules: tuple[str, ...]
    title: str
    run: Callable[[Any], None]


def registrar(checks: list[Check]) -> Callable[..., Callable[[Callable[[Any], None]], Callable[[Any], None]]]:
    """A decorator that books a function as the check of some rules; its docstring is the title."""

    def check(*rules: str) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
        def book(function: Callable[[Any], None]) -> Callable[[Any], None]:
            checks.append(Check(rules, (function.__doc__ or "").strip().rstrip("."), function))
            return function

        return book

    return check


class Bench(Protocol):
    """What checks are tried on."""

    def is_there(self) -> bool:
        """The peer says anything at all."""


def run_checks(
    peer: str, checks: Sequence[Check], bench: Bench, only: set[str] | None, say: Callable[[str], None]
) -> Report:
    """Try every check on a bench, in order; a check that breaks does not stop the others, a peer that is gone does."""
    report = Report(peer)
    gone = ""
    for check in checks:
        if only is not None and not only & set(check.rules):
            continue
        state, text = ("not tried", gone) if gone else _try(check, bench)
        if state == "broken" and not bench.is_there():
            gone = "the peer says nothing any more"
        for rule in check.rules:
            finding = Finding(rule, check.title, state, shown(text, LINE))
            report.findings.append(finding)
            say(finding.line())
    return report


def _try(check: Check, bench: Bench) -> tuple[str, str]:
    try:
        check.run(bench)
    except Broken as broken:
        return "broken", str(broken)
    except NotApplicable as excuse:
        return "not tried", str(excuse)
    return "held", ""


def rules_of(checks: Sequence[Check]) -> list[str]:
    """Every rule that these checks are about, in order."""
    return sorted({rule for check in checks for rule in check.rules})


def expect(condition: object, text: str) -> None:
    """Broken unless the condition holds."""
    if not condition:
        raise Broken(text)
