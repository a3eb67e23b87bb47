"""The grammar's table: built, written, and bound to the tree builder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warplint import grammars
from warplint.analyzer.cuda.syntax.automaton import RAW, STARTS
from warplint.analyzer.cuda.syntax.builder import TreeBuilder
from warplint.analyzer.source.tokens import word_kinds
from warplint.grammars.building import build

if TYPE_CHECKING:
    import pytest

SMALL = "start: pair+\npair: A [B] _C\n%declare A B _C\n"


def test_productions_say_what_is_handed_over() -> None:
    table = build(SMALL, ("start",))
    pairs = {production.layout for production in table.productions if production.origin == "pair"}
    assert pairs == {(0, 1), (0, None)}


def test_a_table_can_be_written_and_read() -> None:
    table = build(SMALL, ("start",))
    again = grammars.unpacked(grammars.packed(table, "key"), "key")
    assert again is not None
    assert again.states
    assert list(again.states) == table.states
    assert again[1:] == table[1:]
    assert grammars.unpacked(grammars.packed(table, "key"), "another") is None


def test_the_written_table_is_that_of_the_grammar() -> None:
    text = grammars.grammar_text("cuda.lark")
    key = grammars.table_key(text, STARTS)
    written = grammars.packed(build(text, STARTS), key)
    file = Path(grammars.__file__).parent / "cuda.table"
    assert file.read_bytes() == written, "python -m warplint.grammars.building writes it anew"


def test_comments_are_no_rules() -> None:
    text = grammars.grammar_text("cuda.lark")
    assert grammars.table_key("// another\n" + text, STARTS) == grammars.table_key(text, STARTS)
    assert grammars.table_key("a: b\n" + text, STARTS) != grammars.table_key(text, STARTS)


def test_a_grammar_that_is_being_changed_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    more = grammars.grammar_text("cuda.lark").replace("%declare", "%declare NEVER", 1)
    monkeypatch.setattr(grammars, "grammar_text", lambda _: more)
    table = grammars.parse_table.__wrapped__("cuda.lark", STARTS)
    assert len(table.states) == len(grammars.parse_table("cuda.lark", STARTS).states)
    assert isinstance(table.states, list)  # not read from a file


def test_every_alternative_has_its_method() -> None:
    table = grammars.parse_table("cuda.lark", STARTS)
    actions = {p.action for p in table.productions if not p.collects and not p.transparent}
    assert [action for action in sorted(actions) if not hasattr(TreeBuilder, action)] == []


def test_every_word_is_a_terminal() -> None:
    table = grammars.parse_table("cuda.lark", STARTS)
    terminals = {symbol for state in table.states for symbol in state}
    elsewhere = {*RAW, "HASH", "PASTE", "CONCEPT", "OPERATOR"}  # preprocessor, normalise
    assert set(word_kinds().values()) - terminals - elsewhere == set()


def test_every_raw_token_can_be_something() -> None:
    table = grammars.parse_table("cuda.lark", STARTS)
    terminals = {symbol for state in table.states for symbol in state}
    for options in RAW.values():
        assert set(options) <= terminals
