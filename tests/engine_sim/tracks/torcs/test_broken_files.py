"""Whatever is done to a file, it is read or refused in one line that names it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine_sim.core.errors import UserError
from engine_sim.tracks.torcs import read_torcs
from engine_sim.tracks.torcs.centreline import sample_layout
from engine_sim.tracks.torcs.document import parse_document
from engine_sim.tracks.torcs.layout import WIDTH_RANGE, read_layout

from .sample_files import old_oval, oval

TEXTS = {"oval": oval(), "old": old_oval()}
NUMBER = re.compile(r'val="-?[0-9.]+"')


def refusal(data: bytes) -> str:
    """Why the plan of a file cannot be made, empty if it can; anything but a UserError escapes."""
    try:
        sample_layout(read_layout(parse_document(data, "x.xml")), "x.xml")
    except UserError as error:
        return str(error)
    return ""


def says_enough(text: str) -> bool:
    """True for a refusal of one line that names the file, and for none."""
    return not text or (text.startswith("x.xml: ") and "\n" not in text)


def test_a_file_cut_at_any_byte_is_refused():
    for text in TEXTS.values():
        data = text.encode()
        whole = data.rindex(b"</params>") + len(b"</params>")
        refusals = [refusal(data[:n]) for n in range(whole)]
        assert all(refusals)
        assert all(says_enough(r) for r in refusals)
        assert refusal(data[:whole]) == ""


@given(st.sampled_from(sorted(TEXTS)), st.lists(st.tuples(st.integers(0, 999), st.one_of(
    st.floats(allow_nan=True, allow_infinity=True), st.floats(-500, 500), st.text(max_size=4),
)), min_size=1, max_size=3))  # fmt: skip
@settings(max_examples=150)
def test_changed_numbers_are_read_or_refused(name, changes):
    text = TEXTS[name]
    for index, value in changes:
        places = list(NUMBER.finditer(text))
        place = places[index % len(places)]
        text = f'{text[: place.start()]}val="{value}"{text[place.end() :]}'
    assert says_enough(refusal(text.encode("utf-8", "replace")))


@given(st.sampled_from(sorted(TEXTS)), st.integers(0, 4000), st.binary(min_size=1, max_size=12))
@settings(max_examples=150)
def test_overwritten_bytes_are_read_or_refused(name, at, noise):
    data = TEXTS[name].encode()
    at %= len(data)
    assert says_enough(refusal(data[:at] + noise + data[at + len(noise) :]))


@given(st.floats(0, 60), st.floats(0, 100), st.floats(0, 100), st.floats(-30, 30), st.floats(0, 8), st.floats(2, 60))
@settings(max_examples=25)
def test_any_cross_section_within_bounds_becomes_a_track(tmp_path_factory, left, right, wider, bank, kerb, width):
    text = oval().replace('"start width" val="4"', f'"start width" val="{left}"', 1)
    text = text.replace('"start width" val="6"', f'"start width" val="{right}"')
    text = text.replace('"end width" val="12"', f'"end width" val="{wider}"')
    text = text.replace('"width" val="1.5"', f'"width" val="{kerb}"').replace(
        '"width" val="12"', f'"width" val="{width}"'
    )
    radius = 'name="radius" val="60" unit="m"/>'
    text = text.replace(radius, f'{radius}<attnum name="banking end" val="{bank}" unit="deg"/>')
    path = tmp_path_factory.mktemp("torcs") / "sample.xml"
    path.write_text(text)
    if width < WIDTH_RANGE[0]:
        with pytest.raises(UserError, match="'width' in section 'Main Track'"):
            read_torcs(path)
        return
    a = read_torcs(path).arrays
    assert (a.barrier_left > a.width_left + a.kerb_left).all()
    assert (a.barrier_right > a.width_right + a.kerb_right).all()
    assert (a.barrier_left * a.curvature).max() < 1.0
