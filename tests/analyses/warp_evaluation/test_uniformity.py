"""Uniformity: every marked branch and stored value of `data/uniformity` has its level, exactly.

A mark that says less than is true would hide a missed divergence as well as lost precision, so the
level must be equal, not bounded. `test_random_kernels.py` checks the claims by running kernels.
"""

from __future__ import annotations

import pytest
from analyses.comparison import Comparison
from analyses.kernels import body_facts, branching, facts_of
from analyses.marks import Mark, marks
from analyses.thread_interpreter import Run

from warplint.analyzer.analyses.warp_evaluation.uniformity import Uniformity
from warplint.analyzer.ir.operations import Branch, MemoryAccess, Switch

LEVELS = marks("uniformity/*.cu", "(grid-uniform|block-uniform|warp-uniform|varying)")


@pytest.mark.parametrize("mark", LEVELS, ids=str)
def test_marked_lines(mark: Mark) -> None:
    facts = mark.facts
    analysis = facts.launches[0].uniformity
    levels: set[Uniformity] = set()
    for operation in facts.kernel.operations():
        if operation.location.span.line != mark.line:
            continue
        assert operation.block is not None
        if isinstance(operation, Branch | Switch):
            levels.add(analysis.of_branch(operation.block))
        elif isinstance(operation, MemoryAccess) and operation.kind.value == "store":
            stored = operation.operands[1]
            levels.add(max(analysis.of(stored), analysis.left_apart(stored, operation.block)))
    assert [str(level).removeprefix("lane-") for level in levels] == list(mark.groups)


@pytest.mark.parametrize("number", [1, 5, 12])
def test_the_claims_hold_when_run(number: int) -> None:
    """Every kernel of LLVM's cases, and the shuffles, with all arguments equal to a number."""
    kernels = [mark for mark in LEVELS if mark.file.endswith("llvm.cu")]
    kernels += [mark for mark in LEVELS if mark.kernel in ("shuffles", "rows", "half_rows")]
    claimed = 0
    for mark in {(mark.file, mark.kernel): mark for mark in kernels}.values():
        facts = mark.facts
        arguments = {parameter.name: number for parameter in facts.kernel.parameters}
        run = Run(mark.block, (2, 1, 1), (1, 0, 0), arguments)
        claimed += Comparison(facts.kernel, facts.module, run).uniform_values()
    assert claimed > 100


def test_levels_read_as_words() -> None:
    assert [str(level) for level in Uniformity] == [
        "grid-uniform",
        "block-uniform",
        "warp-uniform",
        "lane-varying",
    ]


def test_the_block_shape_decides() -> None:
    """The same kernel, `threadIdx.y`, for blocks of one row, of whole warps and of half ones."""
    levels = {}
    for block in ((128, 1, 1), (32, 4, 1), (16, 8, 1)):
        facts = body_facts("if (threadIdx.y > 0) p[0] = 1;", block)
        branch = branching(facts.kernel)[0]
        levels[block] = facts.launches[0].uniformity.of_branch(branch)
    assert levels == {
        (128, 1, 1): Uniformity.GRID,
        (32, 4, 1): Uniformity.WARP,
        (16, 8, 1): Uniformity.VARYING,
    }


def test_a_single_thread_agrees_with_itself() -> None:
    text = "__global__ void k(int *p) { if (--*p == 0) p[1] = 1; }\n"
    host = "void run(int *p) { k<<<%s, 1>>>(p); }"
    for blocks, level in (("1", Uniformity.GRID), ("2", Uniformity.BLOCK)):
        launch = facts_of(text + host % blocks).launches[0]
        (branch,) = [b for b in launch.facts.kernel.blocks if len(b.successors) > 1]
        assert launch.uniformity.of_branch(branch) is level
