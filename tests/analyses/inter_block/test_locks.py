"""Locks that are waited for or tried, and where they are held."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, on_line

from warplint.analyzer.analyses.inter_block.locks import locks

PARAMETERS = "int *p, int *lock, int n"


@pytest.mark.parametrize(
    ("body", "held"),
    [
        ("while (atomicCAS(lock, 0, 1) != 0) {}\np[0] = n; // data\natomicExch(lock, 0);", [True]),
        ("if (atomicCAS(lock, 0, 1) == 0) {\np[0] = n; // data\natomicExch(lock, 0); }", [True]),
        ("if (atomicCAS(lock, 0, 1) != 0) return;\np[0] = n; // data\n*lock = 0;", [True]),
        ("if (atomicExch(lock, 1) == 0) {\np[0] = n; // data\n*lock = 0; }", [True]),
        ("if (atomicCAS(lock, 0, 1) == 0) { *lock = 0; }\np[0] = n; // data", [False]),
        ("if (atomicCAS(lock, 0, 1) == 0) {\np[0] = n; // data\n}", []),  # never given back
        ("if (atomicCAS(lock, 0, 0) == 0) {\np[0] = n; // data\n*lock = 0; }", []),  # no change
        ("if (atomicCAS(lock, 0, 1) == 2) {\np[0] = n; // data\n*lock = 0; }", []),
        ("if (atomicAdd(lock, 1) == 0) {\np[0] = n; // data\n*lock = 0; }", []),
        ("if (atomicCAS(lock, 0, 1) < 1) {\np[0] = n; // data\n*lock = 0; }", []),
    ],
)
def test_where_a_lock_is_held(body: str, held: list[bool]) -> None:
    facts = body_facts(body, parameters=PARAMETERS)
    data = on_line(facts.kernel, "// data")[-1]
    found = list(locks(facts))
    assert [data.block in lock.held for lock in found] == held
    assert all(lock.item.name == "*lock" and lock.read.atomic for lock in found)


def test_a_lock_that_is_waited_for_is_not_tried_as_well() -> None:
    body = "while (true) { if (atomicCAS(lock, 0, 1) == 0) break; } p[0] = n; *lock = 0;"
    assert len(list(locks(body_facts(body, parameters=PARAMETERS)))) == 1
