"""What every doubt may ask of two threads in conflict."""

from __future__ import annotations

from analyses.doubts.candidates_of import block_candidates, grid_candidates, kernel

from warplint.analyzer.analyses.warp_evaluation.uniformity import Uniformity
from warplint.analyzer.ir.values import Special


def test_two_threads_of_a_block() -> None:
    facts = kernel("s[t] = in[t]; out[t] = s[t ^ 64];")
    candidate = block_candidates(facts)[0]
    assert candidate.accesses == (candidate.first.access, candidate.second.access)
    assert candidate.accesses[0].writes
    assert candidate.facts is facts
    assert candidate.launch is facts.launches[0].launch
    assert candidate.judged_for.launch is candidate.launch
    assert candidate.level is Uniformity.BLOCK
    assert not candidate.leaves_arrays
    first, second = (candidate.index_of(each) for each in (candidate.first, candidate.second))
    assert first[Special.THREAD_X] ^ 64 == second[Special.THREAD_X]
    assert Special.BLOCK_X not in first


def test_two_threads_of_different_blocks() -> None:
    facts = kernel("out[t] = blockIdx.x;")
    candidate = grid_candidates(facts)[0]
    assert candidate.level is Uniformity.GRID
    first, second = (candidate.index_of(each) for each in (candidate.first, candidate.second))
    assert first[Special.THREAD_X] == second[Special.THREAD_X]
    assert first[Special.BLOCK_X] != second[Special.BLOCK_X]
    assert not candidate.leaves_arrays


def test_threads_that_leave_an_array_in_a_run_of_assumed_sizes() -> None:
    inside = kernel("s[t] = 1; s[t ^ 1] = n;")
    beyond = kernel("s[t] = 1; s[t ^ 1] = 2; s[t * n] = 3;")
    assert not any(each.leaves_arrays for each in block_candidates(inside))
    assert any(each.leaves_arrays for each in block_candidates(beyond))
