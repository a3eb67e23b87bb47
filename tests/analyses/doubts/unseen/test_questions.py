"""The operations between which a header that was not found may change something."""

from __future__ import annotations

from analyses.doubts.candidates_of import block_candidates, kernel
from analyses.kernels import body_facts

from warplint.analyzer.analyses.barriers.barrier_divergence import split_candidates
from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind
from warplint.analyzer.analyses.doubts.unseen.questions import operations_of
from warplint.analyzer.ir.operations import Barrier


def test_two_accesses() -> None:
    candidate = block_candidates(kernel("s[t] = 1; out[t] = s[t ^ 64];"))[0]
    assert operations_of(candidate) == list(candidate.accesses)


def test_all_of_the_loop_between_whose_iterations_they_differ() -> None:
    body = "for (int i = 0; i < 9; i++) { s[t] = i; __syncthreads(); out[t] = s[t ^ 64]; }"
    facts = kernel(body)
    candidates = block_candidates(facts)
    candidate = next(each for each in candidates if each.kind is RaceKind.BARRIER_IN_LOOP)
    found = operations_of(candidate)
    (loop,) = facts.flow.loops
    inside = {each for block in loop.blocks for each in block.operations}
    assert found[:2] == list(candidate.accesses)
    assert set(found[2:]) == inside


def test_a_decision_and_a_barrier() -> None:
    facts = body_facts("if (threadIdx.x < n) { __syncthreads(); p[0] = 1; }")
    (barrier,) = facts.every(Barrier)
    (candidate,) = split_candidates(facts.launches[0], barrier)
    assert operations_of(candidate) == [candidate.edge.branch.terminator, barrier]
