"""How far a kernel goes into its arrays, for sizes that somebody tries."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.launch.sizes_to_try import MEMORY
from warplint.analyzer.analyses.pointers.array_extents import ArrayExtents
from warplint.analyzer.ir.operations import MemoryAccess
from warplint.analyzer.ir.values import Parameter, Value

BYTES = 4
ELEMENTS = MEMORY // BYTES
INDEX = (1 << 31) - 1


def dynamic_shared(body: str, size: int) -> int:
    """The bytes of dynamic shared memory that a block of 32 threads needs for such parameters."""
    facts = body_facts("extern __shared__ int s[]; " + body, parameters="int *p, long n, long m")

    def greatest(value: Value) -> int | None:
        if isinstance(value, MemoryAccess):
            return None
        return size if isinstance(value, Parameter) else 31

    return ArrayExtents(facts, greatest).dynamic_shared


def can_be_held(body: str, size: int, parameters: str = "int *p, int *q, long n, long m") -> bool:
    """Whether arrays fit where each parameter is a size, and no other value is more than 31."""
    facts = body_facts(body, parameters=parameters)

    def greatest(value: Value) -> int:
        return size if isinstance(value, Parameter) else 31

    return ArrayExtents(facts, greatest).can_be_held


@pytest.mark.parametrize(
    ("body", "most"),
    [
        ("p[n] = 1;", ELEMENTS - 1),
        ("p[n - 4] = 1;", ELEMENTS + 3),
        ("p[2 * n] = 1;", ELEMENTS // 2 - 1),
        ("p[n << 3] = 1;", ELEMENTS // 8 - 1),
        ("p[n / 4] = 1;", 4 * ELEMENTS - 1),
        ("if (threadIdx.x < n) p[threadIdx.x * n] = 1;", (ELEMENTS - 1) // 31),
        ("for (long i = 0; i < n; i++) p[i] = 1;", ELEMENTS),
        ("for (long i = 0; i <= n; i++) p[i] = 1;", ELEMENTS - 1),
        ("for (long i = n - 1; i >= 0; i--) p[i] = 1;", ELEMENTS),
        ("long i = threadIdx.x; if (!(i >= n)) p[i] = 1;", ELEMENTS),
        ("p[n < m ? n : m] = 1;", ELEMENTS - 1),
        ("p[n] = 1; q[m] = 2;", ELEMENTS // 2 - 1),  # both at once
    ],
)
def test_the_largest_size_that_fits(body: str, most: int) -> None:
    assert can_be_held(body, most)
    assert not can_be_held(body, most + 1)


@pytest.mark.parametrize(
    "body",
    [
        "p[n % 64] = 1;",
        "p[threadIdx.x] = n;",
        "p[q[n % 2]] = 1;",  # data
        "__shared__ int s[64]; s[threadIdx.x] = n * m; p[0] = s[0];",
        "p[n - m] = 1;",
        f"unsigned long i = n; {'i = i * i;' * 60} p[i % 64] = 1;",  # of 2 ** 60 digits as they are
        "if (n < m + m) p[n % 64] = 1;",
        "if (0 < n + m) p[0] = 1;",
    ],
)
def test_what_no_size_makes_larger(body: str) -> None:
    assert can_be_held(body, 1 << 50)


@given(st.integers(1, 1 << 12))
def test_an_index_with_a_sign_is_one_that_its_type_holds(size: int) -> None:
    parameters = "int *p, int a, int b"
    body = "for (int i = 0; i < a; i++) p[i * b * a] = 1;"
    assert can_be_held(body, size, parameters) is ((size - 1) * size * size <= INDEX)


def test_a_long_chain_of_operations_ends() -> None:
    body = "long i = n; " + "i = i * m + 1; " * 300 + "p[i] = 1;"
    assert can_be_held(body, 1024)


@pytest.mark.parametrize(
    ("body", "elements"),
    [
        ("s[threadIdx.x * n] = 1;", 31 * 100 + 1),
        ("s[m * n + threadIdx.x] = 1;", 100 * 100 + 31 + 1),
        ("if (threadIdx.x < 16) s[threadIdx.x * n] = 1;", 15 * 100 + 1),
        ("long i = threadIdx.x * 8; if (i < n) s[i] = 1;", 100),
        ("long i = threadIdx.x; if (i < n) s[i] = 1;", 31 + 1),  # not so far as the bound
        ("for (long i = 0; i < n; i++) s[i * n] = 1;", 1),  # the first iteration
        ("for (long i = threadIdx.x; i < n; i += 32) s[n + i] = 1;", 100 + 31 + 1),
        ("for (long i = n; i > 0; i--) s[i] = 1;", 100 + 1),
        ("s[p[0] * n] = 1;", 1),  # data
        ("p[n * m] = 1; s[0] = n;", 1),
        ("__shared__ int own[64]; own[n] = 1;", 0),
    ],
)
def test_the_dynamic_shared_memory_that_a_block_needs(body: str, elements: int) -> None:
    assert dynamic_shared(body, 100) == elements * BYTES
