"""Addresses that are aligned by how they are put together, against what lanes compute."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of, last_of
from analyses.random_kernels import random_kernel
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic import vector_alignment
from warplint.analyzer.analyses.memory_traffic.vector_alignment import misaligned_accesses
from warplint.analyzer.analyses.pointers.alignment import is_aligned
from warplint.analyzer.ir.operations import AccessKind

TERMS = st.sampled_from(
    (
        "i",
        "4 * i",
        "n",
        "(n << 2)",
        "(i & ~3)",
        "i * n",
        "4 * (i % 8)",
        "6",
        "8",
        "blockIdx.x",
        "-i",
    )
)
TYPES = st.sampled_from(("float4", "float2", "float", "double"))


@pytest.mark.parametrize(
    ("address", "aligned"),
    [
        ("p + i", False),
        ("p + 4 * i", True),
        ("p + 4 * i + 2", False),
        ("p + (i << 2) - 8 * n", True),
        ("p + i * (4 * n)", True),
        ("p + i * n", False),
        ("i > n ? p + 4 : p + 8 * i", True),
        ("i > n ? p + 4 : p + i", False),
        ("p + (long long)(4 * i)", True),
        ("(float *)((float4 *)p + i)", True),
        ("p + (int)p[i]", False),
    ],
)
def test_addresses(address: str, aligned: bool) -> None:
    facts = facts_of(
        f"""__global__ void k(float *p, int n) {{ int i = threadIdx.x;
        *(float4 *)({address}) = make_float4(0, 0, 0, 0); }}"""
    )
    assert is_aligned(last_of(facts, AccessKind.STORE).address, 16) is aligned


def test_a_pointer_that_moves_in_a_loop() -> None:
    text = """__global__ void k(float *p, int n) { int i = threadIdx.x;
        for (int j = 0; j < n; j++, p += %s) *(float4 *)p = make_float4(0, 0, 0, 0); }"""
    for step, aligned in (("32", True), ("4 * i", True), ("2", False), ("n", False)):
        facts = facts_of(text % step)
        assert is_aligned(last_of(facts, AccessKind.STORE).address, 16) is aligned


@settings(max_examples=60, deadline=None)
@given(st.lists(TERMS, min_size=1, max_size=3), TYPES, st.integers(0, 1 << 30))
def test_no_lane_of_an_aligned_access_is_misaligned(terms: list[str], type: str, seed: int) -> None:
    """All findings are there, with and without the question asked first."""
    text = f"""__global__ void k(float *p, int n) {{ int i = threadIdx.x + blockIdx.x * 8;
        __shared__ float s[4096]; float *q = n > 3 ? p : s;
        *({type} *)(q + {" + ".join(terms)}) = {type}();
        *({type} *)(p + {" - ".join(terms)}) = {type}(); }}"""
    for each in (text, random_kernel(seed)):
        with pytest.MonkeyPatch.context() as patch:
            filtered = found(each)
            patch.setattr(vector_alignment, "is_aligned", lambda *_: False)
            assert filtered == found(each)


def found(text: str) -> list[tuple[int, int, int]]:
    every = misaligned_accesses(facts_of(text))
    return [(one.address.access.location.span.start, one.lane, one.offset) for one in every]
