"""What accesses cost over a launch, counted where it is known and estimated elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.hardware.throughput import Resource

if TYPE_CHECKING:
    from warplint.analyzer.analyses.memory_traffic.kernel_cost import KernelCost

LAUNCH = "void f(float *p, int n) { k<<<4, 64>>>(p, p, n); }"


def cost_of(text: str) -> KernelCost:
    """What the one launch of the one kernel pays with."""
    (launch,) = facts_of(text).launches
    return launch.cost


def costs(body: str, launch: str = LAUNCH) -> dict[int, tuple[str, float, float, bool]]:
    """By line of the body: resource, units, ideal, counted."""
    text = (
        f"__global__ void k(float *p, const float *q, int n) {{ int t = threadIdx.x;\n{body} }}\n"
    )
    return {
        cost.access.location.span.line - 1: (
            cost.resource.value,
            cost.units,
            cost.ideal,
            cost.counted,
        )
        for cost in cost_of(text + launch).costs
    }


def test_what_a_launch_decides_is_counted() -> None:
    assert costs("p[t * 8] = 1.0f;") == {1: ("sectors", 4 * 2 * 32, 4 * 2 * 4, True)}


def test_without_a_grid_one_block_is_counted() -> None:
    (found,) = costs("p[t * 8] = 1.0f;", LAUNCH.replace("<<<4,", "<<<n,")).values()
    assert found == ("sectors", 2 * 32, 2 * 4, False)


@pytest.mark.parametrize(
    ("loop", "times"),
    [
        ("for (int i = 0; i < 8; i++)", 8),
        ("for (int i = 0; i < n; i++)", 16),  # taken for a usual one
        ("for (int j = 0; j < n; j++) for (int i = 0; i < 3; i++)", 48),
    ],
)
def test_loops_weigh_by_their_trips(loop: str, times: int) -> None:
    body = f"p[t] = 0.0f;\n{loop}\np[t + 32 * i] += 1.0f;"
    found = costs(body, LAUNCH.replace("<<<4,", "<<<n,"))
    once, often = found[1], found[3]
    assert often[1] == times * once[1]


def test_trips_that_differ_between_blocks_have_their_mean() -> None:
    body = "for (int i = blockIdx.x; i < n; i += gridDim.x)\np[t + 8 * q[i]] = i;"
    found = costs(body, "void f(float *p) { k<<<100, 64>>>(p, p, 150); }")
    _, units, _, counted = found[2]
    assert (units, counted) == (200 * 1.5 * 4, False)


def test_long_loops_weigh_by_formulas_of_arguments() -> None:
    body = "for (int i = 0; i < n * n; i++)\np[t] += q[i];"
    found = costs(body, "void f(float *p) { k<<<4, 64>>>(p, p, 100); }")
    _, units, _, _ = found[2]
    assert units in (4 * 2 * 10000 * 4, 4 * 2 * 10000)


@pytest.mark.parametrize(
    ("condition", "blocks"),
    [
        ("atomicAdd(c, 1) == gridDim.x - 1", 1),
        ("atomicAdd(c + blockIdx.y, 1) == gridDim.x - 1", 3),  # a count for each row of blocks
        ("atomicAdd(c, 1) != gridDim.x - 1", 24),
    ],
)
def test_what_the_last_block_does_is_done_once(condition: str, blocks: int) -> None:
    text = f"""__global__ void k(float *p, unsigned *c) {{
    if ({condition})
        p[threadIdx.x * 8] = 0.0f;
    }}
    void f(float *p, unsigned *c) {{ k<<<dim3(8, 3), 64>>>(p, c); }}"""
    store = next(each for each in cost_of(text).costs if each.access.location.span.line == 3)
    assert store.units == blocks * 2 * 32


def test_what_an_access_is_counted_for_holds_for_others_beside_it() -> None:
    body = "__shared__ float s[64];\nif (blockIdx.x == 0)\ns[t] =\nq[n * (t / 16) + t % 16];"
    found = costs(body)
    assert found[3] == ("wavefronts", 2.0, 2.0, True)  # in one of four blocks
    _, units, _, counted = found[4]
    assert (units, counted) == (2 * 4, False)  # not in all four


def test_shared_memory_pays_with_wavefronts() -> None:
    (cost,) = cost_of(
        "__global__ void k() { __shared__ float s[64][32];\ns[threadIdx.x][0] = 1; }\n"
        "void f() { k<<<4, 64>>>(); }"
    ).costs
    assert (cost.resource, cost.units, cost.ideal) == (Resource.WAVEFRONTS, 256, 8)


def test_a_gather_is_taken_for_a_sector_per_lane() -> None:
    text = "__global__ void k(float *p, const int *at) { p[at[threadIdx.x]] = 1.0f; }\n"
    cost = cost_of(text + "void f(float *p, int *at) { k<<<4, 64>>>(p, at); }")
    assert [each.units for each in cost.costs] == [4 * 2 * 4, 4 * 2 * 32]


def test_what_is_saved_depends_on_what_bounds_the_kernel() -> None:
    cost = cost_of(
        "__global__ void k(float *p) { __shared__ float s[64][32]; int t = threadIdx.x;\n"
        "for (int i = 0; i < 32; i++) s[t][i] = 1.0f;\np[t] = s[0][t & 31]; }\n"
        "void f(float *p) { k<<<4096, 64>>>(p); }"
    )
    conflicts = max(cost.costs, key=lambda each: each.units)
    assert cost.share(conflicts.resource, conflicts.units) > 0.9
    without = cost.saved(conflicts.wasted)
    assert without > 0.6
    assert cost.saved({Resource.SECTORS: cost.used[Resource.SECTORS]}) < 0.05 < without


@pytest.mark.parametrize(
    ("launch", "sampled"), [(LAUNCH, True), (LAUNCH.replace("<<<4,", "<<<n,"), False)]
)
def test_what_is_too_much_to_count_is_sampled(launch: str, sampled: bool) -> None:
    loops = "for (int i = 0; i < 500; ++i) for (int j = 0; j < 500; ++j)"
    text = f"__global__ void k(float *p, const float *q, int n) {{ {loops} p[i ^ j] = 1.0f; }}\n"
    (cost,) = cost_of(text + launch).costs
    assert (cost.counted, cost.sampled) == (False, sampled)
