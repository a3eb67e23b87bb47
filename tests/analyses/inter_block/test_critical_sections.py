"""Accesses that a lock or a flag may put in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts, on_line

from warplint.analyzer.ir.operations import MemoryAccess

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts

TAKE = "while (atomicCAS(lock, 0, 1) != 0) {}"
GIVE = "atomicExch(lock, 0);"
PARAMETERS = "int *p, int *lock, int *flag, int n"


def marked(facts: KernelFacts, mark: str) -> MemoryAccess:
    found = (e for e in on_line(facts.kernel, mark) if isinstance(e, MemoryAccess) and e.writes)
    return next(found)


@pytest.mark.parametrize(
    ("body", "ordered"),
    [
        (f"{TAKE}\np[0] = n; // one\np[1] = n; // other\n{GIVE}", True),
        (f"p[0] = n; // one\n{TAKE}\np[1] = n; // other\n{GIVE}", False),
        (f"{TAKE}\np[0] = n; // one\n{GIVE}\np[1] = n; // other", False),
        ("p[0] = n; // one\np[1] = n; // other", False),
        (
            "if (threadIdx.x == 0) {\np[0] = n; // one\natomicExch(flag, 1); }\nelse {"
            " while (atomicAdd(flag, 0) == 0) {}\np[1] = n; // other\n}",
            True,
        ),
        (
            "if (threadIdx.x == 0) {\natomicExch(flag, 1);\np[0] = n; // one\n}\nelse {"
            " while (atomicAdd(flag, 0) == 0) {}\np[1] = n; // other\n}",
            False,  # behind the flag
        ),
        ("while (!acquire(lock)) {}\np[0] = n; // one\np[1] = n; // other", True),  # a call
        (
            "while (atomicAdd(flag, 0) != threadIdx.x) {}\np[0] = n; // one\np[1] = n; // other\n"
            "atomicAdd(flag, 1);",
            True,  # its own turn
        ),
        ("while (atomicAdd(flag, 0) != n) {}\np[0] = n; // one\np[1] = n; // other", False),
    ],
)
def test_pairs_of_accesses(body: str, *, ordered: bool) -> None:
    facts = body_facts(body, parameters=PARAMETERS)
    one, other = marked(facts, "// one"), marked(facts, "// other")
    assert facts.critical_sections.may_order(one, other) is ordered
    assert facts.critical_sections.may_order(other, one) is ordered


def test_where_a_lock_is_held() -> None:
    body = f"p[0] = n; // before\n{TAKE}\np[1] = n; // held\n{GIVE}\np[2] = n; // after"
    facts = body_facts(body, parameters=PARAMETERS)
    guarded = {
        mark: facts.critical_sections.is_guarded(marked(facts, f"// {mark}"))
        for mark in ("before", "held", "after")
    }
    assert guarded == {"before": False, "held": True, "after": False}


@pytest.mark.parametrize(
    ("give", "taken"),
    [
        (GIVE, True),
        ("*lock = 0;", True),
        ("atomicExch(lock, 2);", False),  # the next one's turn
        ("atomicAdd(lock, 1);", False),
        ("", False),
    ],
)
def test_loops_that_wait_for_a_lock_which_each_owner_leaves_as_it_was(
    give: str, *, taken: bool
) -> None:
    facts = body_facts(f"{TAKE}\np[1] = n;\n{give}", parameters=PARAMETERS)
    ends = {block for loop in facts.flow.loops for block in loop.exits}
    assert ends
    found = {block for block in facts.flow.blocks if facts.critical_sections.takes_lock(block)}
    assert found == (ends if taken else set())
