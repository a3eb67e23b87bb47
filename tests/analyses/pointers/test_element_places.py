"""Where an access to a local array begins, over the loops that count its index."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.pointers.element_places import counting_loops, places_of
from warplint.analyzer.ir.memory import Space


@pytest.mark.parametrize(
    ("body", "places", "loops"),
    [
        ("s[2] = 1;", {8}, 0),
        ("for (int j = 0; j < 3; j++) s[j] = 1;", {0, 4, 8}, 1),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s[j] = 1;", {0, 4, 8}, 1),
        ("for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s[i * 4 + j] = 1;",
         {0, 4, 16, 20}, 2),
        ("for (int j = 1; j < 8; j *= 2) s[j] = 1;", {4, 8, 16}, 1),
        ("for (int i = 0; i < 2; i++) for (int j = i; j < 2; j++) s[i * 4 + j] = 1;",
         {0, 4, 20}, 2),
        ("s[n] = 1;", None, 0),
        ("for (int j = 0; j < n; j++) s[j] = 1;", None, 1),
    ],
)  # fmt: skip
def test_places(body: str, places: set[int] | None, loops: int) -> None:
    facts = body_facts(f"int s[8]; {body} p[0] = s[1];", parameters="int *p, int n")
    (store,) = (
        each
        for each in facts.accesses
        if each.writes and facts.points_to.spaces(each) == {Space.LOCAL}
    )
    assert places_of(facts, store) == places
    assert len(counting_loops(facts, store)) == loops
