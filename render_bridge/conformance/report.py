"""Findings of the checker: one line a rule, held or broken, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

UNSEEN = {
    "R-21": "needs as many engines as the renderer takes",
    "R-35": "needs a model whose pictures show which controls they were made under",
    "R-36": "needs a model whose pictures show their prompt",
    "R-39": "needs the peer's clock",
    "R-45": "needs pictures or maps whose content is known",
    "R-46": "needs another machine",
    "R-47": "needs to end the peer's process",
    "R-49": "needs a renderer that can be made to fail",
}
"""Rules that a peer at the other end of a socket cannot see, and what it would take."""


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

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        rows = [{"rule": f.rule, "title": f.title, "state": f.state, "text": f.text} for f in self.findings]
        return {"peer": self.peer, "held": self.held, "broken": self.broken, "findings": rows}


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


def run_checks(peer: str, checks: list[Check], bench: Any, only: set[str] | None, say: Callable[[str], None]) -> Report:
    """Try every check on a bench, in order; a check that breaks does not stop the others."""
    report = Report(peer)

    def note(finding: Finding) -> None:
        report.findings.append(finding)
        say(finding.line())

    for check in checks:
        if only is not None and not only & set(check.rules):
            continue
        state, text = "held", ""
        try:
            check.run(bench)
        except Broken as broken:
            state, text = "broken", str(broken)
        except NotApplicable as excuse:
            state, text = "not tried", str(excuse)
        for rule in check.rules:
            note(Finding(rule, check.title, state, text))
    for rule, reason in UNSEEN.items():
        if only is None:
            note(Finding(rule, "cannot be seen from this end", "not tried", reason))
    return report


def expect(condition: object, text: str) -> None:
    """Broken unless the condition holds."""
    if not condition:
        raise Broken(text)
