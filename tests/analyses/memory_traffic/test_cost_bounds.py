"""What accesses may cost whose lanes go where data or a size leads them."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.access_table import judged_accesses

HEAD = """__device__ int unread(int);
__global__ void k(float *p, const int *at, const float4 *v, const int *rows, int n, int m) {
    __shared__ float s[1024];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    p[t] = """
LAUNCH = "void f(float *p, int *at, float4 *v, int n) { k<<<n, 256>>>(p, at, v, at, n, n); }"

Bounds = tuple[int, int, int, str]


def bounds(expression: str, before: str = "") -> Bounds | None:
    """Of the last load of an expression: least, most, ideal, and what decides."""
    text = HEAD.replace("p[t] = ", f"{before}\n    p[t] = ") + f"{expression};\n}}\n{LAUNCH}"
    (launch,) = facts_of(text).launches
    loads = [row for row in judged_accesses(launch) if row.access.kind.value == "load"]
    found = loads[-1].bounds
    return None if found is None else (found.least, found.most, found.ideal, found.decided_by)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("p[at[t]]", (1, 32, 4, "data")),
        ("p[at[t / 8] * 64 + t % 8]", (1, 8, 4, "data")),  # four groups of eight neighbours
        ("p[at[t / 8] * 64 + t % 8 * 16]", (8, 32, 4, "data")),  # eight sectors in each group
        ("p[at[t / 4] * n + t % 4]", (1, 16, 4, "data")),  # a group may begin within a sector
        ("v[at[t]].x", (1, 32, 4, "data")),
        ("s[at[t] & 1023]", (1, 32, 1, "data")),
        ("p[t * (n & 7)]", (1, 32, 4, "a value")),
        ("p[(int)(p[t] * 0.5f)]", (1, 32, 4, "data")),
    ],
)
def test_groups_keep_their_distances(expression: str, expected: Bounds) -> None:
    assert bounds(expression) == expected


@settings(max_examples=20)
@given(st.sampled_from([1, 2, 4, 8, 16]), st.integers(1, 3))
def test_groups_of_neighbours(group: int, step: int) -> None:
    """All groups in one place, in its fewest sectors; or each apart, in the most of them."""
    starts = [
        len({(start + lane * step * 4) // 32 for lane in range(group)}) for start in range(0, 32, 4)
    ]
    most = max(starts) * (32 // group)
    found = bounds(f"p[at[t / {group}] * 64 + t % {group} * {step}]")
    assert found == (min(starts), most, min(4, most), "data")


def test_lanes_of_one_row_walk_together() -> None:
    row = "float sum = 0; for (int i = rows[t / 32]; i < rows[t / 32 + 1]; i += 32) sum += at[i];"
    assert bounds("sum", row) is None  # all lanes are at one distance: known, not bounded
    own = "float sum = 0; for (int i = rows[t]; i < rows[t + 1]; i++) sum += at[i];"
    assert bounds("sum", own) == (1, 32, 4, "data")


def test_a_guard_that_data_decides_may_leave_one_lane() -> None:
    guard = "if (at[t] > 3)"
    assert bounds("p[at[t / 8] * 64 + t % 8 * 16]", guard) == (1, 32, 4, "data")


def test_unread_code_is_no_data() -> None:
    assert bounds("p[unread(at[t])]") is None
