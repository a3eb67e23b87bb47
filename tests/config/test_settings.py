"""How users spell settings, and what they read when they misspell them."""

from __future__ import annotations

import pytest

from warplint.analyzer.config.architecture import parse_architecture
from warplint.analyzer.config.configuration import Configuration
from warplint.analyzer.config.errors import UsageError
from warplint.analyzer.config.launch import parse_block, parse_grid
from warplint.analyzer.config.macros import parse_define, parse_undefine
from warplint.analyzer.config.selection import chosen_codes, find_rule
from warplint.analyzer.findings.finding import Severity
from warplint.analyzer.findings.rule import Category, Rule


def rule(code: str, name: str, *, default: bool = True) -> Rule:
    return Rule(code, name, "s", Category.PERFORMANCE, Severity.NOTE, default=default)


RULES = {
    "SHM001": rule("SHM001", "bank-conflict"),
    "SHM003": rule("SHM003", "no-reuse-staging"),
    "SYN001": rule("SYN001", "divergent-barrier"),
    "MEM001": rule("MEM001", "memory-space-report", default=False),
}


def selected(select: list[str], ignore: list[str]) -> list[str]:
    line = Configuration(select=tuple(select) or None, ignore=tuple(ignore))
    return sorted(chosen_codes(RULES, line, Configuration()))


@pytest.mark.parametrize("text", ["sm_90", "sm_90a", "compute_90", "90", "9.0", "SM_90"])
def test_spellings_of_an_architecture(text: str) -> None:
    assert parse_architecture(text) == 90


@pytest.mark.parametrize("text", ["sm_99", "", "hopper", "9", "sm_", "9.0.1", "9000", "-90"])
def test_unknown_architecture_gets_the_list(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_architecture(text)
    assert f"`{text}`" in caught.value.message
    assert "sm_90" in caught.value.advice


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("256", (256, 1, 1)),
        ("32,8", (32, 8, 1)),
        ("16, 16, 4", (16, 16, 4)),
        ("16x16", (16, 16, 1)),
        ("1024", (1024, 1, 1)),
        ("1,1,64", (1, 1, 64)),
    ],
)
def test_block_shapes(text: str, shape: tuple[int, int, int]) -> None:
    assert parse_block(text) == shape


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0", "empty along x"),
        ("32,0", "empty along y"),
        ("-1", "not a shape"),
        ("", "not a shape"),
        ("a", "not a shape"),
        ("1,2,3,4", "not a shape"),
        ("32,", "not a shape"),
        ("1.5", "not a shape"),
        ("٣", "not a shape"),
        ("9" * 5000, "not a shape"),
        ("1025", "too large along x"),
        ("1,1,65", "too large along z"),
        ("32,33", "1056 threads"),
    ],
)
def test_impossible_blocks(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_block(text)


def test_a_grid_may_be_larger_than_a_block() -> None:
    assert parse_grid("100000,65535") == (100000, 65535, 1)
    with pytest.raises(UsageError, match="too large along y"):
        parse_grid("1,65536")


def test_macros() -> None:
    assert parse_define("TILE") == ("TILE", "1")
    assert parse_define("TILE=") == ("TILE", "")
    assert parse_define("TILE=a=b") == ("TILE", "a=b")
    assert parse_define("MIN(a,b)=a") == ("MIN(a,b)", "a")
    assert parse_undefine("TILE") == "TILE"
    for wrong in ("", "=1", "1X", "a b"):
        with pytest.raises(UsageError, match="macro name"):
            parse_define(wrong)


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ([], [], ["SHM001", "SHM003", "SYN001"]),
        (["SHM001"], [], ["SHM001"]),
        (["shm001"], [], ["SHM001"]),
        (["bank-conflict"], [], ["SHM001"]),
        (["SHM"], [], ["SHM001", "SHM003"]),
        (["SHM", "MEM001"], ["SHM003"], ["MEM001", "SHM001"]),
        (["ALL"], [], ["MEM001", "SHM001", "SHM003", "SYN001"]),
        ([], ["SHM"], ["SYN001"]),
        (["SHM001"], ["SHM"], []),
    ],
)
def test_selection(select: list[str], ignore: list[str], expected: list[str]) -> None:
    assert selected(select, ignore) == expected


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("SHM01", "`SHM001`"),
        ("SYM001", "`SYN001`"),
        ("bank-conflicts", "`bank-conflict`"),
        ("divergent_barrier", "`divergent-barrier`"),
    ],
)
def test_misspelt_rule_gets_a_suggestion(text: str, near: str) -> None:
    with pytest.raises(UsageError, match="unknown rule") as caught:
        find_rule(RULES, text)
    assert near in caught.value.advice


def test_rule_unlike_any_gets_the_way_to_the_list() -> None:
    with pytest.raises(UsageError) as caught:
        selected(["zzz"], [])
    assert caught.value.advice == "`warplint rules` lists all rules"
