"""Prompt schedules: files with their line numbers, what is in force at which border, and prompts that fade."""

from __future__ import annotations

import numpy as np
import pytest

from demos.options import NamedLook
from demos.prompt_schedule.changes import Changes
from demos.prompt_schedule.course import Course, InForce, opening
from demos.prompt_schedule.teacher import ScheduledTeacher, mixed
from demos.prompt_schedule.text import Change, clock, parse_prompt_schedule, parse_time, read_prompt_schedule
from engine_sim.core.errors import UserError
from engine_sim.core.ticks import TICK_RATE
from engine_sim.views.look import named_look

TEXT = """
# time | look        | prompt                          | change
0:00   | golden-hour
0:12.5 | storm       | heavy rain, headlights in spray | blend 6
20     |             | snow on everything              | cut
1:00   | blue-hour   |                                 | blend 3
"""


def look(name: str) -> NamedLook:
    return NamedLook(name, named_look(name))


def test_a_file_reads_as_it_looks(tmp_path):
    path = tmp_path / "evening.txt"
    path.write_bytes("\ufeff".encode() + TEXT.replace("\n", "\r\n").encode())
    assert read_prompt_schedule(path) == (
        Change(0.0, look("golden-hour"), None, 1),
        Change(12.5, look("storm"), "heavy rain, headlights in spray", 6),
        Change(20.0, None, "snow on everything", 1),
        Change(60.0, look("blue-hour"), None, 3),
    )


def test_each_change_knows_its_line_and_its_time():
    changes = parse_prompt_schedule(TEXT, "x")
    assert [c.place for c in changes] == ["line 3 (0:00)", "line 4 (0:12.5)", "line 5 (0:20)", "line 6 (1:00)"]


@pytest.mark.parametrize("seconds", [0, 0.04, 12.5, 60, 599.999, 600, 6000.25])
def test_a_clock_reads_as_a_time_of_a_schedule(seconds):
    assert parse_time(clock(seconds)) == pytest.approx(seconds, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "seconds"), [("0", 0), ("7.25", 7.25), ("1:02.5", 62.5), ("90", 90), ("10:00", 600), ("0:5", 5)]
)
def test_times_are_seconds_or_minutes_and_seconds(text, seconds):
    assert parse_time(text) == seconds


@pytest.mark.parametrize("text", ["", "-1", "1:60", "1:2:3", "1e3", "nan", "soon", "1,5", "١", "1:", "99999999", ":5"])
def test_other_times_are_refused(text):
    with pytest.raises(UserError, match=r"neither seconds such as 12\.5"):
        parse_time(text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("5 | storm | x | fade 3", "change 'fade 3' is neither cut nor blend N"),
        ("5 | storm | x | blend 0", "with N from 1 to 64 chunks"),
        ("5 | storm | x | blend 65", "with N from 1 to 64 chunks"),
        ("5 | storm | x | blend", "neither cut nor blend N"),
        ("5 | storm | x | cut | y", "expected at most TIME | LOOK | PROMPT | CHANGE, got 5 columns"),
        ("5", "5 names neither a look nor a prompt"),
        ("5 | | | cut", "5 names neither a look nor a prompt"),
        ("5 | stormy", "stormy"),
        ("2 | storm", "times must rise, got 2 s after 2 s"),
        ("1 | storm", "times must rise, got 1 s after 2 s"),
        ("storm | 5", "time 'storm'"),
        ("5 | | " + "w" * 1001, "the prompt has 1001 characters; at most 1000"),
        ("5 | | a\x07b", "control character U+0007"),
    ],
)
def test_a_wrong_line_is_named_by_its_number(line, said):
    with pytest.raises(UserError) as refused:
        parse_prompt_schedule(f"# a comment\n2 | storm\n\n{line}\n", "evening.txt")
    assert str(refused.value).startswith("evening.txt, line 4: ")
    assert said in str(refused.value)


def test_files_that_are_no_schedule_are_refused(tmp_path):
    empty, binary, large = tmp_path / "empty.txt", tmp_path / "binary.txt", tmp_path / "large.txt"
    empty.write_text("# nothing\n\n")
    binary.write_bytes(b"0 | storm\xff")
    large.write_bytes(b"#" * 70_000)
    for path, said in (
        (empty, "holds no change; expected lines such as"),
        (binary, "expected UTF-8, got byte 9"),
        (large, "larger than 65536 bytes"),
        (tmp_path / "nowhere.txt", "cannot read the prompt schedule"),
        (tmp_path, "cannot read the prompt schedule"),
    ):
        with pytest.raises(UserError, match=said):
            read_prompt_schedule(path)


# --- what is in force

PLAIN = InForce(look("overcast"), None)


def test_a_change_at_zero_is_how_the_drive_begins():
    changes = parse_prompt_schedule(TEXT, "x")
    start, rest = opening(changes, PLAIN)
    assert start == InForce(look("golden-hour"), None)
    assert rest == changes[1:]
    assert opening(changes[1:], PLAIN) == (PLAIN, changes[1:])
    assert opening((), PLAIN) == (PLAIN, ())


