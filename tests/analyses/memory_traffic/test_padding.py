"""Padding by counting: what is offered, what it is said to save, and when nothing is offered."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.padding import Padding, best_padding, best_skew
from warplint.analyzer.ir.memory import Space

TILE = """
__global__ void k(%(type)s *p) {
    __shared__ %(type)s t[%(rows)d][%(columns)d];
    t[threadIdx.y][threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
"""


def padding_of(text: str, block: tuple[int, int, int]) -> Padding | None:
    facts = facts_of(text, block)
    (object,) = [item for item in facts.kernel.objects if item.space is Space.SHARED]
    return best_padding(object, facts.shared_accesses, facts.architecture)


def tile(type: str, side: int, columns: int = 0) -> str:
    return TILE % {"type": type, "rows": side, "columns": columns or side}


def test_a_square_tile_of_32() -> None:
    padding = padding_of(tile("float", 32), (32, 32, 1))
    assert padding is not None
    assert padding.elements == 1
    assert padding.extents == (32, 33)
    assert padding.extra_bytes == 128
    assert padding.after == padding.ideal
    assert padding.before == padding.after // 2 * 33
    assert padding.part == (padding.after // 2, 32)  # a wavefront for each warp and access


def test_a_tile_is_judged_by_all_its_accesses() -> None:
    """At 16×16 a pad of 1 makes 2 and 2 of 1 and 8; a pad of 2 leaves only the store at 2."""
    padding = padding_of(tile("float", 16), (16, 16, 1))
    assert padding is not None
    assert padding.before == 8 * (1 + 8)
    assert padding.part is None
    assert padding.after == 8 * (2 + 1)
    assert padding.extents == (16, 18)


def test_a_small_tile_is_left_alone() -> None:
    """At 8×8, 1 and 2 become 2 and 2: no padding helps."""
    padding = padding_of(tile("float", 8), (8, 8, 1))
    assert padding is None or padding.after < 2 * (1 + 2)


def test_a_padded_tile_is_left_alone() -> None:
    assert padding_of(tile("float", 32, 33), (32, 32, 1)) is None


def test_doubles() -> None:
    padding = padding_of(tile("double", 16), (16, 16, 1))
    assert padding is not None
    assert padding.elements == 1
    assert padding.after == padding.ideal


def test_halves_need_two() -> None:
    padding = padding_of(tile("short", 32), (32, 32, 1))
    assert padding is not None
    assert padding.elements == 2


def test_an_access_that_is_not_known_forbids_a_promise() -> None:
    text = TILE.replace("p[threadIdx.x] = t", "t[(int)p[threadIdx.x]][2] = 1; p[threadIdx.x] = t")
    assert padding_of(text % {"type": "float", "rows": 32, "columns": 32}, (32, 32, 1)) is None


@pytest.mark.parametrize("stride", [32, 16])
def test_a_flat_array_may_be_skewed(stride: int) -> None:
    facts = facts_of(
        f"__global__ void k(float *p) {{ __shared__ float s[{32 * stride}];"
        f" p[threadIdx.x] = s[threadIdx.x * {stride}]; }}",
        (32, 1, 1),
    )
    (access,) = facts.shared_accesses
    assert access.object is not None
    skew = best_skew(access.object, [access], facts.architecture)
    assert skew is not None
    assert skew.before == stride
    assert skew.after == 1
    assert skew.extra_bytes == stride * 4


def test_a_tile_is_not_skewed_and_a_flat_array_not_padded() -> None:
    facts = facts_of(tile("float", 32), (32, 32, 1))
    accesses = facts.shared_accesses
    assert accesses[0].object is not None
    assert best_skew(accesses[0].object, accesses, facts.architecture) is None
    flat = facts_of(
        "__global__ void k(float *p) { __shared__ float s[64]; p[0] = s[2 * threadIdx.x]; }",
        (32, 1, 1),
    )
    (access,) = flat.shared_accesses
    assert access.object is not None
    assert best_padding(access.object, [access], flat.architecture) is None


GEMM = """
__global__ void k(const float *p, float *q) {
    __shared__ float t[32][32];
    float sum = 0.0f;
    for (int tile = 0; tile < 32; ++tile) {
        t[threadIdx.%(row)s][threadIdx.%(column)s] = p[tile];
        __syncthreads();
        for (int i = 0; i < 32; ++i)
            sum += t[threadIdx.x][i ^ threadIdx.y];
        __syncthreads();
    }
    q[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(("row", "column"), ["xy", "yx"])
def test_loops_of_which_only_the_first_iterations_are_looked_at(row: str, column: str) -> None:
    padding = padding_of(GEMM % {"row": row, "column": column}, (32, 32, 1))
    assert padding is not None
    assert not padding.complete
    assert padding.extents == (32, 33)
    assert padding.after == padding.ideal


def test_where_not_all_is_looked_at_no_access_may_get_worse() -> None:
    """At 16×16 a pad saves the load more than the store loses, but the sums are of samples."""
    text = GEMM.replace("32", "16") % {"row": "y", "column": "x"}
    assert padding_of(text, (16, 16, 1)) is None
    fewer = text.replace("tile < 16", "tile < 4")
    padding = padding_of(fewer, (16, 16, 1))
    assert padding is not None
    assert padding.complete
