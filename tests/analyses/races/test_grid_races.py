"""Races between blocks: which are shown, with which two threads, and which are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind

if TYPE_CHECKING:
    from warplint.analyzer.analyses.races.race import Race

HEAD = """__global__ void k(float *a, const float *in, int *counts, int n, int pitch) {
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;"""


def _definite(body: str) -> list[Race]:
    races = facts_of(f"{HEAD}\n{body} }}", (64, 1, 1)).races
    return [race for race in races if race.definite and race.conflict.first.block is not None]


def test_a_witness_has_a_thread_of_each_block() -> None:
    (race,) = _definite("float next = a[i + 1]; __syncthreads(); a[i] = next;")
    first, second = race.conflict.first, race.conflict.second
    assert race.kind is RaceKind.BLOCKS
    assert (first.block, first.thread) == ((0, 0, 0), 63)
    assert (second.block, second.thread) == ((1, 0, 0), 0)
    assert first.address == second.address
    assert not race.conflict.same_warp


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("counts[t] += i;", [RaceKind.UPDATE]),
        ("counts[t] = i;", [RaceKind.WRITES]),
        ("atomicAdd_block(&counts[t], i);", [RaceKind.SCOPE]),
        ("atomicAdd(&counts[t], i);", []),
        ("counts[t] = t;", []),
        ("if (in[i] > 0) counts[t] = i;", []),
        ("a[i] = in[i + 1];", []),
        ("a[i * pitch] += 1;", []),
        ("a[blockIdx.x * pitch + t] += 1;", []),
        ("a[i] += 1; a[i + n] += 1;", []),
        ("while (atomicCAS(counts, 0, 1)) ; a[t] += i; atomicExch(counts, 0);", []),
        ("volatile int *v = counts; v[t] = i;", []),
    ],
)
def test_what_nothing_orders(body: str, kinds: list[RaceKind]) -> None:
    races = _definite(body)
    assert sorted({race.kind.value for race in races}) == [kind.value for kind in kinds]


@pytest.mark.parametrize(("grid", "found"), [("1", False), ("3", True)])
def test_a_launch_says_how_many_blocks_there_are(grid: str, found: bool) -> None:
    text = f"""__global__ void k(int *sum) {{ if (threadIdx.x == 0) sum[0] += 7; }}
    void run(int *sum) {{ k<<<{grid}, 64>>>(sum); }}"""
    assert bool(facts_of(text, None).races) is found


def test_a_block_that_may_be_smaller_decides_nothing() -> None:
    text = """__global__ void k(float *a) {
        int i = blockIdx.x * 128 + threadIdx.x; a[i] += 1.0f; }"""
    assert not any(race.definite for race in facts_of(text, None).races)
    assert any(race.definite for race in facts_of(text, (256, 1, 1)).races)
