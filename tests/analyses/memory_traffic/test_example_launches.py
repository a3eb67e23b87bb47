"""Accesses counted for every large size, against launches that pass such sizes."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.access_table import CountedAccess, counted_accesses
from warplint.analyzer.analyses.memory_traffic.global_accesses import evaluate_global_access

KERNEL = "__global__ void kernel(const float *in, float *out, int rows, int columns, int mode)"
PLACE = """
int column = blockIdx.x * blockDim.x + threadIdx.x;
int row = blockIdx.y * blockDim.y + threadIdx.y;
"""


def row_of(body: str) -> CountedAccess:
    """The only access of a kernel with this body, in blocks of 16 x 16 threads."""
    (row,) = counted_accesses(facts_of(f"{KERNEL} {{\n{PLACE}{body}\n}}", (16, 16, 1)).launches[0])
    return row


def ratio(row: CountedAccess) -> float:
    """Sectors per ideal sector."""
    assert row.global_side is not None
    outcome = row.global_side.outcome
    return outcome.ratio  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("out[row * columns + column] = 1.0f;", 1.0),
        ("if (row < rows && column < columns) out[row * columns + column] = 1.0f;", 1.0),
        ("out[column * rows + row] = 1.0f;", 4.0),  # 16 places in memory, two neighbours in each
        ("int i = column * rows; out[i / columns * columns + i % columns] = 1.0f;", 4.0),
        ("out[row * (columns + 32) + column * 2] = 1.0f;", 2.0),
    ],
)
def test_every_large_size_costs_the_same(body: str, expected: float) -> None:
    row = row_of(body)
    assert not row.reason
    assert row.sizes
    assert ratio(row) == expected
    assert [side.totals for side in row.sides] == [None]
    for columns in (512, 2048, 5120, 96 * 32):  # as if a launch passed them
        given = row.launch.with_arguments((None, None, columns, columns, None))
        assert evaluate_global_access(given, row.access).ratio == expected


@pytest.mark.parametrize(
    "body",
    [
        "out[(row & (columns - 1)) * columns + column] = 1.0f;",  # a power of two, perhaps small
        "out[(row << columns) + column] = 1.0f;",
        "for (int s = columns; s > 0; s >>= 1) out[row * s + column] = 1.0f;",
        "if (mode == 2) column = row * mode; out[column * mode] = 1.0f;",
        "out[row * columns % 1000 + column] = 1.0f;",  # 1024 and 1280 leave other remainders
    ],
)
def test_what_may_be_small_or_differs_stays_unknown(body: str) -> None:
    row = row_of(body)
    assert row.reason
    assert row.sizes == ()


def test_quotients_are_those_of_single_blocks() -> None:
    body = """int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i / (rows * columns) * rows + i / columns % rows + i % columns] = 1.0f;"""
    facts = facts_of(f"{KERNEL} {{\n{body}\n}}", (64, 1, 1), (4096, 1, 1))
    (row,) = counted_accesses(facts.launches[0])
    assert row.sizes == ("rows", "columns")
    assert ratio(row) == 1.0


def test_sizes_that_a_launch_passes_are_not_replaced() -> None:
    text = f"{KERNEL} {{\n{PLACE}out[row * columns + column] = 1.0f;\n}}\n"
    text += "void host(float *p) { kernel<<<dim3(4, 4), dim3(16, 16)>>>(p, p, 64, 3, 0); }"
    (row,) = counted_accesses(facts_of(text).launches[0])
    assert row.sizes == ()
    assert ratio(row) < 1.5  # rows of three elements overlap


def test_banks_are_not_judged_by_examples() -> None:
    row = row_of("__shared__ float tile[4096]; tile[threadIdx.x * columns] = 1.0f;")
    assert "columns" in row.reason


def test_blocks_that_differ_are_counted_one_by_one() -> None:
    text = f"""{KERNEL} {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < rows) out[i / columns * 33 + i % columns] = 1.0f;
    }}
    void host(float *p) {{ kernel<<<5, 96>>>(p, p, 450, 30, 0); }}"""
    (row,) = counted_accesses(facts_of(text).launches[0])
    assert row.global_side is not None
    totals = row.global_side.totals
    assert totals is not None
    warps = [range(first, min(first + 32, 450)) for first in range(0, 450, 32)]
    touched = [{(i // 30 * 33 + i % 30) * 4 // 32 for i in warp} for warp in warps]
    assert (totals.warps, totals.threads) == (15, 450)
    assert totals.units == sum(map(len, touched))
    assert totals.ideal == sum(-(-len(warp) * 4 // 32) for warp in warps)
    assert totals.units > totals.ideal
