"""The report: one file, everything in it, nothing broken by what is missing."""

import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from diffusion_render.evaluate.charts import Chart
from diffusion_render.evaluate.footage import CONTROL, OWN
from diffusion_render.evaluate.goals import compare
from diffusion_render.evaluate.report import ReportText, report_html, write_report
from diffusion_render.evaluate.response import Response
from diffusion_render.evaluate.scorer import StreamRecord
from diffusion_render.evaluate.suite import DriveRecord, Moment, SuiteConfig, SuiteRecord

TEXT = ReportText("Scores & such", {"renderer": "toy <1>"}, ("structure: train it",), {"hill": "hill.mp4"})
VOID = {"meta", "img", "line", "circle", "polyline", "br"}


class Balance(HTMLParser):
    """Counts that every element is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.images = self.charts = 0

    def handle_starttag(self, tag, attrs) -> None:
        self.images += tag == "img"
        self.charts += tag == "svg"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        pass

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


def stream(level: float, error: str = "") -> StreamRecord:
    scores = ("psnr", "ssim", "look", "structure", "detail", "flicker_border", "flicker_inside", "drift")
    per_second = {name: [level, level + 1, math.nan] for name in scores} | {"perceptual": [math.nan] * 3}
    mean = {name: level for name in (*scores, "flicker_border_over_inside")}
    by_class = {"road_edge": {"look": level, "detail": 1.0, "structure": math.nan, "structure_ceiling": math.nan}}
    return StreamRecord(per_second, mean, by_class, {"clarity": 0.1}, warped=False, error=error)


def record(**changes) -> SuiteRecord:
    picture = np.full((32, 64, 3), 90, np.uint8)
    moments = (Moment(0.96, {"class map": picture, "teacher": picture, OWN: picture}), Moment(1.96, {OWN: picture}))
    streams = {OWN: stream(21.5), CONTROL: stream(7, "window 3 has NaN")}
    drive = DriveRecord("hill", 72, 24, 64, 32, streams, Response(0, 0, 7), ("a note",), moments)
    means = {name: s.mean for name, s in streams.items()}
    made = SuiteRecord(SuiteConfig(), (drive,), means, tuple(compare(means)), "only one drive")
    return replace(made, **changes)


def test_everything_is_in_it_and_every_element_is_closed():
    html = report_html(record(), TEXT)
    balance = Balance()
    balance.feed(html)
    assert balance.open == []
    assert balance.images == 4
    assert balance.charts == 7  # all but the perceptual distance, which was never measured
    for words in (
        "Scores &amp; such", "toy &lt;1&gt;", "structure: train it", "only one drive", 'href="hill.mp4"', "a note",
        "window 3 has NaN", "released 7 frames (292 ms)", "road edge", "compared in place", "own first frame",
    ):  # fmt: skip
        assert words in html, words


def test_goals_are_met_missed_or_not_measured():
    html = report_html(record(), TEXT)
    assert re.search(r"fidelity: PSNR.*?21\.500.*?>met<", html)
    assert re.search(r"look: colour.*?21\.500.*?>not met<", html)
    assert re.search(r"decoder alone: PSNR.*?–.*?>not measured<", html)


def test_nothing_is_loaded_from_elsewhere():
    html = report_html(record(), TEXT)
    assert re.findall(r'(?:src|href)="(?!data:image/jpeg;base64,)([^"]*)"', html) == ["hill.mp4"]
    assert "http" not in html.replace("http-equiv", "")


def test_a_drive_without_streams_still_has_its_place():
    empty = replace(record().drives[0], streams={}, moments=(), response=Response(0, None, None))
    html = report_html(record(drives=(empty,), means={}), TEXT)
    Balance().feed(html)
    assert "no visible effect" in html


def test_it_is_written_whole(tmp_path):
    write_report(tmp_path / "report.html", record(), TEXT)
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(OSError):
        write_report(tmp_path / "nowhere" / "report.html", record(), TEXT)
    (tmp_path / "taken.html").mkdir()
    with pytest.raises(OSError):
        write_report(tmp_path / "taken.html", record(), TEXT)
    assert {p.name for p in tmp_path.iterdir()} == {"report.html", "taken.html"}  # nothing half-written


def points(svg: str) -> list[list[tuple[float, ...]]]:
    lines = re.findall(r'points="([^"]*)"', svg)
    return [[tuple(map(float, pair.split(","))) for pair in line.split()] for line in lines]


def test_a_curve_rises_where_its_values_do_and_breaks_where_they_are_missing():
    chart = Chart("a", {"x": [1.0, 2.0, math.nan, 4.0, 3.0, math.nan, 2.0]}, {"x": "#fff"}, limit=2.5)
    first, second = points(chart.svg())
    assert first[0][1] > first[1][1] > second[0][1]
    assert [x for x, _ in first + second] == sorted(x for x, _ in first + second)
    assert chart.svg().count("<circle") == 1  # the lone value at the end
    assert 'class="goal"' in chart.svg()


def test_long_curves_are_thinned_and_flat_or_empty_ones_drawn():
    (line,) = points(Chart("a", {"x": list(range(3000))}, {}).svg())
    assert len(line) == 600
    for values in ([5.0] * 4, [math.nan] * 4, [0.0], []):
        Balance().feed(Chart("a", {"x": values}, {}).svg())
