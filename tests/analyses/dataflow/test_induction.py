"""Induction variables, invariants, loop tests and trip counts."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.dataflow.induction import (
    handed_over,
    induction,
    is_invariant,
    loop_tests,
    trip_count,
)
from warplint.analyzer.ir.arithmetic import MIRRORED
from warplint.analyzer.ir.operations import AccessKind, Opcode
from warplint.analyzer.ir.values import whole_number

_HOLDS = {
    Opcode.LT: lambda a, b: a < b,
    Opcode.LE: lambda a, b: a <= b,
    Opcode.GT: lambda a, b: a > b,
    Opcode.GE: lambda a, b: a >= b,
}


@pytest.mark.parametrize(
    ("loop", "signs"),
    [
        ("for (int i = 3; i < n; ++i) p[i] = 1;", [1]),
        ("for (int i = 3; i < n; i += n * 4) p[i] = 1;", [1]),
        ("for (int i = 3; i > 0; i -= n) p[i] = 1;", [-1]),
        ("for (int i = 3; i < n; i += min(n, 7)) p[i] = 1;", [1]),
        ("for (int i = 3; i < n; i += n) { p[i] = 1; i -= 2; }", [1, -1]),
        ("for (int i = 3; i < n; ++i) { if (p[i]) continue; p[i] = 1; }", [1]),
        ("for (int i = 3; i < n; i *= 2) p[i] = 1;", None),
        ("for (int i = 3; i < n; i += p[i]) p[i] = 1;", None),
        ("for (int i = 3; i < n; i += i) p[i] = 1;", None),
        ("for (int i = 3; i < n; ++i) { p[i] = 1; if (p[0]) i += 2; }", None),
    ],
)
def test_counters_of_loops(loop: str, signs: list[int] | None) -> None:
    facts = body_facts(loop)
    (each,) = facts.flow.loops
    (phi,) = each.header.phis
    found = induction(facts.flow, phi)
    assert (None if found is None else sorted(sign for _, sign in found.steps)) == (
        None if signs is None else sorted(signs)
    )
    if found is not None:
        assert whole_number(found.first) == 3


@pytest.mark.parametrize(
    ("body", "held"),
    [
        ("int c = a; a = b; b = c;", [3, 5, 3, 5]),
        ("a = b;", [3, 5, 5, 5]),
        ("a = 9;", [3, 9, 9, 9]),
        ("a = a + 1;", [3, None, None, None]),
        ("if (p[i]) a = b;", [3, None, None, None]),
    ],
)
def test_what_is_handed_over_from_one_iteration_to_the_next(
    body: str, held: list[int | None]
) -> None:
    facts = body_facts(f"int a = 3, b = 5; for (int i = 0; i < n; ++i) {{ p[i] = a; {body} }}")
    (each,) = facts.flow.loops
    (phi,) = (phi for phi in each.header.phis if phi.variable == "a")
    assert [whole_number(handed_over(facts.flow, phi, at)) for at in range(4)] == held


@pytest.mark.parametrize(
    ("index", "stays"),
    [("threadIdx.x * n + 3", True), ("max(n, 2) % 5", True), ("i", False), ("n + i * 0", False),
     ("p[0]", False), ("n < 3 ? 1 : 2", True)],
)  # fmt: skip
def test_what_stays_the_same_in_a_loop(index: str, stays: bool) -> None:
    facts = body_facts(f"for (int i = 0; i < n; ++i) p[{index}] = 1;")
    (loop,) = facts.flow.loops
    (store,) = (each for each in facts.accesses if each.kind is AccessKind.STORE)
    assert is_invariant(store.address, loop) is stays


def test_a_test_is_read_from_both_sides() -> None:
    facts = body_facts("for (int i = 0; i < n; ++i) p[i] = 1;")
    (loop,) = facts.flow.loops
    left, right = loop_tests(loop)
    assert left.tested in loop.header.phis
    assert left.opcode is Opcode.LT
    assert (right.opcode, right.bound) == (Opcode.GT, left.tested)


@given(
    st.sampled_from(list(_HOLDS)), st.integers(-20, 20), st.integers(-5, 5), st.integers(-20, 20)
)
def test_trip_counts(opcode: Opcode, start: int, step: int, bound: int) -> None:
    count, value = 0, start
    while count < 100 and _HOLDS[opcode](value, bound):
        count, value = count + 1, value + step
    upwards = opcode in (Opcode.LT, Opcode.LE)
    assert trip_count(opcode, start, step, bound) == (
        count if step * (1 if upwards else -1) > 0 else 0
    )
    assert trip_count(MIRRORED[opcode], -start, -step, -bound) == trip_count(
        opcode, start, step, bound
    )
