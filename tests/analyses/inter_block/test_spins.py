"""Loops in which a thread waits for memory, and loops that do more."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.inter_block.spins import Spin, spins
from warplint.analyzer.ir.memory import Space

PARAMETERS = "int *p, volatile int *v, int n"
OPERATORS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
}


def found(body: str) -> list[Spin]:
    return list(spins(body_facts(body, parameters=PARAMETERS)))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("while (v[0] == 0) {}", 1),
        ("while (atomicAdd(p, 0) != n) {}", 1),
        ("while (atomicCAS(p, 0, 1) != 0) {}", 1),
        ("while (v[0] == 0) __nanosleep(20);", 1),
        ("while (v[0] == 0) __threadfence();", 1),
        ("while (v[0] == 0) p[1] = n;", 0),  # stores
        ("while (v[0] == 0) n = f(n);", 0),  # a call
        ("while (v[0] == 0) __syncthreads();", 0),
        ("int i = 0; while (v[i] == 0) i++; p[3] = i;", 0),  # walks
        ("for (int i = 0; v[0] == 0 && i < n; i++) {}", 0),  # gives up
        ("while (v[0] == 0 || p[1] == 0) {}", 0),  # of two objects
        ("while (v[p[n]] == 0) {}", 1),  # input says where
        ("p[3] = n; while (v[p[n]] == 0) {}", 0),  # and others may change what it says
        ("__shared__ int s; s = n; while (v[s] == 0) {}", 1),  # its own block says where
        ("__shared__ volatile int s; s = n; while (v[s] == 0) {}", 0),  # and changes it meanwhile
        ("__shared__ int s; s = n; while (v[0] == s) {}", 0),  # says what for, not where
        ("__shared__ volatile int s; while (s == 0) {}", 0),
        ("for (int i = 0; i < n; i++) {}", 0),
    ],
)
def test_which_loops_wait(body: str, count: int) -> None:
    assert len(found(body)) == count


def test_other_spaces_when_asked_for() -> None:
    facts = body_facts("__shared__ volatile int s; while (s == 0) {}")
    (spin,) = spins(facts, frozenset({Space.SHARED}))
    assert spin.item.name == "s"


@pytest.mark.parametrize(
    ("test", "swaps", "plain"),
    [
        ("v[0] == 0", False, False),
        ("p[0] == 0", False, True),
        ("atomicAdd(p, 0) == 0", False, False),
        ("atomicCAS(p, 0, 1) != 0", True, False),
        ("atomicExch(p, 1) != 0", True, False),
        ("atomicCAS(p, 0, 0) != 0", False, False),  # just a look
    ],
)
def test_locks_and_ordinary_loads(test: str, *, swaps: bool, plain: bool) -> None:
    (spin,) = found(f"while ({test}) {{}}")
    assert spin.swaps is swaps
    assert spin.is_plain is plain


def test_a_fence_keeps_a_load_in_the_loop() -> None:
    (spin,) = found("while (p[0] == 0) __threadfence();")
    assert not spin.is_plain


@settings(max_examples=30)
@given(st.sampled_from(sorted(OPERATORS)), st.integers(-5, 5), st.integers(-5, 5), st.booleans())
def test_who_waits_on(operator: str, number: int, held: int, swapped: bool) -> None:
    test = f"{number} {operator} v[0]" if swapped else f"v[0] {operator} {number}"
    (spin,) = found(f"while ({test}) {{}}")
    pair = (number, held) if swapped else (held, number)
    assert spin.goes_on_at(held) is OPERATORS[operator](*pair)


def test_what_is_compared_with_something_unknown() -> None:
    (spin,) = found("while (v[0] != n) {}")
    assert spin.goes_on_at(3) is None
