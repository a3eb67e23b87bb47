"""Places in the units that client and server agreed on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.server.positions import edited_text, offset_at, position_at, units
from warplint.analyzer.source.text import SourceText

ENCODINGS = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(st.sampled_from("ab\t\f\u2028é€😀\r\n"), max_size=40)


@pytest.mark.parametrize(
    ("encoding", "length"), [("utf-8", 4 + 3 + 2 + 1), ("utf-16", 2 + 1 + 1 + 1), ("utf-32", 4)]
)
def test_units_are_those_of_the_encoding(encoding: str, length: int) -> None:
    assert units("😀€éa", encoding) == length


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_every_offset_has_a_place(text: str, encoding: str) -> None:
    source = SourceText("", text)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue  # there is no place between them
        place = position_at(source, offset, encoding)
        assert offset_at(source, place["line"], place["character"], encoding) == offset


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_place_beyond_the_end_is_the_end(encoding: str) -> None:
    source = SourceText("", "a😀\r\nb")
    assert offset_at(source, 0, 99, encoding) == 2
    assert offset_at(source, 99, 0, encoding) == len(source.text)


def test_a_place_in_a_character_is_the_one_before() -> None:
    source = SourceText("", "😀b")
    assert offset_at(source, 0, 1, "utf-16") == 0
    assert offset_at(source, 0, 3, "utf-8") == 0


def test_form_feeds_end_no_line() -> None:
    source = SourceText("", "a\fb\u2028c\nd")
    assert offset_at(source, 1, 0, "utf-16") == 6


@given(TEXTS, TEXTS, st.sampled_from(ENCODINGS), st.data())
def test_an_edit_replaces_what_lies_between_its_places(
    text: str, new: str, encoding: str, data: st.DataObject
) -> None:
    offsets = [at for at in range(len(text) + 1) if text[max(at - 1, 0) : at + 1] != "\r\n"]
    start = data.draw(st.sampled_from(offsets))
    end = data.draw(st.sampled_from([at for at in offsets if at >= start]))
    source = SourceText("", text)
    place = {
        "start": position_at(source, start, encoding),
        "end": position_at(source, end, encoding),
    }
    expected = text[:start] + new + text[end:]
    assert edited_text(text, [{"range": place, "text": new}], encoding) == expected


def test_a_change_without_a_place_is_the_whole_text() -> None:
    assert edited_text("old", [{"text": "new"}, {"text": "newer"}], "utf-16") == "newer"
