"""Uniformity: every marked branch and stored value of `data/uniformity` has its level, exactly.

A mark that says less than is true would hide a missed divergence as well as lost precision, so the
level must be equal, not bounded. `test_random_kernels.py` checks the claims by running kernels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import DATA, body_facts, cuda_module

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.analyses.uniformity import Uniformity
from warplint.analyzer.ir.operations import Branch, MemoryAccess, Switch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.ir.kernel import Module

_MARK = re.compile(r"// (grid-uniform|block-uniform|warp-uniform|varying)$")
_KERNEL = re.compile(r"__global__ void (\w+)\(")
_BLOCK = re.compile(r"// block (\d+)(?:x(\d+))?(?:x(\d+))?$")


@dataclass(frozen=True)
class Mark:
    """A line of a kernel and the level that its branch or its stored value has."""

    file: str
    kernel: str
    line: int
    level: str
    block: tuple[int, int, int]

    def __str__(self) -> str:
        return f"{self.file}-{self.kernel}-{self.line}"


def _marks() -> Iterator[Mark]:
    for path in sorted((DATA / "uniformity").glob("*.cu")):
        kernel, block, following = "", (64, 1, 1), (64, 1, 1)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if shape := _BLOCK.match(line):
                x, y, z = (int(part or 1) for part in shape.groups())
                following = (x, y, z)
            if start := _KERNEL.match(line):
                kernel, block, following = start.group(1), following, (64, 1, 1)
            if mark := _MARK.search(line):
                yield Mark(path.name, kernel, number, mark.group(1), block)


@cache
def _module(name: str) -> Module:
    return cuda_module((DATA / "uniformity" / name).read_text(), name)


def _facts(mark: Mark) -> KernelFacts:
    module = _module(mark.file)
    kernel = next(kernel for kernel in module.kernels if kernel.name == mark.kernel)
    return KernelFacts(kernel, module, AnalysisOptions(90, mark.block))


@pytest.mark.parametrize("mark", list(_marks()), ids=str)
def test_marked_lines(mark: Mark) -> None:
    facts = _facts(mark)
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
    assert [str(level).removeprefix("lane-") for level in levels] == [mark.level]


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
        branch = next(b for b in facts.kernel.blocks if isinstance(b.terminator, Branch))
        levels[block] = facts.launches[0].uniformity.of_branch(branch)
    assert levels == {
        (128, 1, 1): Uniformity.GRID,
        (32, 4, 1): Uniformity.WARP,
        (16, 8, 1): Uniformity.VARYING,
    }
