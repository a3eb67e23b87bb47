"""The source between two operations, in the innermost function that both stand in."""

from __future__ import annotations

from analyses.kernels import facts_of

from warplint.analyzer.analyses.doubts.unseen.stretches import places, stretch

TEXT = """__device__ void put(int *p, int x) {
    p[x] = x; // first
    p[x + 1] = x; // second
}
__global__ void k(int *p, int n) {
    p[0] = n; // before
    put(p, n); // one
    put(p, 7); // other
    p[1] = n; // after
}"""
FACTS = facts_of(TEXT)
BEFORE, ONE, ONE_MORE, OTHER, OTHER_MORE, AFTER = (e for e in FACTS.accesses if e.writes)


def test_operations_of_the_kernel_itself() -> None:
    found = stretch(BEFORE, AFTER)
    assert found is not None
    assert (found.line, found.end_line) == (6, 9)


def test_operations_of_one_call_stay_in_the_function() -> None:
    found = stretch(ONE, ONE_MORE)
    assert found is not None
    assert (found.line, found.end_line) == (2, 3)


def test_operations_of_two_calls_are_as_far_apart_as_these() -> None:
    found = stretch(ONE_MORE, OTHER)
    assert found is not None
    assert (found.line, found.end_line) == (7, 8)
    whole = stretch(BEFORE, OTHER_MORE)
    assert whole is not None
    assert (whole.line, whole.end_line) == (6, 8)


def test_the_order_of_operations_does_not_matter() -> None:
    assert stretch(AFTER, BEFORE) == stretch(BEFORE, AFTER)


def test_places_are_those_of_the_calls_too() -> None:
    assert sorted(span.line for span in places([ONE])) == [2, 7]
    assert sorted(span.line for span in places([ONE, OTHER])) == [2, 7, 8]
    assert [span.line for span in places([BEFORE])] == [6]
