"""Random kernels: what the analyses claim of them holds when they are run.

Addresses and guards as in `test_addresses.py`; and uniformity: no value that is claimed to be the
same for a warp, a block or the grid differs between two of its threads, in the round in which they
compute it and where they store it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from analyses.comparison import Comparison
from analyses.kernels import DATA, cuda_module, ptx_module
from analyses.random_kernels import random_kernel
from analyses.thread_interpreter import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from warplint.analyzer.ir.kernel import Module

BLOCKS = ((64, 1, 1), (16, 4, 1), (40, 1, 1))
SEEDS = range(60)

#: The kernels of these seeds as nvcc 13.0 compiles them for sm_90: `data/random.ptx`.
COMPILED = (2, 3, 8, 15, 17, 23, 27, 32, 33, 40, 42, 49, 65, 71, 81, 90)


def _run(seed: int, name: str = "n") -> Run:
    block = BLOCKS[seed % len(BLOCKS)]
    return Run(block, (3, 1, 1), (1, 0, 0), {name: seed % 7})


def _from_source(seed: int) -> Comparison:
    module = cuda_module(random_kernel(seed))
    return Comparison(module.kernels[0], module, _run(seed))


@cache
def _compiled() -> Module:
    return ptx_module((DATA / "random.ptx").read_text(), "random.ptx")


def _from_ptx(seed: int) -> Comparison:
    kernel = next(k for k in _compiled().kernels if f"kernel{seed}P" in k.name)
    return Comparison(kernel, _compiled(), _run(seed, kernel.parameters[2].name))


KERNELS = [
    *(pytest.param(_from_source, seed, id=f"cuda-{seed}") for seed in SEEDS),
    *(pytest.param(_from_ptx, seed, id=f"ptx-{seed}") for seed in COMPILED),
]


@pytest.mark.parametrize(("read", "seed"), KERNELS)
def test_addresses_and_guards(read: Callable[[int], Comparison], seed: int) -> None:
    counts = read(seed).everything()
    assert counts["guard known"] + counts["guard assumed"] > 0


@pytest.mark.parametrize("seed", COMPILED)
def test_ptx_leaves_the_same_in_memory(seed: int) -> None:
    """Thread by thread, what was stored last in each place."""
    assert _left_in_memory(_from_ptx(seed)) == _left_in_memory(_from_source(seed))


def _left_in_memory(comparison: Comparison) -> dict[tuple[int, int], int]:
    left: dict[tuple[int, int], int] = {}
    for thread, stores in comparison.trace.stores.items():
        for store in stores:
            assert isinstance(store.address, int)
            assert isinstance(store.value, int)
            left[thread, store.address & 0xFFFFFF] = store.value & 0xFFFFFFFF
    return left


@pytest.mark.parametrize(("read", "seed"), KERNELS)
def test_what_is_uniform_does_not_differ(read: Callable[[int], Comparison], seed: int) -> None:
    assert read(seed).uniform_values() > 0
