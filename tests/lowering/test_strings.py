"""Strings that fill arrays: which characters are stored, and how long the array is."""

from __future__ import annotations

import pytest
from analyses.kernels import cuda_module

from warplint.analyzer.ir.operations import AccessKind, MemoryAccess
from warplint.analyzer.ir.values import Constant


@pytest.mark.parametrize(
    ("written", "stored", "size"),
    [
        ('table[] = "ab"', [97, 98, 0], 3),
        ('table[2] = "ab"', [97, 98], 2),
        ('table[8] = "ab" "c"', [97, 98, 99, 0], 8),
        (r'table[] = "\x41\102\n\"\\"', [65, 66, 10, 34, 92, 0], 6),
        (r'table[] = R"(a\n)"', [97, 92, 110, 0], 4),
        ('table[] = {"ab"}', [97, 98, 0], 3),
        ('table[2][2] = {"a", "b"}', [97, 0, 98, 0], 4),
        ('table[] = ""', [0], 1),
    ],
)
def test_strings_fill_arrays(written: str, stored: list[int], size: int) -> None:
    text = f"__global__ void k(char *out) {{ char {written}; out[0] = *(char *)table; }}"
    (kernel,) = cuda_module(text).kernels
    filling = [
        each.operands[1].value
        for each in kernel.operations()
        if isinstance(each, MemoryAccess)
        and each.kind is AccessKind.STORE
        and isinstance(each.operands[1], Constant)
    ]
    (table,) = (item for item in kernel.objects if item.name == "table")
    assert (filling, table.size) == (stored, size)
