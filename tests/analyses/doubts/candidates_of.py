"""Candidates of doubts, for tests: the conflicts of a kernel in a block, each to be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.assumed_numbers import SizeScenario
from warplint.analyzer.analyses.conflicts.block_runs import BlockRuns
from warplint.analyzer.analyses.doubts.question.candidates import BlockCandidate, GridCandidate

if TYPE_CHECKING:
    from warplint.analyzer.analyses.conflicts.block_conflicts import BlockConflicts
    from warplint.analyzer.analyses.facts import KernelFacts

HEAD = """__global__ void k(const int *in, int *out, int n) {
    __shared__ int s[256]; __shared__ int flag; int t = threadIdx.x;
"""


def kernel(body: str, threads: int = 256) -> KernelFacts:
    """The facts of a kernel with this body, after an array `s`, a variable `flag` and `t`."""
    return facts_of(f"{HEAD}{body} }}", (threads, 1, 1))


def conflicts_in(body: str, threads: int = 256) -> BlockConflicts:
    """What one run of the block of such a kernel has seen."""
    return BlockRuns(kernel(body, threads).launches[0]).again(SizeScenario.EQUAL).seen


def block_candidates(facts: KernelFacts) -> list[BlockCandidate]:
    """The conflicts of two threads of a block."""
    (races,) = facts.block_races
    return [each for each in races.candidates if isinstance(each, BlockCandidate)]


def grid_candidates(facts: KernelFacts) -> list[GridCandidate]:
    """The conflicts of two threads of different blocks."""
    (races,) = facts.block_races
    return [each for each in races.candidates if isinstance(each, GridCandidate)]
