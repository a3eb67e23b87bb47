"""Lanes that keep known distances although nobody knows where data leads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.warp_evaluation.lane_groups import GroupEvaluator, LaneGroups

if TYPE_CHECKING:
    from collections.abc import Callable


def groups(value: str, head: str = "") -> LaneGroups:
    body = f"int i = threadIdx.x; {head} p[0] = {value};"
    facts = body_facts(body, (32, 1, 1), "long long *p, const int *a, int n")
    store = facts.accesses[-1]
    assert store.block is not None
    evaluator = GroupEvaluator(facts.launches[0], 0)
    return evaluator.value_in(store.block, store.operands[1])


#: For a value: what lanes of one group have in common, and how far they are from each other.
CASES: list[tuple[str, Callable[[int], object], Callable[[int], int]]] = [
    ("i", lambda _: 0, lambda i: i),
    ("a[n] + i", lambda _: 0, lambda i: i),
    ("a[i / 8] * 64 + i % 8", lambda i: i // 8, lambda i: i % 8),
    ("a[i / 8] - i", lambda i: i // 8, lambda i: -i),
    ("(a[i / 4] + i % 4) * 3", lambda i: i // 4, lambda i: i % 4 * 3),
    ("a[i / 8] ^ 5", lambda i: i // 8, lambda _: 0),  # the same function of the same
    ("a[i]", lambda i: i, lambda _: 0),
    ("a[i / 8] * (i % 2 + 1)", lambda i: (i // 8, i % 2), lambda _: 0),
    ("a[i / 16] + a[i / 8]", lambda i: i // 8, lambda _: 0),
]


@pytest.mark.parametrize(("value", "key", "number"), CASES)
def test_distances_within_groups(
    value: str, key: Callable[[int], object], number: Callable[[int], int]
) -> None:
    found = groups(value)
    for one in range(32):
        for other in range(32):
            assert (found.keys[one] == found.keys[other]) is (key(one) == key(other))
            if key(one) == key(other):
                apart = found.numbers[one] - found.numbers[other]
                assert apart == number(one) - number(other)


@pytest.mark.parametrize(
    ("value", "data", "unread"),
    [
        ("i * 3", False, False),
        ("a[i]", True, False),
        ("__shfl_xor_sync(~0u, a[i], 1)", True, False),
        ("unread(i)", False, True),
        ("a[i] + unread(i)", True, True),
    ],
)
def test_what_has_a_part_in_it(value: str, *, data: bool, unread: bool) -> None:
    found = groups(value)
    assert (found.data, found.unread) == (data, unread)


def test_a_choice_by_data_may_be_anything() -> None:
    found = groups("x", "int x = 0; if (a[i] > 3) x = a[n];")
    assert found.data
    assert len(set(found.lanes)) > 1
