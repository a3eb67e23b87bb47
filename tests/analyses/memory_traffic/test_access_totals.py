"""Totals over whole launches, and what makes them unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.access_table import CountedAccess, counted_accesses
from warplint.analyzer.analyses.memory_traffic.access_totals import Totals
from warplint.analyzer.analyses.warp_evaluation import loop_iterations

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Dimensions


def rows(
    body: str, grid: Dimensions | None = (4, 1, 1), block: Dimensions = (64, 1, 1)
) -> list[CountedAccess]:
    """The accesses of a kernel with this body, in one launch."""
    text = f"__global__ void kernel(const float *in, float *out, int n) {{\n{body}\n}}"
    return list(counted_accesses(facts_of(text, block, grid).launches[0]))


def totals(
    body: str, grid: Dimensions | None = (4, 1, 1), block: Dimensions = (64, 1, 1)
) -> list[Totals | str]:
    """The totals of each access, or the reason why there are none."""
    found: list[Totals | str] = []
    for row in rows(body, grid, block):
        assert not row.reason
        found += [side.totals or side.reason for side in row.sides] or ["never"]
    return found


GLOBAL = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"


def test_blocks_that_move_by_whole_sectors_are_alike() -> None:
    assert totals(GLOBAL + "out[i] = 1.0f;") == [Totals(8, 256, 32, 32)]


def test_a_guard_leaves_the_last_block_partial() -> None:
    # 200 of 256 threads: six whole warps and eight lanes of the seventh.
    assert totals(GLOBAL + "if (i < 200) out[i] = 1.0f;") == [Totals(7, 200, 25, 25)]


def test_blocks_that_start_within_a_sector_are_told_apart() -> None:
    # Blocks start at bytes 0, 260, 520 and 780: only the first is aligned to sectors.
    found = totals("out[blockIdx.x * 65 + threadIdx.x] = 1.0f;")
    assert found == [Totals(8, 256, 2 * 4 + 6 * 5, 32)]


def test_rounds_that_only_move_the_warp_are_counted_not_stepped_through() -> None:
    # A row per thread: each round moves all lanes by four bytes, through eight places in a sector.
    body = GLOBAL + "float s = 0; for (int k = 0; k < 100; ++k) s += in[i * 128 + k];\nout[i] = s;"
    written, read = totals(body)  # the block behind the loop comes first
    assert read == Totals(800, 25600, 25600, 3200)
    assert written == Totals(8, 256, 32, 32)


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = 3; k < 50; ++k) out[i * 128 + k * 5] = 1.0f;",
        "for (int k = 60; k > 1; k -= 2) out[i - k * 8] = 1.0f;",
        "for (int j = 0; j < 6; ++j) for (int k = 0; k < 40; ++k) out[i + 3 * j + k] = 1.0f;",
        "for (int k = 0; k < 40; ++k) for (int j = k; j < 30; ++j) out[j * 7 + i] = 1.0f;",
    ],
)
def test_rounds_are_counted_as_if_one_by_one(loop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    together = totals(GLOBAL + loop)
    monkeypatch.setattr(loop_iterations, "_TRIALS", 0)
    assert together == totals(GLOBAL + loop)
    assert all(isinstance(each, Totals) for each in together)


def test_a_stride_of_the_whole_grid_ends_in_partial_warps() -> None:
    body = GLOBAL + "for (; i < 1000; i += blockDim.x * gridDim.x) out[i] = 1.0f;"
    assert totals(body) == [Totals(32, 1000, 125, 125)]


def test_rounds_with_other_lanes_are_stepped_through() -> None:
    body = (
        "__shared__ float s[64];\ns[threadIdx.x] = 0; __syncthreads();\n"
        "for (int h = 32; h > 0; h >>= 1) { if (threadIdx.x < h) s[threadIdx.x] += 1.0f;\n"
        "__syncthreads(); }"
    )
    first, load, store = totals(body, (1, 1, 1))
    assert first == Totals(2, 64, 2, 2)
    assert load == store == Totals(6, 63, 6, 6)


def test_merged_accesses_are_one_instruction() -> None:
    body = (
        "__shared__ float s[128];\nint t = threadIdx.x;\n"
        "s[2 * t] = 1.0f;\ns[2 * t + 1] = 2.0f;\n__syncthreads(); out[t] = s[t];"
    )
    first, second = totals(body, (1, 1, 1))[:2]
    assert first == Totals(0, 0, 0, 0)  # stores sink to the last of them
    assert second == Totals(2, 64, 4, 4)


def test_merged_loads_stand_where_the_first_of_them_stood() -> None:
    body = (
        "__shared__ float s[128];\nint t = threadIdx.x;\ns[t] = s[t + 64] = in[t];\n"
        "__syncthreads();\nfloat b = s[2 * t + 1];\nfloat a = s[2 * t];\nout[t] = a - b;"
    )
    loads = [row for row in rows(body, (1, 1, 1)) if row.access.kind.value == "load"]
    found = [side.totals for row in loads if row.shared for side in row.sides]
    assert found == [Totals(2, 64, 4, 4), Totals(0, 0, 0, 0)]


def test_loads_and_stores_in_turn_are_not_merged() -> None:
    body = (
        "__shared__ float s[128];\nint t = threadIdx.x;\n"
        "float a = s[2 * t]; s[2 * t] = a + 1.0f;\n"
        "float b = s[2 * t + 1]; s[2 * t + 1] = a + b;\n"
    )
    assert totals(body, (1, 1, 1)) == [Totals(2, 64, 4, 2)] * 4


def test_a_value_that_several_decisions_choose() -> None:
    body = (
        "int t = threadIdx.x, k = 0;\n"
        "if (blockDim.x > 32) { k = 1; if (t > 31) { k = 2; if (blockDim.x > 64) k = 3; } }\n"
        "out[k * 64 + t * 8] = 1.0f;"
    )
    assert totals(body, (1, 1, 1)) == [Totals(2, 64, 64, 8)]


@pytest.mark.parametrize(
    ("between", "loaded"),
    [("", 0), ("__syncthreads();", 2), ("s[t ^ 1] = 3.0f;", 2), ("out[t] = 3.0f;", 0)],
)
def test_a_value_at_hand_is_not_loaded(between: str, loaded: int) -> None:
    body = (
        "__shared__ float s[64];\nint t = threadIdx.x;\n"
        f"s[t] = in[t];\n{between}\nfloat v = s[t]; out[t + 64] = v;"
    )
    loads = [row for row in rows(body, (1, 1, 1)) if row.shared and row.access.kind.value == "load"]
    (load,) = loads
    assert load.shared is not None
    assert load.shared.totals is not None
    assert load.shared.totals.warps == loaded


def test_what_no_thread_executes_costs_nothing() -> None:
    (row,) = rows("if (threadIdx.x >= blockDim.x) out[threadIdx.x] = 1.0f;")
    assert row.never
    assert not row.reason


@pytest.mark.parametrize(
    ("body", "grid", "reason"),
    [
        (GLOBAL + "out[i] = 1.0f;", None, "the grid is unknown: set --grid"),
        (GLOBAL + "if (i < n) out[i] = 1.0f;", (4, 1, 1), "a guard around it is unknown"),
        (GLOBAL + "out[i + n] = 1.0f;", (4, 1, 1), "part of the address is unknown"),
        (
            "for (int k = 0; k < n; ++k) out[k * 64 + threadIdx.x] = 1.0f;",
            (4, 1, 1),
            "a loop around it has an unknown trip count",
        ),
    ],
)
def test_what_is_not_known_has_a_reason(body: str, grid: Dimensions | None, reason: str) -> None:
    assert totals(body, grid) == [reason]


def test_both_sides_of_an_asynchronous_copy_are_counted() -> None:
    body = (
        "__shared__ float s[64];\n"
        "__pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x * 8], 4);\n"
        "__pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();"
    )
    (copy,) = rows(body)
    assert copy.shared is not None
    assert copy.global_side is not None
    assert copy.shared.totals == Totals(8, 256, 8, 8)
    assert copy.global_side.totals == Totals(8, 256, 256, 32)
