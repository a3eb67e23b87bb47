"""Where the threads wait that a decision keeps from a barrier, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts, on_line

from warplint.analyzer.ir.operations import Barrier

if TYPE_CHECKING:
    from warplint.analyzer.analyses.dataflow.barrier_counts import OtherBarriers

SYNC = "__syncthreads();"
HERE = "\n__syncthreads(); // here\n"


def elsewhere(body: str) -> OtherBarriers | None:
    """Where those wait that do not come to the barrier on the line marked `here`."""
    facts = body_facts(f"int t = threadIdx.x; {body}", parameters="int *p, int n, int m")
    here = on_line(facts.kernel, "// here")
    (barrier,) = (each for each in here if isinstance(each, Barrier))
    assert barrier.block is not None
    (edge,) = facts.flow.controlling_edges(barrier.block)
    return facts.launches[0].barrier_counts.elsewhere(edge)


def as_often(body: str) -> bool | None:
    found = elsewhere(body)
    assert found is not None
    return found.as_often


@pytest.mark.parametrize(
    "there",
    [
        "",
        "p[t] = 1;",
        "__syncwarp();",  # of the warp, not of the block
        f"if (p[t]) {SYNC}",
        f"for (int i = 0; i < n; i++) if (p[i + t]) {SYNC}",
    ],
)
def test_some_may_wait_nowhere(there: str) -> None:
    assert elsewhere(f"if (t < n) {{ {HERE} }} else {{ {there} }} p[0] = 3;") is None


def loop(bound: str, body: str = SYNC) -> str:
    return f"for (int i = 0; i < {bound}; i++) {{ p[i] = 1; {body} }}"


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        (HERE, SYNC, True),
        (f"{HERE} {SYNC}", f"{SYNC} p[0] = 2; {SYNC}", True),
        (f"{HERE} {SYNC}", SYNC, False),
        (HERE, f"{SYNC} {SYNC}", False),
        # On every path of further decisions, or not on all.
        (HERE, f"if (p[t]) {SYNC} else {{ p[t] = 1; {SYNC} }}", True),
        (HERE, f"if (p[t]) {SYNC} else {{ {SYNC} {SYNC} }}", None),
        (f"{HERE} {SYNC} {SYNC}", f"if (p[t]) {SYNC} else {{ {SYNC} {SYNC} }}", False),
        # Numbers of iterations that are known.
        (f"{HERE} {SYNC} {SYNC}", loop("3"), True),
        (f"{HERE} {SYNC}", loop("3"), False),
        (f"{HERE} {SYNC} {SYNC}", loop("3", "p[0] = 2;") + SYNC, False),
        (f"{HERE} {loop('3')}", loop("4"), True),
        (f"{HERE} {loop('4')}", loop("2", SYNC + SYNC), False),
        (f"{HERE} {loop('3', loop('2'))}", f"{SYNC} {loop('6')}", True),
        # And those that are not.
        (f"{HERE} {loop('n')}", f"{loop('n')} {SYNC}", True),
        (f"{HERE} {loop('n')}", f"{loop('m')} {SYNC}", None),
        (f"{HERE} {loop('n')}", f"{loop('n')} {SYNC} {SYNC}", None),
        (f"{HERE} {loop('n')}", f"{loop('n', SYNC + SYNC)} {SYNC}", None),
        (f"{HERE} {loop('n')}", SYNC, False),  # for some n at least
        (f"{HERE} {loop('n')}", f"if (p[t]) {SYNC} else {{ {SYNC} {SYNC} }}", False),
        (f"{HERE} {loop('p[t]')}", f"{loop('p[t]')} {SYNC}", None),  # each thread its own
        (HERE + loop("n", SYNC + "if (p[i] > 3) break;"), SYNC + loop("n"), None),
    ],
)
def test_numbers_on_either_side(here: str, there: str, expected: bool | None) -> None:
    assert as_often(f"if (t < m) {{ {here} }} else {{ {there} }} {SYNC}") is expected


def test_the_first_barriers_that_the_others_come_to() -> None:
    body = f"""if (t < n) {{ {HERE} }} else {{ if (p[t]) {{
        {SYNC} // first
        {SYNC} }} else {{
        {SYNC} // second
    }} }}"""
    found = elsewhere(body)
    assert found is not None
    lines = [each.location.span.line for each in found.barriers]
    start = body.count("\n", 0, body.index("// first")) + 2
    assert sorted(lines) == [start, start + 2]


def test_a_barrier_where_the_paths_meet_is_one_that_the_others_come_to() -> None:
    found = elsewhere(f"if (t < n) {{ {HERE} }} {SYNC}")
    assert found is not None
    assert len(found.barriers) == 1
    assert found.as_often is False


@pytest.mark.parametrize(
    ("after", "leave"),
    [(SYNC, False), (f"if (n > 3) {SYNC}", False), ("p[t] = 1;", True), ("", True)],
)
def test_whether_a_barrier_comes_where_the_paths_have_met(after: str, *, leave: bool) -> None:
    found = elsewhere(f"if (t < n) {{ {HERE} }} else {{ {SYNC} }} {after}")
    assert found is not None
    assert found.leave is leave


def test_paths_that_meet_at_the_end_alone() -> None:
    found = elsewhere(f"if (t < n) {{ {HERE} return; }} {SYNC} p[t] = 1;")
    assert found is not None
    assert found.as_often
    assert found.leave
