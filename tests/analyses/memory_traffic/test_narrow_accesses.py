"""Runs of narrow accesses: found exactly where every lane has an aligned vector of its own."""

from __future__ import annotations

from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.narrow_accesses import narrow_runs


def _vectors(stride: int, offsets: set[int]) -> list[int]:
    """The sizes of the vectors of 4-byte elements, the widest first, each element used once."""
    found: list[int] = []
    used: set[int] = set()
    for count in (4, 2):
        for first in sorted(offsets):
            run = set(range(first, first + count))
            whole = run <= offsets and not run & used and first % count == 0
            if whole and stride % count == 0 and stride:
                used |= run
                found.append(4 * count)
    return sorted(found)


@settings(max_examples=50)
@given(stride=st.integers(0, 12), offsets=st.sets(st.integers(0, 12), min_size=1, max_size=8))
def test_runs_are_the_aligned_vectors(stride: int, offsets: set[int]) -> None:
    loads = " + ".join(f"in[{stride} * threadIdx.x + {offset}]" for offset in sorted(offsets))
    text = f"__global__ void kernel(float *out, const float *in) {{ out[threadIdx.x] = {loads}; }}"
    facts = facts_of(text, (64, 1, 1))
    assert sorted(run.vector for run in narrow_runs(facts)) == _vectors(stride, offsets)


@settings(max_examples=50)
@given(iterations=st.integers(1, 20))
def test_a_loop_fills_vectors_when_its_rounds_do(iterations: int) -> None:
    text = f"""__global__ void kernel(float *out, const float *in) {{
        float sum = 0.0f;
        for (int k = 0; k < {iterations}; ++k) sum += in[{iterations} * threadIdx.x + k];
        out[threadIdx.x] = sum;
    }}"""
    found = [run.vector for run in narrow_runs(facts_of(text, (64, 1, 1)))]
    widest = 16 if iterations % 4 == 0 else 8 if iterations % 2 == 0 else 0
    assert found == ([widest] if widest and iterations <= 16 else [])


def test_a_store_to_the_same_array_in_between_keeps_loads_apart() -> None:
    text = """__global__ void kernel(float *p) {
        int i = 2 * threadIdx.x;
        float a = p[i];
        p[i] = 0.0f;
        p[i + 64] = a + p[i + 1];
    }"""
    assert not list(narrow_runs(facts_of(text, (64, 1, 1))))