def test_a_cut_is_whole_at_the_first_border_at_or_after_its_time():
    course = Course([Change(1.0, look("storm"), "rain")], PLAIN)
    assert not course.due(0.999)
    assert course.border(0.9) is None
    assert course.due(1.0)
    step = course.border(4 / 3)
    assert step is not None
    assert (step.before, step.after, step.share) == (PLAIN, InForce(look("storm"), "rain"), 1.0)
    assert step.begins
    assert not step.blends_looks
    assert course.border(5 / 3) is None
    assert course.step == step


def test_a_blend_takes_equal_steps_and_ends_exactly():
    course = Course([Change(1.0, look("storm"), None, 4)], PLAIN)
    steps = [course.border(1 + k / 3) for k in range(6)]
    assert [s.share for s in steps if s is not None] == [0.25, 0.5, 0.75, 1.0]
    assert steps[4:] == [None, None]
    assert [s.begins for s in steps if s is not None] == [True, False, False, False]
    assert [s.blends_looks for s in steps if s is not None] == [True, True, True, False]


def test_a_prompt_alone_leaves_the_look_and_mixes_no_pictures():
    course = Course([Change(1.0, None, "snow", 3)], PLAIN)
    step = course.border(1.0)
    assert step is not None
    assert step.after == InForce(PLAIN.look, "snow")
    assert not step.blends_looks


def test_a_look_without_a_prompt_brings_its_own_back():
    course = Course([Change(1.0, None, "snow"), Change(2.0, look("storm"), None)], PLAIN)
    course.border(1.0)
    step = course.border(2.0)
    assert step is not None
    assert step.after == InForce(look("storm"), None)


def test_changes_between_two_borders_all_count_and_the_last_says_how():
    changes = [Change(1.0, look("storm"), "rain"), Change(1.1, None, "snow", 5)]
    step = Course(changes, PLAIN).border(4 / 3)
    assert step is not None
    assert step.after == InForce(look("storm"), "snow")
    assert step.chunks == 5


def test_a_change_that_comes_during_a_blend_waits_for_its_end():
    course = Course([Change(1.0, look("storm"), None, 3), Change(1.2, look("blue-hour"), None)], PLAIN)
    names = [(s.after.look.name, round(s.share, 3)) for k in range(6) if (s := course.border(1 + k / 3)) is not None]
    assert names == [("storm", 0.333), ("storm", 0.667), ("storm", 1.0), ("blue-hour", 1.0)]


def told(text: str, end: float, borders: tuple[float, ...]) -> tuple[list[str], dict]:
    """What people are told of a schedule in a film of so many seconds with these borders, and its report."""
    lines: list[str] = []
    changes = Changes(Course(parse_prompt_schedule(text, "x"), PLAIN), lines.append)
    changes.look_ahead(end)
    for border in borders:
        changes.step(round(border * TICK_RATE), lambda: True)
    changes.look_back()
    return lines, changes.report


def test_changes_that_a_film_never_comes_to_are_named_before_and_after_it():
    text = "1 | storm\n# five\n4.5 | | rain\n5 | | snow\n1:00 | overcast\n"
    lines, report = told(text, 5.0, (1.0, 4.0))
    assert lines == [
        "the film ends at 0:05: line 4 (0:05), line 5 (1:00) of the schedule, beyond it, will not be seen",
        "1.00 s: look storm",
        "no chunk began between line 3 (0:04.5) of the schedule and the film's end: not seen",
    ]
    assert report["missed_lines"] == [3, 4, 5]
    assert told("1 | storm\n4 | | rain\n", 5.0, (1.0, 4.0))[1]["missed_lines"] == []


def test_of_many_changes_beyond_the_end_a_few_are_named():
    lines, _ = told("\n".join(f"{k} | storm" for k in range(10, 30)), 10.0, ())
    assert len(lines) == 1
    assert lines[0].endswith("line 4 (0:13) and 16 more of the schedule, beyond it, will not be seen")


# --- the teacher view under it


class FlatView:
    """Fills its picture with a brightness that belongs to the look."""

    def __init__(self):
        self.shades = {"overcast": 100, "storm": 31}
        self.look = named_look("overcast")
        self.changes = 0

    def set_look(self, look):
        self.look, self.changes = look, self.changes + 1

    def draw(self, frame):
        shade = next(v for k, v in self.shades.items() if named_look(k) == self.look)
        return np.full((2, 3, 3), shade, np.uint8)


def test_two_looks_are_mixed_while_one_is_blended_in():
    view = FlatView()
    teacher = ScheduledTeacher(view)
    course = Course([Change(0.5, look("storm"), None, 2)], PLAIN)
    assert int(teacher.draw(None)[0, 0, 0]) == 100
    shades = []
    for k in range(1, 4):
        step = course.border(k / 2)
        if step is not None:
            teacher.put(step)
        shades.append(int(teacher.draw(None)[0, 0, 0]))
    assert shades == [66, 31, 31]
    before = view.changes
    teacher.draw(None)
    assert view.changes == before  # a look that stays is not set again


def test_pictures_are_mixed_with_rounding():
    black, white = np.zeros((1, 1, 3), np.uint8), np.full((1, 1, 3), 255, np.uint8)
    assert mixed(black, white, 0.5).tolist() == [[[128, 128, 128]]]
    assert mixed(black, white, 1.0).tolist() == [[[255, 255, 255]]]
    assert mixed(white, white, 1 / 3).tolist() == [[[255, 255, 255]]]
