"""What is said of a document whose text is ahead of its picture."""

from __future__ import annotations

from typing import Any

from warplint.analyzer.server.answers import Answers, Shift

Plain = dict[str, Any]


def place(line: int, start: int = 0, end: int = 5, last: int | None = None) -> Plain:
    return {
        "start": {"line": line, "character": start},
        "end": {"line": line if last is None else last, "character": end},
    }


def answers(notes: Plain, old: str, new: str | None = None) -> Answers:
    picture = {"diagnostics": [], "offers": [], "notes": notes}
    return Answers(picture, old, old if new is None else new, "utf-16")


def test_places_move_with_their_lines() -> None:
    shift = Shift("a\nb\nc\nd", "a\nB\nmore\nc\nd")
    assert shift.range(place(0)) == place(0)
    assert shift.range(place(1)) is None
    assert shift.range(place(2)) == place(3)
    assert shift.range(place(0, last=3)) is None


def test_lines_that_repeat_are_counted_once() -> None:
    shift = Shift("x\nx\nx", "x\nx")
    assert [shift.range(place(line)) for line in range(3)] == [place(0), place(1), None]


def test_the_last_variable_that_was_declared_before_is_meant() -> None:
    old = "int x;\n{ float x;\nx;\n}\n"
    rows = [
        {"range": place(0, last=4), "text": text, "name": "x", "other": {"range": place(line)}}
        for line, text in ((0, "outer"), (1, "inner"))
    ]
    found = answers({"variable": rows}, old)
    assert found.hover(2, 0) == {"contents": {"kind": "markdown", "value": "inner"}}
    assert found.hover(0, 4) == {"contents": {"kind": "markdown", "value": "outer"}}
    assert found.hover(3, 0) is None


def test_a_component_is_found_before_its_variable() -> None:
    rows = [
        {"range": place(0, 0, 20), "text": text, "name": name, "other": {"range": place(0, 0, 0)}}
        for name, text in (("p", "whole"), ("p.x", "component"))
    ]
    found = answers({"variable": rows}, "a = p.x + p.w;")
    hover = found.hover(0, 4)
    assert hover is not None
    assert hover["contents"]["value"] == "component"


def test_the_nearest_of_several_comes_first() -> None:
    rows = [
        {"range": place(0, 0, 20), "text": "kernel"},
        {"range": place(0, 4, 8), "text": "access"},
    ]
    hover = answers({"hover": rows}, "some(code) of a line")
    found = hover.hover(0, 5)
    assert found is not None
    assert found["contents"]["value"] == "access\n\n---\n\nkernel"
    assert found["range"] == place(0, 4, 8)


def test_instances_share_a_lens() -> None:
    rows = [{"range": place(0), "text": text} for text in ("1 KB", "2 KB", "1 KB")]
    assert [each["command"]["title"] for each in answers({"lens": rows}, "k").lenses()] == [
        "1 KB | 2 KB"
    ]


def test_hints_are_those_of_the_lines_asked_for() -> None:
    rows = [{"range": place(line), "text": "8-way"} for line in (0, 3)]
    found = answers({"hint": rows}, "a\nb\nc\nd").hints(2, 9)
    assert [each["position"]["line"] for each in found] == [3]


def test_a_symbol_lies_in_its_range() -> None:
    row = {"range": place(1), "text": "k", "other": {"range": place(7)}}
    found = answers({"kernel": [row]}, "a\nb").symbols()
    assert found[0]["selectionRange"] == {"start": place(1)["start"], "end": place(1)["start"]}
