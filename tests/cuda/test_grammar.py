"""The grammar's table: built, cached, and bound to the tree builder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint import grammars
from warplint.analyzer.cuda.syntax.automaton import RAW, STARTS
from warplint.analyzer.cuda.syntax.builder import TreeBuilder
from warplint.analyzer.source.tokens import word_kinds

if TYPE_CHECKING:
    from pathlib import Path

SMALL = "start: pair+\npair: A [B] _C\n%declare A B _C\n"


def fresh(folder: Path, monkeypatch: pytest.MonkeyPatch) -> grammars.ParseTable:
    monkeypatch.setenv("WARPLINT_CACHE_DIR", str(folder))
    monkeypatch.setattr(grammars, "grammar_text", lambda _: SMALL)
    return grammars.parse_table.__wrapped__("small.lark", ("start",))


def test_productions_say_what_is_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = fresh(tmp_path, monkeypatch)
    pairs = {production.layout for production in table.productions if production.origin == "pair"}
    assert pairs == {(0, 1), (0, None)}


def test_a_table_is_kept_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fresh(tmp_path, monkeypatch)
    (file,) = tmp_path.iterdir()

    def build(*_: object) -> None:
        pytest.fail("built again")

    monkeypatch.setattr(grammars, "_build", build)
    again = fresh(tmp_path, monkeypatch)
    assert again.states
    assert list(again.states) == list(first.states)
    assert again[1:] == first[1:]
    assert file.exists()


@pytest.mark.parametrize("damage", [b"", b"x" * 100])
def test_a_damaged_cache_is_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    first = fresh(tmp_path, monkeypatch)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    assert len(fresh(tmp_path, monkeypatch).states) == len(first.states)
    assert file.read_bytes() != damage


def test_without_a_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert fresh(blocked / "cache", monkeypatch).states


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
