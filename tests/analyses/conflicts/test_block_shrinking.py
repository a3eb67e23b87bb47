"""Whether a race of a block that is a guess shows up in smaller blocks, too."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.assumed_numbers import SizeScenario
from warplint.analyzer.analyses.conflicts.race_context import RaceContext


def context(body: str) -> RaceContext:
    text = f"""__global__ __launch_bounds__(256) void k(const int *in, int *out, int n) {{
        __shared__ int s[512]; int t = threadIdx.x; {body} }}"""
    return RaceContext(facts_of(text).launches[0])


@pytest.mark.parametrize(
    "body",
    [
        "s[t] = in[t]; out[t] = s[t ^ 1];",
        "s[t] = in[t]; out[t] = s[blockDim.x - 1 - t];",  # whatever the block
        "s[t] = in[t]; out[t] = s[(t + 31) & 511];",
    ],
)
def test_conflicts_of_every_smaller_block(body: str) -> None:
    races = context(body)
    (run, *_) = races.runs.scenarios
    conflicts = [c for pair, c in run.seen.found.items() if pair[0].name[0] == "s"]
    assert conflicts
    assert all(races.smaller.show(run, conflict) for conflict in conflicts)


def test_a_conflict_of_two_warps_that_a_block_of_one_does_without() -> None:
    races = context("s[t] = in[t]; __syncwarp(); out[t] = s[t ^ 32]; out[t] += s[t];")
    (run, *_) = races.runs.scenarios
    (conflict,) = (
        c for pair, c in run.seen.found.items() if pair[0].name[0] == pair[1].name[0] == "s"
    )
    # A block of one warp reads what it has not written: it is not what the kernel is made for.
    assert races.smaller.show(run, conflict)


def test_accesses_that_leave_their_array_in_any_block() -> None:
    races = context("s[t] = 1; s[512] = 2; s[t * 4] = 3;")
    (run, *_) = races.runs.scenarios
    left = {
        access.name: races.smaller.leave(SizeScenario.EQUAL, access, outside.item)
        for access, outside in run.seen.outside.items()
    }
    assert left == {"s[512]": True, "s[t * 4]": False}
