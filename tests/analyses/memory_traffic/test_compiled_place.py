"""The lines that `.loc` directives of nvcc 13 give accesses written over several lines."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.compiled_place import compiled_place

HEAD = "struct S { float a; int z[4]; };\n"
KERNEL = "__global__ void k(float *A, float *B, float4 *C, S *s, int n) { int i = threadIdx.x;\n"


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("B[0] =\n A[\n i\n *\n 7\n ];", [7, 3]),
        ("B[\n i\n + n\n ]\n =\n 1.0f;", [5]),
        ("B\n [i * 5]\n ++;", [4, 4]),
        ("B[i] = reinterpret_cast<float *>(\n &A[(i + n) * 7\n + i])[0];", [5, 3]),
        (
            "reinterpret_cast<float4 *>(\n &B[i])[0] =\n reinterpret_cast<float4 *>(\n &A[i])[0];",
            [6, 6],
        ),
        ("*(\n C\n + i\n ) = *\n (C\n + n);", [8, 8]),
        ("s\n [i]\n .\n a = 1.0f;", [4]),
        ("atomicAdd(\n &B\n [i * 3],\n 1.0f);", [3]),
    ],
)
def test_lines_are_those_of_the_compiler(body: str, lines: list[int]) -> None:
    facts = facts_of(f"{HEAD}{KERNEL}{body}\n}}", (32, 1, 1))
    places = [compiled_place(access) for access in facts.accesses]
    assert [place.line for place in places] == lines
    for place, access in zip(places, facts.accesses, strict=True):
        assert place.start >= access.location.span.start


def test_what_a_macro_made_is_where_it_is_used() -> None:
    facts = facts_of(f"#define AT(p, i) (p)[(i)]\n{HEAD}{KERNEL}AT(\n B,\n i) = AT(A, \n n);\n}}")
    assert [compiled_place(access).line for access in facts.accesses] == [6, 4]
