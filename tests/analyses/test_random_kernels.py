"""Random kernels: what the analyses claim of them holds when they are run.

Addresses and guards as in `test_addresses.py`; and uniformity: no value that is claimed to be the
same for a warp, a block or the grid differs between two of its threads, in the round in which they
compute it and where they store it.
"""

from __future__ import annotations

import pytest
from analyses.comparison import Comparison
from analyses.kernels import cuda_module
from analyses.random_kernels import random_kernel
from analyses.thread_interpreter import Run

from warplint.analyzer.analyses.uniformity import Uniformity
from warplint.analyzer.ir.operations import MemoryAccess

BLOCKS = ((64, 1, 1), (16, 4, 1), (40, 1, 1))
SEEDS = range(100)


def _comparison(seed: int, block_index: int = 1) -> Comparison:
    module = cuda_module(random_kernel(seed))
    block = BLOCKS[seed % len(BLOCKS)]
    run = Run(block, (3, 1, 1), (block_index, 0, 0), {"n": seed % 7})
    return Comparison(module.kernels[0], module, run)


@pytest.mark.parametrize("seed", SEEDS)
def test_addresses_and_guards(seed: int) -> None:
    counts = _comparison(seed).everything()
    assert counts["guard known"] + counts["guard assumed"] > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_uniform_does_not_differ(seed: int) -> None:
    comparison = _comparison(seed)
    claimed = 0
    for operation, by_rounds in comparison.trace.values.items():
        analysis = comparison.launch.uniformity
        if isinstance(operation, MemoryAccess) and operation.writes:
            stored = operation.operands[1]
            assert operation.block is not None
            level = max(analysis.of(stored), analysis.left_apart(stored, operation.block))
        else:
            level = analysis.of(operation)
        if level is Uniformity.VARYING:
            continue
        claimed += 1
        size = 32 if level is Uniformity.WARP else 1024
        for rounds, values in by_rounds.items():
            groups: dict[int, set[object]] = {}
            for thread, value in values.items():
                groups.setdefault(thread // size, set()).add(value)
            apart = [found for found in groups.values() if len(found) > 1]
            line = operation.location.span.line
            assert not apart, f"{operation.opcode.value} line {line}, {rounds}: {level}, {apart}"
    assert claimed > 0
