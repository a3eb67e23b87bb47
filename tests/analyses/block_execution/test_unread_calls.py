"""Calls that are not looked into, and whether the whole block may meet in one."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.block_execution.run_context import AccessEvent, Unordered
from warplint.analyzer.analyses.block_execution.unread_calls import UnreadCalls
from warplint.analyzer.ir.operations import Call, Operation


class Told(Unordered):
    """Writes down what it is told of calls."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def access(self, event: AccessEvent) -> None:
        self.told.append("access")

    def unread_call(self, call: Operation) -> None:
        self.told.append("block")

    def warp_barrier(self, threads: int, operation: Operation) -> None:
        self.told.append(f"warp {threads}")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("other(n);", "block"),
        ("if (threadIdx.x < n) other(n);", "block"),  # may let all through
        ("if (p[0] > 3) other(n);", "block"),  # a flag that the block shares
        ("if (p[threadIdx.x] > 3) other(n);", "warp 5"),  # what each has loaded for itself
        ("int x = p[threadIdx.x]; if (n > 3) if (x > n) other(n);", "warp 5"),
    ],
)
def test_the_meeting_that_a_call_may_be(body: str, told: str) -> None:
    facts = body_facts(body)
    (call,) = facts.every(Call)
    calls, observer = UnreadCalls(facts.launches[0]), Told()
    calls.meet(observer, call, 5)
    calls.meet(observer, call, 5)
    assert observer.told == [told] * 2
