"""Where the array starts that an address leads into, and which elements follow one another."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_execution.access_events import Conflict, ThreadAccess
from warplint.analyzer.analyses.block_execution.array_starts import (
    are_laid_apart,
    are_neighbours,
    array_start,
    begin_alike,
)
from warplint.analyzer.analyses.block_execution.run_context import AccessEvent
from warplint.analyzer.ir.memory import Space


@pytest.mark.parametrize(
    ("place", "start"),
    [("s[n]", 0), ("(s + 16)[n]", 64), ("(s + 16 + n)[threadIdx.x]", 64), ("s[5]", 20)],
)
def test_an_array_starts_at_a_constant_distance(place: str, start: int) -> None:
    facts = body_facts(f"extern __shared__ int s[]; {place} = 1;")
    (store,) = facts.accesses
    assert array_start(store.address, facts.points_to) == start


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("n", "n + 1", True),
        ("n", "n - 1", True),
        ("2 * n + 3", "2 * n + 1", True),
        ("n", "n + 2", False),
        ("n", "threadIdx.x", False),
    ],
)
def test_elements_that_follow_one_another(one: str, other: str, expected: bool) -> None:
    facts = body_facts(f"p[{one}] = 1; p[{other}] = 2;")
    first, second = facts.accesses
    assert are_neighbours(first.address, second.address) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("(s + n / 8)[threadIdx.x]", "(s + n / 8)[p[threadIdx.x]]", True),
        ("(s + n / 8)[threadIdx.x]", "s[p[threadIdx.x]]", False),
        ("(s + blockDim.x)[threadIdx.x]", "s[p[threadIdx.x]]", False),
        ("(s + p[n])[threadIdx.x]", "s[p[threadIdx.x]]", False),
        ("(s + threadIdx.y)[threadIdx.x]", "s[p[threadIdx.x]]", True),
    ],
)
def test_arrays_begin_where_no_thread_has_a_part(one: str, other: str, expected: bool) -> None:
    facts = body_facts(f"extern __shared__ int s[]; {one} = 1; {other} = 2;")
    stores = [each.address for each in facts.accesses if each.writes]
    assert begin_alike(*stores, facts.launches[0]) is expected


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        ("if (blockIdx.x == 3) size = n / 2;", False),  # one size for the block
        ("if (threadIdx.x == 3) size = n / 2;", True),  # no array of the block begins there
        ("for (int i = 0; i < n; i++) size += p[i];", True),  # nor where a loop has got to
    ],
)
def test_a_branch_of_the_block_may_decide_where_an_array_begins(
    decision: str, expected: bool
) -> None:
    facts = body_facts(
        f"extern __shared__ int s[]; int size = n; {decision}"
        "(s + size)[threadIdx.x] = 1; s[p[threadIdx.x]] = 2;",
    )
    stores = [each.address for each in facts.accesses if each.writes]
    assert begin_alike(*stores, facts.launches[0]) is expected


@pytest.mark.parametrize(
    ("sizes", "iterations", "apart"),
    [
        ("n", (0, 0), True),
        ("n", (0, 1), False),
        ("n", (1, 2), False),
        ("n", (3, 3), True),
        ("0", (0, 0), False),
    ],
)
def test_buffers_that_a_loop_swaps_lie_apart_by_the_iteration(
    sizes: str, iterations: tuple[int, int], *, apart: bool
) -> None:
    facts = body_facts(
        f"extern __shared__ int s[]; int *from = s, *to = s + {sizes};"
        "for (int i = 0; i < n; ++i) {"
        "to[threadIdx.x] = from[p[i]]; int *kept = from; from = to; to = kept; }"
    )
    (item,) = facts.kernel.objects_in(Space.SHARED)
    load, store = (each for each in facts.accesses if facts.points_to.spaces(each) == {item.space})
    first, second = (
        ThreadAccess(AccessEvent(each, 1, 0, 0, None, (at,), 4), 0, must=True)
        for each, at in zip((store, load), iterations, strict=True)
    )
    conflict = Conflict(first, second, item, 0)
    assert are_laid_apart(conflict, facts.launches[0]) is apart
