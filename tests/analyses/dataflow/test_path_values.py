"""What values are on one path, and which decisions that leaves open."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.dataflow.control_flow import ControlEdge
from warplint.analyzer.analyses.dataflow.path_values import PathValues
from warplint.analyzer.ir.operations import Branch, Phi

BEFORE = "bool last = n > 3; bool found = false; if (p[0] > 1) { q[0] = 1; found = p[1] > 0; }"


def edges(text: str) -> tuple[PathValues, ControlEdge]:
    """The path that leaves out the first `if` of a body, and the way into its last one."""
    facts = body_facts(f"{BEFORE} {text}", parameters="int *p, int *q, int n")
    branches = [block for block in facts.flow.blocks if isinstance(block.terminator, Branch)]
    first, last = branches[0], branches[-1]
    assert isinstance(first.terminator, Branch)
    assert isinstance(last.terminator, Branch)
    left = ControlEdge(first, first.terminator.otherwise)
    arrivals = {phi.block: first for phi in facts.every(Phi)}
    return PathValues([left], arrivals), ControlEdge(last, last.terminator.then)


@pytest.mark.parametrize(
    "condition",
    [
        "found",
        "found & last",
        "(last & found) != 0",
        "found * n",
        "int(found) == 1",
        "found + 2 < 2",
    ],
)
def test_a_path_excludes_what_contradicts_its_decisions(condition: str) -> None:
    path, into = edges(f"q[1] = 2; if ({condition}) q[2] = 3;")
    assert path.excludes(into)


@pytest.mark.parametrize("condition", ["!found", "found | last", "last", "p[2] > 1", "found < n"])
def test_what_does_not_follow_stays_open(condition: str) -> None:
    path, into = edges(f"q[1] = 2; if ({condition}) q[2] = 3;")
    assert not path.excludes(into)
