"""Products that wrap before they are widened: which of them the kernel itself makes suspicious."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.narrow_products import narrow_products


def _wraps(body: str, grid: tuple[int, int, int] | None = None) -> list[int]:
    parameters = "float *p, size_t size, int n, int m, unsigned u, short s, short t"
    text = f"__global__ void kernel({parameters}) {{ {body} }}"
    return [item.wraps_at for item in narrow_products(facts_of(text, (256, 1, 1), grid))]


_INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < size) p[i] = 1;"


def test_an_index_of_32_bits_against_a_size_of_64() -> None:
    assert _wraps(_INDEX) == [1 << 31]
    assert _wraps(_INDEX.replace("int i", "unsigned i", 1)) == [1 << 32]
    assert _wraps(_INDEX.replace("size", "n")) == []
    wide = _INDEX.replace("blockIdx.x *", "(size_t)blockIdx.x *")
    assert _wraps(wide.replace("int i", "size_t i", 1)) == []
    assert _wraps(wide) == [1 << 31]  # i has 32 bits all the same


def test_a_known_grid_shows_how_many_threads_there_are() -> None:
    assert _wraps(_INDEX, (1 << 20, 1, 1)) == []
    assert _wraps(_INDEX, (1 << 23, 1, 1)) == []  # the last thread has the last number there is
    assert _wraps(_INDEX, ((1 << 23) + 1, 1, 1)) == [1 << 31]


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("n * m", 1),
        ("n * m + 3", 1),
        ("n * u", 1),
        ("blockIdx.x * n", 1),
        ("(long long)n * m", 0),
        ("n * 4", 0),
        ("threadIdx.x * n", 0),
        ("threadIdx.x / 32 * n", 0),
        ("blockDim.x * n", 0),
        ("s * t", 0),
        ("n - n / m * m", 0),
        ("blockIdx.y * gridDim.x", 0),
    ],
)
def test_a_64_bit_variable_that_begins_with_a_32_bit_product(value: str, count: int) -> None:
    assert len(_wraps(f"long long at = {value}; p[at] = 1;")) == count
