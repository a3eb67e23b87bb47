"""Threads that do not take an edge to a barrier, and may come to it all the same."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.barriers.barrier_divergence import (
    exit_candidates,
    split_candidates,
)
from warplint.analyzer.ir.operations import Barrier


@pytest.mark.parametrize(
    ("body", "otherwise"),
    [
        ("if (threadIdx.x < n) { __syncthreads(); p[0] = 1; }", False),
        (
            "if (threadIdx.x < n) goto there; if (threadIdx.x > 40) return;"
            "there: __syncthreads(); p[0] = 1;",
            True,
        ),
    ],
)
def test_coming_by_another_path(body: str, *, otherwise: bool) -> None:
    facts = body_facts(body)
    (barrier,) = facts.every(Barrier)
    candidates = list(split_candidates(facts.launches[0], barrier))
    assert candidates
    assert any(each.comes_otherwise for each in candidates) is otherwise
    assert all(each.facts is facts for each in candidates)


def test_a_decision_by_which_a_part_leaves() -> None:
    facts = body_facts("if (threadIdx.x < n) return; __syncthreads(); p[0] = 1;")
    (barrier,) = facts.every(Barrier)
    (candidate,) = exit_candidates(facts.launches[0], barrier)
    assert candidate.facts is facts
    assert candidate.barrier is barrier
