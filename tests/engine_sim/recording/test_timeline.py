import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_sim.core.errors import UserError
from engine_sim.racing.events import EVENT_KINDS
from engine_sim.racing.state import PHASE_NAMES
from engine_sim.recording.timeline import (
    PHASES,
    TimelineEvent,
    build_timeline,
    event_line,
    plain_event,
    read_events,
)

EVENTS = (
    TimelineEvent(0, "phase", -1, -1, 1.0),
    TimelineEvent(360, "phase", -1, -1, 2.0),
    TimelineEvent(384, "contact", 0, 5, 1.5),
    TimelineEvent(480, "bend", 0, -1, -80.0),
    TimelineEvent(600, "off_track", 0, -1, 31.0),
    TimelineEvent(660, "off_track", 2, -1, 33.0),
    TimelineEvent(720, "on_track", 0, -1, 60.0),
    TimelineEvent(840, "pass", 3, 0, 2.0),
    TimelineEvent(960, "lap", 0, -1, 600.0),
    TimelineEvent(1000, "contact", 4, 5, 2.0),
)


def story():
    return build_timeline(EVENTS, 1200)


def test_phase_numbers_mean_what_the_world_means():
    assert PHASES == PHASE_NAMES


def test_entries_have_beginnings_and_ends_in_seconds():
    spans = {(e.kind, e.car, e.start): e.end for e in story().entries}
    assert spans == {
        ("phase", -1, 0.0): 3.0,
        ("phase", -1, 3.0): 10.0,
        ("contact", 0, 3.2): 3.2,
        ("bend", 0, 4.0): 4.0,
        ("off_track", 0, 5.0): 6.0,
        ("off_track", 2, 5.5): 10.0,
        ("lap", 0, 3.0): 8.0,
        ("pass", 3, 7.0): 7.0,
        ("contact", 4, 1000 / 120): 1000 / 120,
    }
    starts = [e.start for e in story().entries]
    assert starts == sorted(starts)


def test_text_says_it_in_words():
    lines = story().about(0).text().splitlines()
    assert lines == [
        "from 0.0 s to 3.0 s countdown",
        "from 3.0 s to 8.0 s lap of 5.0 s",
        "from 3.0 s to 10.0 s race",
        "at 3.2 s contact with car 5",
        "at 4.0 s right-hand bend of 80 m radius",
        "from 5.0 s to 6.0 s off the track",
        "at 7.0 s car 3 passes car 0 for position 2",
    ]


def test_a_part_is_cut_and_moved_to_its_own_clock():
    part = story().about(0).spans(2.5, 5.5)
    assert part.length == 3.0
    assert [(e.kind, round(e.start, 9), round(e.end, 9)) for e in part.entries] == [
        ("phase", 0.0, 0.5),
        ("lap", 0.5, 3.0),
        ("phase", 0.5, 3.0),
        ("contact", 0.7, 0.7),
        ("bend", 1.5, 1.5),
        ("off_track", 2.5, 3.0),
    ]


def test_an_instant_belongs_to_one_of_two_neighbouring_parts():
    before, after = story().spans(0.0, 4.0), story().spans(4.0, 8.0)
    assert [e.kind for e in before.entries].count("bend") == 0
    assert [e.kind for e in after.entries].count("bend") == 1


def test_an_empty_part_is_a_programming_error():
    with pytest.raises(ValueError, match="start < end"):
        story().spans(2.0, 2.0)


def test_every_kind_of_event_has_words():
    events = [TimelineEvent(120, kind, 0, 1, 1.0) for kind in (*EVENT_KINDS, "gap")]
    text = build_timeline(events, 240).text()
    assert "{" not in text
    assert "_" not in text


def test_json_has_times_and_texts():
    first = story().to_json()[0]
    assert first == {
        "kind": "phase", "start": 0.0, "end": 3.0, "car": -1, "other": -1, "value": 1.0,
        "text": "from 0.0 s to 3.0 s countdown",
    }  # fmt: skip


@given(start=st.integers(0, 1199), length=st.integers(1, 1200))
def test_parts_never_leave_their_clock(start, length):
    part = story().spans(start / 120, (start + length) / 120)
    for entry in part.entries:
        assert 0.0 <= entry.start <= entry.end <= part.length + 1e-9


def write(path, events=EVENTS):
    path.write_bytes(b"".join(event_line(e) for e in events))


def test_events_come_back_exactly(tmp_path):
    write(tmp_path / "t.jsonl")
    assert read_events(tmp_path / "t.jsonl") == (EVENTS, "")
    assert plain_event(EVENTS[2]) == EVENTS[2]


@given(place=st.integers(0, 2000), flip=st.integers(0, 255))
def test_damage_anywhere_gives_the_lines_before(tmp_path_factory, place, flip):
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    write(path)
    data = bytearray(path.read_bytes())
    place %= len(data)
    line = data[:place].count(b"\n")
    if flip:
        data[place] ^= flip
    else:
        del data[place:]
    path.write_bytes(data)
    found, damage = read_events(path)
    assert found == EVENTS[:line]
    assert damage or (not flip and data[-1:] in (b"", b"\n"))


@pytest.mark.parametrize(
    "line", [b'{"tick":-1}', b'{"tick":"1"}', b'{"tick":1,"kind":"x","car":0,"other":0,"value":"y"}']
)
def test_a_line_of_another_program_is_refused(tmp_path, line):
    import zlib

    crc = f',"crc":"{zlib.crc32(line):08x}"}}\n'.encode()
    (tmp_path / "t.jsonl").write_bytes(line[:-1] + crc)
    with pytest.raises(UserError, match=r"t\.jsonl"):
        read_events(tmp_path / "t.jsonl")
