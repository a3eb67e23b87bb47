"""One thread at an access, and which pair of them makes the better example."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_execution.access_events import Conflict, ThreadAccess
from warplint.analyzer.analyses.block_execution.per_thread import PerThread
from warplint.analyzer.analyses.block_execution.run_context import AccessEvent

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions

FACTS = body_facts("p[threadIdx.x] = n; p[0] = 1;")
FIRST, SECOND = FACTS.accesses
CALL = next(FACTS.kernel.operations())
(ITEM,) = FACTS.points_to.of(FIRST.address)


def touch(thread: int, *, must: bool = True, block: Dimensions | None = None) -> ThreadAccess:
    addresses = PerThread(tuple(range(100, 164)))
    return ThreadAccess(AccessEvent(FIRST, 3, 0, addresses, 7, (), 4), thread, must, block)


def conflict(one: ThreadAccess, other: ThreadAccess, *, called: bool = False) -> Conflict:
    assert ITEM is not None
    return Conflict(one, other, ITEM, 0, (CALL,) if called else ())


def test_what_the_visit_tells_of_one_thread() -> None:
    found = touch(5)
    assert (found.access, found.address, found.stored, found.loaded_from) == (FIRST, 105, 7, None)


def test_lanes_of_one_warp() -> None:
    assert conflict(touch(0), touch(31)).same_warp
    assert not conflict(touch(31), touch(32)).same_warp
    assert not conflict(touch(0, block=(0, 0, 0)), touch(1, block=(1, 0, 0))).same_warp
    assert conflict(touch(0), touch(1)).accesses == (FIRST, FIRST)


def test_the_better_example() -> None:
    """No call between, then two warps, then one thread that is sure to come, then both."""
    ranked = sorted(
        product([False, True], [40, 1], [True, False], [True, False]),
        key=lambda c: conflict(touch(0, must=c[2]), touch(c[1], must=c[3]), called=c[0]).rank,
    )
    assert ranked[0] == (False, 40, True, True)
    assert ranked[-1] == (True, 1, False, False)
    assert [called for called, *_ in ranked] == [False] * 8 + [True] * 8
    assert [thread for _, thread, *_ in ranked[:8]] == [40] * 4 + [1] * 4
