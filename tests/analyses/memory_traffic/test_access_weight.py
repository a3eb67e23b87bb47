"""How much an access weighs: in loops, beside them, and how far an iteration moves it."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, on_line

from warplint.analyzer.analyses.memory_traffic.access_weight import (
    is_done_once,
    loop_depth,
    step_along,
)
from warplint.analyzer.analyses.warp_evaluation.lane_values import LaneValue
from warplint.analyzer.ir.operations import MemoryAccess

BODY = """p[t] = n; // before
for (int i = 0; i < n; i++) {
    p[i + t] = 1; // inside
    for (int j = 0; j < n; j++) {
        p[i * n + j] = 2; // deep
    }
}
s[t] = 3; // shared
"""


def test_loops_around_an_access() -> None:
    facts = body_facts(f"__shared__ int s[64]; int t = threadIdx.x; {BODY}")
    depths = {"// before": 0, "// inside": 1, "// deep": 2, "// shared": 0}
    for mark, depth in depths.items():
        (access,) = (e for e in on_line(facts.kernel, mark) if isinstance(e, MemoryAccess))
        assert loop_depth(facts, access) == depth
        assert is_done_once(facts, access) is (depth == 0)


@pytest.mark.parametrize(
    ("looped", "once", "expected"),
    [
        ("p[i] = 1;", "p[t] = 2;", True),
        ("s[i & 63] = 1;", "p[t] = 2;", False),  # the loop accesses memory faster
        ("s[i & 63] = 1;", "s[t] = 2;", True),
        ("p[i] = 1;", "s[t] = 2;", True),
        ("n += i;", "p[t] = 2;", False),  # no access in a loop
    ],
)
def test_what_is_done_once(looped: str, once: str, *, expected: bool) -> None:
    body = f"""__shared__ int s[64]; int t = threadIdx.x;
    for (int i = 0; i < n; i++) {{ {looped} }}
    {once} // once
    """
    facts = body_facts(body)
    (access,) = (e for e in on_line(facts.kernel, "// once") if isinstance(e, MemoryAccess))
    assert is_done_once(facts, access) is expected


@pytest.mark.parametrize(
    ("index", "step"),
    [
        ("i + t", 4),
        ("t * 64 - i", 4),
        ("i * 16 + t", 64),
        ("t", None),
        ("i * n + t", None),  # by what nobody knows
        ("i * t", None),  # not all lanes alike
        ("i * 8 + j * 2", 8),  # the least of both loops
    ],
)
def test_steps_of_iterations(index: str, step: int | None) -> None:
    body = f"""int t = threadIdx.x;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) p[{index}] = 1;"""
    facts = body_facts(body)
    (access,) = facts.accesses
    assert access.block is not None
    value = facts.launches[0].evaluator(0).value_in(access.block, access.address)
    assert isinstance(value, LaneValue)
    assert step_along(facts, access, value) == step
