"""Elements of no known type: a size for them, where it decides nothing but places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.pointers.opaque_elements import BYTES, with_elements
from warplint.analyzer.ir.operations import MemoryAccess
from warplint.analyzer.ir.values import UnknownSize
from warplint.analyzer.ir.verifier import verify

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts


def facts(body: str) -> KernelFacts:
    return facts_of(f"template <class T> __global__ void k(T *a, T *b, int *p, int n) {{ {body} }}")


@pytest.mark.parametrize(
    ("body", "widths"),
    [
        ("a[n] = b[n + 1];", [BYTES, BYTES]),
        ("p[n] = 1;", None),  # nothing is missing
        ("a[n] = b[n + 1]; p[0] = p[1];", [BYTES, BYTES, 4, 4]),
        ("__shared__ T s[64]; s[n] = a[n];", [BYTES, BYTES]),
        ("unread(a + n, b); a[n] = b[n + 1];", [BYTES, BYTES]),  # what that does stays unknown
        ("unread(sizeof(T)); a[n] = b[n + 1];", None),
        ("a[n] = b[n]; p[0] = sizeof(T);", None),
        ("if (sizeof(T) > 4) a[n] = b[n];", None),
        ("a[n] = b[n]; ((char *)a)[n] = 1;", None),  # the bytes of an element
    ],
)
def test_which_accesses_get_a_width(body: str, widths: list[int | None] | None) -> None:
    before = facts(body)
    kernel = with_elements(before)
    if widths is None:
        assert kernel is None
        return
    assert kernel is not None
    assert verify(kernel) == []
    accesses = [each for each in kernel.operations() if isinstance(each, MemoryAccess)]
    assert sorted(str(each.width) for each in accesses) == sorted(map(str, widths))
    assert len(accesses) == len(before.accesses)
    sized = [each for each in accesses if each.width == BYTES]
    assert not any(isinstance(v, UnknownSize) for each in sized for v in each.address.operands)


def test_arrays_of_the_block_get_a_size() -> None:
    kernel = with_elements(facts("__shared__ T s[8][9]; s[n][n] = a[n];"))
    assert kernel is not None
    assert [item.size for item in kernel.objects if item.name == "s"] == [72 * BYTES]
