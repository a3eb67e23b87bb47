"""Sizes that may be made for a block whose number of threads nobody states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts, branching, facts_of

from warplint.analyzer.analyses.block_shape.block_size_guesses import (
    asks_for_sizes,
    asks_for_whole_tiles,
    cuts_groups,
    is_block_size,
    is_thread_index,
    may_fill_warps,
    may_suit_the_block,
)
from warplint.analyzer.ir.operations import AccessKind
from warplint.analyzer.ir.types import UINT32
from warplint.analyzer.ir.values import Special, SpecialRegister

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.ir.block import Block

PARAMETERS = "int *p, const int *q, int n, int m"
GRID = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def decision(body: str) -> tuple[KernelFacts, Block]:
    facts = body_facts(body, parameters=PARAMETERS)
    (branch,) = branching(facts.kernel)
    return facts, branch


@pytest.mark.parametrize(
    ("body", "sizes", "suits"),
    [
        ("if (threadIdx.x < n) p[0] = 1;", True, True),
        ("if (threadIdx.x < q[0]) p[0] = 1;", True, True),
        ("if (n > threadIdx.x + 1) p[0] = 1;", True, True),
        ("if (threadIdx.x < 7) p[0] = 1;", False, False),
        ("if (n < m) p[0] = 1;", False, False),
        ("if (threadIdx.x < threadIdx.y + n) p[0] = 1;", False, False),
        (f"{GRID} if (i < n) p[0] = 1;", True, False),  # some threads are the last of the grid
        ("if (blockIdx.x < n) p[0] = 1;", False, False),
    ],
)
def test_sizes_that_the_whole_block_may_be(body: str, *, sizes: bool, suits: bool) -> None:
    facts, branch = decision(body)
    assert asks_for_sizes(branch) is sizes
    assert may_suit_the_block(facts.flow, branch) is suits
    assert may_suit_the_block(facts.flow, branch, loops=False) is suits


def test_the_sizes_of_loops_are_asked_for_by_themselves() -> None:
    body = f"{GRID} for (; i < n; i += blockDim.x * gridDim.x) {{ p[i] = 1; }}"
    facts, branch = decision(body)
    assert may_suit_the_block(facts.flow, branch)
    assert not may_suit_the_block(facts.flow, branch, loops=False)


@pytest.mark.parametrize(
    ("size", "rounded"),
    [
        ("(n / 16 + 1) * 16", True),
        ("(n + 31) / 32 * 32", True),
        ("16 * (n / 16)", True),
        ("n / 16 * 8", False),
        ("n * 16", False),
        ("(n / blockDim.x + 1) * blockDim.x", False),
        ("(blockDim.x + 31) / 32 * 32", False),
    ],
)
def test_sizes_rounded_to_a_multiple(size: str, *, rounded: bool) -> None:
    _, branch = decision(f"if (threadIdx.x < {size}) p[0] = 1;")
    assert asks_for_whole_tiles(branch) is rounded


@pytest.mark.parametrize(
    ("condition", "fills"),
    [
        ("threadIdx.x % n / 32 < m", True),
        ("threadIdx.x % n / warpSize < m", True),
        ("(int)(threadIdx.x % n >> 5) < 3", True),
        ("threadIdx.x % n / 16 < m", False),
        ("threadIdx.x % 64 / 32 < m", False),
        ("threadIdx.x / 32 < m", False),
    ],
)
def test_warps_of_groups(condition: str, *, fills: bool) -> None:
    """The launch is given, so that only what the decision says of warps counts."""
    facts, branch = decision(f"if ({condition}) p[0] = 1;")
    store = facts.accesses[-1]
    assert may_fill_warps(facts.launches[0], store, [branch]) is fills


def test_a_block_that_nobody_states_may_be_what_is_asked_for() -> None:
    text = "__global__ void k(int *p, int n) { if (threadIdx.x < n) p[0] = 1; }"
    for block, fills in ((None, True), ((64, 1, 1), False)):
        facts = facts_of(text, block)
        found = may_fill_warps(facts.launches[0], facts.accesses[0], branching(facts.kernel))
        assert found is fills


@pytest.mark.parametrize(
    ("place", "threads", "cuts"),
    [
        ("i / 96", 64, True),
        ("i % 96", 64, True),
        ("i / 32", 64, False),
        ("i / 64", 64, False),
        ("i / 4096", 64, False),  # larger than any block
        ("threadIdx.x / 96", 64, False),  # not counted in the grid
        ("i / n", 64, False),
    ],
)
def test_groups_that_end_within_a_block(place: str, threads: int, *, cuts: bool) -> None:
    body = f"{GRID} p[{place}] = 1;"
    for barrier in ("", "__syncthreads();"):
        facts = body_facts(body + barrier, (threads, 1, 1))
        (store,) = (each for each in facts.accesses if each.kind is AccessKind.STORE)
        assert cuts_groups(facts.launches[0], store.address) is (cuts and bool(barrier))


def test_what_tells_threads_apart_and_how_many_there_are() -> None:
    telling = {each for each in Special if is_thread_index(SpecialRegister(UINT32, each))}
    sizes = {each for each in Special if is_block_size(SpecialRegister(UINT32, each))}
    assert {Special.THREAD_X, Special.THREAD_Z, Special.LANE, Special.WARP} < telling
    assert sizes >= {Special.BLOCK_SIZE_X, Special.BLOCK_SIZE_Y, Special.BLOCK_SIZE_Z}
    assert not sizes & telling
    assert Special.BLOCK_X not in telling | sizes


@pytest.mark.parametrize(
    ("loop", "guard", "suits"),
    [
        ("int f = 0; f < n; f += blockDim.x", "f + threadIdx.x < n", False),
        ("int f = 0; f < *q; f += blockDim.x", "*q > threadIdx.x + f", False),
        ("int f = 0; f < n; f += blockDim.x", "threadIdx.x < n", True),  # of every part alike
        ("int f = 0; f < n; f += blockDim.x", "f + threadIdx.x < m", True),
        ("int f = threadIdx.x; f < n; f += blockDim.x", "f + threadIdx.x < n", True),
    ],
)
def test_guards_in_loops_over_parts(loop: str, guard: str, *, suits: bool) -> None:
    body = f"for ({loop}) {{ if ({guard}) p[0] = 1; }}"
    facts = body_facts(body, parameters=PARAMETERS)
    (only,) = facts.flow.loops
    (branch,) = (each for each in branching(facts.kernel) if each not in only.exits)
    assert may_suit_the_block(facts.flow, branch) is suits
