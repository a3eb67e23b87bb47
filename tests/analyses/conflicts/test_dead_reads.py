"""Reads by threads that make nothing of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.doubts.candidates_of import block_candidates, kernel
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.conflicts.dead_reads import (
    is_dead_read,
    only_reads,
    paths_of_takers,
)
from warplint.analyzer.ir.operations import AccessKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.analyses.conflicts.known_decisions import KnownDecisions


@pytest.mark.parametrize(
    ("body", "dead"),
    [
        ("int old = flag; if (t == 0) flag = old + n;", True),
        ("int old = flag; if (t == 0) flag = old + n; out[t] = old;", False),
        ("int old = flag; if (t == 0) { flag = old + n; out[t] = old; }", True),
        ("int old = flag, w = old * 2; if (t == 0) flag = w;", True),
        ("int old = flag; if (old > 3 && t == 0) flag = old + n;", True),  # for others nothing
        ("int old = flag; if (old > 3) out[t] = 1; if (t == 0) flag = n;", False),
        ("int m = in[t]; if (flag > 0) m += flag; if (t == 0) flag = m;", True),
        ("int m = in[t]; if (flag > 0) m += flag; if (t == 0) flag = m; out[t] = m;", False),
        (
            "int m = in[t]; if (flag > 0) m += flag; if (t == 0) flag = m; if (t == 7) *out = m;",
            False,
        ),
        (
            "int m = in[t]; if (flag > 0) m += flag; if (t < 2) flag = m;",
            True,
        ),  # their stores are told
        ("int m = flag; if (t == 0) flag = n; if (m > 0) __syncthreads();", False),
        ("int m = flag; if (t == 0) flag = n; while (in[m] > m) m += 1;", False),  # how long
        ("int m = flag; if (n > 100) { if (t == 0) flag = m + 1; } else out[t] = m;", True),
    ],
)
def test_a_read_for_an_update_that_another_makes(body: str, *, dead: bool) -> None:
    facts = kernel(body)
    candidates = [each for each in block_candidates(facts) if each.conflict.item.name == "flag"]
    pairs = [each for each in candidates if each.accesses[0] is not each.accesses[1]]
    assert pairs
    for candidate in pairs:
        decisions = candidate.context.decisions(candidate.run)
        assert is_dead_read(facts, candidate.conflict, decisions) is dead


def test_who_only_reads_for_it() -> None:
    facts = kernel("int old = flag; if (t == 0) flag = old + n; out[t] = old;")
    (candidate,) = (
        each
        for each in block_candidates(facts)
        if each.conflict.item.name == "flag" and each.accesses[0] is not each.accesses[1]
    )
    first, second = candidate.first, candidate.second
    read, write = (first, second) if second.access.writes else (second, first)
    assert only_reads(facts, read, write, 256)
    assert not only_reads(facts, write, read, 256)


@pytest.mark.parametrize(
    ("body", "ways"),
    [
        ("int v = in[t]; if (t < n) out[t] = v;", 1),
        ("int v = in[t]; out[t] = v;", 0),
        ("int v = in[t]; if (t < n) out[t] = v; else out[t + 1] = v;", 0),  # on either
        ("int v = in[t]; if (t < n) out[t] = v; out[9] = v;", 0),
        ("if (t < n) { int v = in[t]; out[t] = v; }", 0),  # behind it itself
    ],
)
def test_ways_of_those_who_take_it(body: str, ways: int) -> None:
    facts = kernel(body)
    load = next(each for each in facts.accesses if each.kind is AccessKind.LOAD)
    assert len(paths_of_takers(facts, load)) == ways


# ---- against threads that find something else --------------------------------------------------

_NAMES = st.sampled_from("ab")
_SUMS = st.tuples(st.just("sum"), _NAMES, st.sampled_from("abv"))
_STORES = st.tuples(st.just("store"), _NAMES)
_CONDITIONS = st.sampled_from(["a > 0", "v > 0", "b > 1", "t == 0", "t < 2"])


def _bodies(
    statements: st.SearchStrategy[tuple[object, ...]],
) -> st.SearchStrategy[tuple[object, ...]]:
    several = st.lists(statements, max_size=3)
    return st.tuples(st.just("if"), _CONDITIONS, several, several)


_PROGRAMS = st.lists(st.recursive(_SUMS | _STORES, _bodies, max_leaves=6), min_size=1, max_size=5)


def _text(statements: object) -> str:
    assert isinstance(statements, list)
    parts: list[str] = []
    for kind, *rest in statements:
        if kind == "sum":
            parts.append(f"{rest[0]} += {rest[1]};")
        elif kind == "store":
            parts.append(f"out[t] = {rest[0]};")
        else:
            parts.append(f"if ({rest[0]}) {{ {_text(rest[1])} }} else {{ {_text(rest[2])} }}")
    return " ".join(parts)


def _stored(statements: object, held: dict[str, int]) -> Iterator[int]:
    """What a thread stores that goes through a program."""
    assert isinstance(statements, list)
    for kind, *rest in statements:
        if kind == "sum":
            held[rest[0]] += held[rest[1]]
        elif kind == "store":
            yield held[rest[0]]
        else:
            name, relation, number = rest[0].split()
            value = held[name] - int(number)
            holds = {">": value > 0, "==": value == 0, "<": value < 0}[relation]
            yield from _stored(rest[1] if holds else rest[2], held)


@settings(max_examples=60, deadline=None)
@given(_PROGRAMS)
def test_who_reads_in_vain_does_the_same_whatever_it_finds(program: object) -> None:
    body = f"int v = flag, a = in[t], b = in[t + n]; {_text(program)} if (t == 0) flag = a + b + n;"
    facts = kernel(body)
    for candidate in block_candidates(facts):
        decisions: KnownDecisions = candidate.context.decisions(candidate.run)
        if candidate.conflict.item.name != "flag":
            continue
        if is_dead_read(facts, candidate.conflict, decisions):
            for thread in range(1, 4):
                done = [
                    list(_stored(program, {"v": v, "a": a, "b": b, "t": thread}))
                    for a in (-2, 1)
                    for b in (0, 2)
                    for v in (-3, 0, 1, 4)
                ]
                found = [done[at : at + 4] for at in range(0, len(done), 4)]
                assert all(each == group[0] for group in found for each in group)
