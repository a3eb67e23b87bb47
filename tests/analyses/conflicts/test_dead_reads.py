"""Reads by threads that make nothing of them."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import block_candidates, kernel

from warplint.analyzer.analyses.conflicts.dead_reads import (
    is_dead_read,
    only_reads,
    paths_of_takers,
)
from warplint.analyzer.ir.operations import AccessKind


@pytest.mark.parametrize(
    ("body", "dead"),
    [
        ("int old = flag; if (t == 0) flag = old + n;", True),
        ("int old = flag; if (t == 0) flag = old + n; out[t] = old;", False),
        ("int old = flag; if (t == 0) { flag = old + n; out[t] = old; }", True),
        ("int old = flag, w = old * 2; if (t == 0) flag = w;", True),
        ("int old = flag; if (old > 3 && t == 0) flag = old + n;", False),  # decides for itself
    ],
)
def test_a_read_for_an_update_that_another_makes(body: str, *, dead: bool) -> None:
    facts = kernel(body)
    candidates = [each for each in block_candidates(facts) if each.conflict.item.name == "flag"]
    pairs = [each for each in candidates if each.accesses[0] is not each.accesses[1]]
    assert pairs
    for candidate in pairs:
        assert is_dead_read(facts, candidate.conflict, 256) is dead


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
