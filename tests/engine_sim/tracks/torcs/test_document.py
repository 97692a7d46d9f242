"""The parameter file as a tree: what is read, what is never followed, what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine_sim.core.errors import UserError
from engine_sim.tracks.torcs import document
from engine_sim.tracks.torcs.document import parse_document, read_document

from .sample_files import oval


def parse(text: str) -> document.Section:
    return parse_document(text.encode(), "x.xml")


def test_sections_numbers_and_words_come_out_in_order():
    root = parse(
        '<params name="p"><section name="A"><attnum name="w" val=" 3 " unit="ft"/><section name="B"/></section>'
        '<section name="C"><attstr name="s" val=" wall "/></section></params>'
    )
    assert [c.name for c in root.children] == ["A", "C"]
    assert root.children[0].number("missing", "w") == 3 * 0.3048
    assert root.children[0].child("B") is not None
    assert root.children[1].word("s") == "wall"


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE params>",
        '<!DOCTYPE params SYSTEM "params.dtd">',
        '<!DOCTYPE params SYSTEM "a]>b.dtd" [<!ENTITY e "]>"> <!-- ]> \' --> ]>',
        "<!DOCTYPE params [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>",
        "<!DOCTYPE params [<!ENTITY a 'x'>]><!DOCTYPE params [<!ENTITY b 'y'>]>",
    ],
)
def test_a_doctype_is_dropped_and_entities_stand_for_nothing(doctype):
    root = parse(f'<?xml version="1.0"?><!-- c -->{doctype}<params name="p">&e;<attstr name="t" val="[&e;]"/></params>')
    assert root.word("t") == "[]"


def test_predefined_entities_and_character_references_keep_their_meaning():
    assert parse('<params name="p"><attstr name="t" val="&lt;&amp;&gt;"/></params>').word("t") == "<&>"


def test_an_expansion_bomb_expands_to_nothing():
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))
    root = parse(f'<!DOCTYPE params [<!ENTITY l0 "ha">{laughs}]><params name="p">&l11;</params>')
    assert root.children == []


def test_latin_1_text_is_read_as_such():
    data = '<?xml version="1.0" encoding="UTF-8"?><params name="p"><attstr name="a" val="Müller"/></params>'
    assert parse_document(data.encode("latin-1"), "x.xml").word("a") == "Müller"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty file"),
        (b"  \n", "empty file"),
        (b"\x89PNG\r\n\x1a\n", "text that starts"),
        (b"<html><body/></html>", "got <html>"),
        (b"<params><section>", "cut short"),
        (b"<!DOCTYPE params [<!ENTITY a 'b>", "never ends"),
        (b"<params>" + b"<section>" * 40 + b"</section>" * 40 + b"</params>", "nested"),
        (b"<params>" + b"<attnum/>" * 70_000 + b"</params>", "elements"),
    ],
)
def test_what_is_no_track_file_is_refused_in_one_line(data, says):
    with pytest.raises(UserError, match=says) as caught:
        parse_document(data, "some/track.xml")
    assert str(caught.value).startswith("some/track.xml: ")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_too_large_or_missing_is_refused(tmp_path, monkeypatch):
    with pytest.raises(UserError, match="cannot read"):
        read_document(tmp_path / "none.xml")
    monkeypatch.setattr(document, "MAX_BYTES", 100)
    (tmp_path / "big.xml").write_text(oval())
    with pytest.raises(UserError, match="at most 100 bytes"):
        read_document(tmp_path / "big.xml")


@pytest.mark.parametrize(("value", "unit"), [("abc", "m"), ("nan", "m"), ("1e9", "m"), ("-inf", ""), ("1", "furlong")])
def test_a_bad_number_names_its_section(value, unit):
    root = parse(
        f'<params name="p"><section name="S"><attnum name="w" val="{value}" unit="{unit}"/></section></params>'
    )
    with pytest.raises(UserError, match=r"x\.xml: 'w' in section 'S'"):
        root.children[0].number("w")


def refusal(data: bytes) -> str:
    """Why the bytes cannot be read, empty if they can; anything but a UserError escapes."""
    try:
        parse_document(data, "x.xml")
    except UserError as error:
        return str(error)
    return ""


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data):
    assert "\n" not in refusal(data)


@given(st.text(alphabet="<>!-?[]\"'&;ENTITYDOCparams /=x\n", max_size=200))
def test_any_soup_of_markup_is_read_or_refused(text):
    assert "\n" not in refusal(text.encode())
