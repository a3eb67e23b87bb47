"""What each thread keeps in local memory, by its size."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.storage.large_locals import REGISTERS, large_locals, of_value
from warplint.analyzer.hardware.local_arrays import Residence

HELD = """struct Held {{ int at[{count}]; int top; }};
__global__ void k(const int *next, int *out) {{
    Held held; held.top = 0;
    for (int i = threadIdx.x; i >= 0; i = next[i]) held.at[{index}] = i;
    out[threadIdx.x] = held.at[0]; }}"""


@pytest.mark.parametrize(
    ("count", "index", "sizes"),
    [
        (511, "held.top++ % 511", [2048]),
        (511, "3", []),  # its elements are variables of their own
        (100, "held.top++ % 100", []),  # smaller than what is asked for
    ],
)
def test_structures(count: int, index: str, sizes: list[int]) -> None:
    found = list(large_locals(facts_of(HELD.format(count=count, index=index)), 1024))
    assert [each.size for each in found] == sizes
    assert all(each.fate.residence is Residence.LOCAL for each in found)


def test_arrays_come_with_what_decides() -> None:
    body = "int a[512]; for (int i = 0; i < n; ++i) a[i] = p[i]; p[0] = a[n];"
    text = f"__global__ void k(int *p, int n) {{ {body} }}"
    (found,) = large_locals(facts_of(text), 1024)
    assert (found.name, found.size) == ("a", 2048)
    assert found.fate.span is not None


def test_a_structure_that_registers_could_hold_is_not_decided() -> None:
    assert of_value("an index", REGISTERS).residence is Residence.UNKNOWN
    assert of_value("an index", REGISTERS + 1).residence is Residence.LOCAL
    assert of_value("an index", None).residence is Residence.UNKNOWN
