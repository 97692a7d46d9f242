"""The report: one HTML file with goals, scores, curves and contact sheets, and links to the videos beside it."""

from __future__ import annotations

import base64
import contextlib
import math
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from .charts import COLORS, Chart
from .footage import CONTROL, DECODER, GIVEN, OTHER_PLACE, OWN, PROMPT
from .goals import GoalResult
from .report_style import STYLE
from .suite import DriveRecord, SuiteRecord

WORDS = {
    OWN: "own first frame",
    OTHER_PLACE: "from another place",
    CONTROL: "another look's (control)",
    DECODER: "decoder alone",
    GIVEN: "the given picture",
    PROMPT: "none, the prompt alone",
}
"""Names of streams for people: which reference they had."""


class Column(NamedTuple):
    """A score in tables and charts: its key, heading, unit and digits."""

    key: str
    heading: str
    unit: str
    digits: int


COLUMNS = (
    Column("psnr", "PSNR", "dB", 2),
    Column("ssim", "SSIM", "", 3),
    Column("perceptual", "perceptual", "", 2),
    Column("look", "look", "ΔE₀₀", 2),
    Column("edge_f1", "edge F1", "", 3),
    Column("structure", "structure", "mIoU", 3),
    Column("structure_ceiling", "ceiling", "mIoU", 3),
    Column("detail", "detail", "× teacher", 2),
    Column("detail_correlation", "same detail", "corr.", 2),
    Column("flicker_inside", "flicker inside", "× teacher", 2),
    Column("flicker_border", "at borders", "× teacher", 2),
    Column("drift", "drift", "", 3),
)
CURVES = ("psnr", "ssim", "perceptual", "look", "structure", "detail", "flicker_border", "drift")


class ReportText(NamedTuple):
    """What the caller adds: ``title``, ``facts`` about renderer and machine by name, ``absent`` one line for each score
    that could not be measured and how to get it, ``videos`` by name of the drive, relative to the report."""

    title: str
    facts: Mapping[str, str]
    absent: tuple[str, ...]
    videos: Mapping[str, str]


