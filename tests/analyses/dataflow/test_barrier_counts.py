"""How often either side of a decision waits, against programs whose barriers are counted."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, branching
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.dataflow.alternative_paths import meets_all
from warplint.analyzer.analyses.dataflow.barrier_counts import BarrierCounts, OtherBarriers
from warplint.analyzer.analyses.dataflow.control_flow import ControlEdge
from warplint.analyzer.ir.operations import Branch, Operation

SYNC = "__syncthreads();"
#: A barrier, something else, or a loop of a constant number of iterations.
Program = list["str | tuple[int, Program]"]
programs: st.SearchStrategy[Program] = st.recursive(
    st.lists(st.sampled_from(["sync", "store"]), max_size=3),
    lambda inner: st.lists(
        st.sampled_from(["sync", "store"]) | st.tuples(st.integers(1, 4), inner), max_size=3
    ),
    max_leaves=3,
)


def text_of(program: Program, depth: int = 0) -> str:
    text = ""
    for step in program:
        if isinstance(step, tuple):
            name = f"i{depth}"
            inner = text_of(step[1], depth + 1)
            text += f"for (int {name} = 0; {name} < {step[0]}; {name}++) {{ {inner} }} "
        else:
            text += SYNC if step == "sync" else "p[threadIdx.x] += n;"
    return text


def barriers(program: Program) -> int:
    return sum(
        step[0] * barriers(step[1]) if isinstance(step, tuple) else step == "sync"
        for step in program
    )


def other(then: str, otherwise: str, after: str = "") -> OtherBarriers | None:
    """Where those wait that do not take the first way of the outer decision."""
    body = f"if (threadIdx.x < n) {{ {then} }} else {{ {otherwise} }} {after} p[1] = 2;"
    facts = body_facts(body)

    def counted(operation: Operation) -> bool:
        return meets_all(operation)

    counts = BarrierCounts(facts.flow, counted, lambda _: True)
    branch = branching(facts.kernel)[0]
    last = branch.terminator
    assert isinstance(last, Branch)
    return counts.elsewhere(ControlEdge(branch, last.then))


@settings(max_examples=50)
@given(programs, programs)
def test_both_sides_are_counted(first: Program, second: Program) -> None:
    here, there = barriers(first), barriers(second)
    found = other(text_of(first), text_of(second))
    if there == 0:
        assert found is None or not found.barriers or here == 0
    else:
        assert found is not None
        assert found.as_often is (here == there)
        assert found.barriers


@pytest.mark.parametrize(
    ("then", "otherwise", "as_often"),
    [
        (f"for (int i = 0; i < n; i++) {SYNC}", f"for (int i = 0; i < n; i++) {SYNC}", True),
        (f"for (int i = 0; i < n; i++) {SYNC}", f"for (int i = 1; i < n; i++) {SYNC}", None),
        (SYNC, f"if (p[0]) {SYNC} else {SYNC}", True),
        (SYNC, f"if (p[0]) {{ {SYNC} {SYNC} }} else {SYNC}", None),  # it depends
        (f"{SYNC} {SYNC}", SYNC, False),
    ],
)
def test_counts_that_nobody_states(then: str, otherwise: str, *, as_often: bool | None) -> None:
    found = other(then, otherwise)
    assert found is not None
    assert found.as_often is as_often


def test_a_barrier_behind_the_join_and_threads_that_miss_all() -> None:
    found = other(SYNC, SYNC, SYNC)
    assert found is not None
    assert not found.leave
    alone = other(SYNC, SYNC)
    assert alone is not None
    assert alone.leave
    assert other(SYNC, f"if (p[0]) {SYNC}") is None


def test_a_barrier_at_the_join_is_that_of_both_sides() -> None:
    assert other(SYNC, "", SYNC) is None
    assert other(SYNC, f"if (p[0]) {SYNC}", SYNC) is None
    found = other(SYNC, SYNC, SYNC)
    assert found is not None
    assert (len(found.barriers), found.as_often) == (1, True)