def write_report(path: Path, record: SuiteRecord, text: ReportText) -> None:
    """Write the report, whole or not at all. OSError if the place cannot be written."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(report_html(record, text), encoding="utf-8")
        partial.replace(path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def report_html(record: SuiteRecord, text: ReportText) -> str:
    """The report as HTML; it loads nothing but the videos."""
    streams = list(record.means)
    colors = {name: COLORS[k % len(COLORS)] for k, name in enumerate(streams)}
    doubt = f'<p class="doubt">{escape(record.doubt)}.</p>' if record.doubt else ""
    absent = "".join(f"<li>{escape(line)}</li>" for line in text.absent)
    parts = [
        f"<h1>{escape(text.title)}</h1>",
        '<dl class="facts">' + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in text.facts.items()),
        "</dl>",
        doubt,
        f"<h2>Goals</h2>{_goals(record.goals)}",
        f"<h2>Means over {_count(len(record.drives), 'drive')}</h2>{_scores(record.means, colors)}",
        f"<h3>Not measured</h3><ul>{absent}</ul>" if absent else "",
        *(_drive(drive, text.videos.get(drive.name, ""), colors) for drive in record.drives),
        "<footer>Every score is defined in docs/SCORES.md.</footer>",
    ]
    head = f'<meta charset="utf-8"><title>{escape(text.title)}</title><style>{STYLE}</style>'
    body = "\n".join(p for p in parts if p)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _goals(goals: tuple[GoalResult, ...]) -> str:
    rows = []
    for found in goals:
        goal = found.goal
        sign = "≥" if goal.at_least else "≤"
        most = f" and ≤ {goal.most:g}" if math.isfinite(goal.most) else ""
        word, kind = {True: ("met", "yes"), False: ("not met", "no"), None: ("not measured", "none")}[found.met]
        cells = (
            escape(goal.what),
            escape(WORDS.get(goal.stream, goal.stream)),
            f"{sign} {goal.limit:g}{most} {escape(goal.unit)}",
            _number(found.value, 3),
            f'<b class="{kind}">{word}</b>',
        )
        rows.append("<tr>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
    head = "".join(f"<th>{h}</th>" for h in ("goal", "reference", "asked for", "found", ""))
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _scores(means: Mapping[str, Mapping[str, float]], colors: Mapping[str, str]) -> str:
    columns = [c for c in COLUMNS if any(math.isfinite(row.get(c.key, math.nan)) for row in means.values())]
    head = "".join(f"<th>{c.heading}<small>{c.unit}</small></th>" for c in columns)
    rows = []
    for name, row in means.items():
        dot = f'<i style="background:{colors.get(name, COLORS[-1])}"></i>'
        cells = "".join(f"<td>{_number(row.get(c.key, math.nan), c.digits)}</td>" for c in columns)
        rows.append(f"<tr><th>{dot}{escape(WORDS.get(name, name))}</th>{cells}</tr>")
    return f"<table><tr><th>reference</th>{head}</tr>{''.join(rows)}</table>"


def _drive(drive: DriveRecord, video: str, colors: Mapping[str, str]) -> str:
    seconds = drive.frames / drive.fps
    notes = [*drive.notes, *(f"{WORDS.get(n, n)}: {s.error}" for n, s in drive.streams.items() if s.error)]
    if any(not stream.warped for stream in drive.streams.values()):
        notes.append("flicker without exact motion: pixels compared in place")
    link = f' · <a href="{escape(video, quote=True)}">video</a>' if video else ""
    parts = [
        f"<h2>{escape(drive.name)}</h2>",
        f"<p>{seconds:.1f} s, {drive.width} × {drive.height} at {drive.fps} fps{link}</p>",
        _response(drive),
        "".join(f'<p class="note">{escape(note)}</p>' for note in notes),
        _sheet(drive),
        _scores({n: s.mean for n, s in drive.streams.items()}, colors),
        _curves(drive, colors),
        _classes(drive),
    ]
    return "<section>" + "\n".join(p for p in parts if p) + "</section>"


def _response(drive: DriveRecord) -> str:
    if drive.response is None:
        return ""
    shown = drive.response.shown
    if shown is None:
        return "<p>Response: the impulse had no visible effect.</p>"
    ms = 1000 * shown / drive.fps
    return (
        f"<p>Response: visible in frame {drive.response.picture} after the impulse, released {shown} frames "
        f"({ms:.0f} ms) after it.</p>"
    )


def _curves(drive: DriveRecord, colors: Mapping[str, str]) -> str:
    charts = []
    for key in CURVES:
        column = next(c for c in COLUMNS if c.key == key)
        lines = {n: s.per_second[key] for n, s in drive.streams.items()}
        if any(math.isfinite(v) for values in lines.values() for v in values):
            title = f"{column.heading} {column.unit}".strip() + ", each second"
            charts.append(Chart(title, lines, colors).svg())
    return f'<div class="charts">{"".join(charts)}</div>'


def _classes(drive: DriveRecord) -> str:
    """Scores of each class under the first stream."""
    if not drive.streams:
        return ""
    name, stream = next(iter(drive.streams.items()))
    keys = ("look", "detail", "structure", "structure_ceiling")
    columns = [c for k in keys for c in COLUMNS if c.key == k]
    columns = [c for c in columns if any(math.isfinite(row[c.key]) for row in stream.by_class.values())]
    head = "".join(f"<th>{c.heading}<small>{c.unit}</small></th>" for c in columns)
    rows = "".join(
        f"<tr><th>{escape(k.replace('_', ' '))}</th>"
        + "".join(f"<td>{_number(row[c.key], c.digits)}</td>" for c in columns)
        + "</tr>"
        for k, row in stream.by_class.items()
    )
    title = f"Class by class, {escape(WORDS.get(name, name))}"
    return f"<details><summary>{title}</summary><table><tr><th></th>{head}</tr>{rows}</table></details>"


def _sheet(drive: DriveRecord) -> str:
    """Rows of pictures: class map, teacher and every stream, at each moment."""
    if not drive.moments:
        return ""
    names = list(dict.fromkeys(n for m in drive.moments for n in m.pictures))
    head = "".join(f"<th>{m.second:.1f} s</th>" for m in drive.moments)
    rows = []
    for name in names:
        cells = "".join(f"<td>{_image(m.pictures.get(name))}</td>" for m in drive.moments)
        rows.append(f"<tr><th>{escape(WORDS.get(name, name))}</th>{cells}</tr>")
    return f'<div class="sheet"><table><tr><th></th>{head}</tr>{"".join(rows)}</table></div>'


def _image(rgb: NDArray[np.uint8] | None) -> str:
    if rgb is None:
        return ""
    done, data = cv2.imencode(".jpg", rgb[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])
    if not done:
        raise RuntimeError(f"OpenCV could not encode a JPEG of shape {rgb.shape}")
    return f'<img alt="" src="data:image/jpeg;base64,{base64.b64encode(data.tobytes()).decode()}">'


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else "–"
