"""Accesses for the launch that they fare worst with, and the launches that nobody states."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.global_accesses import evaluate_global_access

TEXT = """__global__ void k(float *p, int pitch) {{
    __shared__ float s[2048]; s[threadIdx.x * pitch & 2047] = 1; p[threadIdx.x * pitch] = s[0]; }}
void run(float *p) {{ k<<<1, 64>>>(p, {}); k<<<1, 64>>>(p, {}); }}"""


@pytest.mark.parametrize("pitches", [(1, 8), (8, 1)])
def test_the_worst_of_the_launches(pitches: tuple[int, int]) -> None:
    facts = facts_of(TEXT.format(*pitches))
    assert len(facts.launches) == 2
    worst = facts.launches[pitches.index(8)]
    (stored,) = facts.global_accesses
    assert stored.launch is worst.launch
    assert stored.ratio == 8
    assert facts.shared_accesses[0].degree == 8
    assert facts.of_launch(worst.launch) is worst


def test_variants_are_all_usual_blocks_and_sizes() -> None:
    known = facts_of("__global__ void k(int *p) { p[threadIdx.y] = 1; }", (8, 8, 1)).launches[0]
    assert known.variants == ()
    open_block = facts_of("__global__ void k(int *p) { p[threadIdx.y] = 1; }").launches[0]
    shapes = [each.launch.block for each in open_block.variants]
    assert shapes == list(open_block.launch.usual)
    assert len(shapes) > 2
    assert all(each.launch.trusted for each in open_block.variants)
    text = "template <class T> __global__ void k(T *p) { p[threadIdx.y] = p[0]; }"
    open_type = facts_of(text).launches[0]
    pairs = {(each.launch.block, each.launch.element) for each in open_type.variants}
    assert len(pairs) == len(open_type.launch.usual) * len(open_type.launch.elements)
    assert {element for _, element in pairs} == set(open_type.launch.elements)


def test_variants_that_can_make_a_difference_to_an_access() -> None:
    """One size of elements for what lies and reaches where it does whatever they are."""
    text = """template <class T> __global__ void k(T *p, int *q, char *r) {
        p[threadIdx.y] = p[0]; q[threadIdx.y] = 1; *(int *)(r + sizeof(T) * threadIdx.y) = 2; }"""
    facts = facts_of(text)
    (launch,) = facts.launches
    written = [each for each in facts.accesses if each.writes]
    of_elements, plain, placed = (launch.variants_of(each) for each in written)
    assert of_elements == placed == launch.variants
    assert [each.launch.block for each in plain] == list(launch.launch.usual)
    assert len({each.launch.element for each in plain}) == 1
    assert all(each.brief for each in launch.variants_of(written[1], briefly=True))
    for access in written[1:2]:
        every = [evaluate_global_access(each, access) for each in launch.variants]
        few = [evaluate_global_access(each, access) for each in plain]
        assert {each.ratio for each in every} == {each.ratio for each in few}


def test_where_elements_decide_who_comes_all_sizes_are_asked() -> None:
    text = """template <class T> __global__ void k(T *p, int *q) {
        if (sizeof(T) > threadIdx.y) q[threadIdx.y] = 1; p[0] = p[threadIdx.y]; }"""
    facts = facts_of(text)
    (launch,) = facts.launches
    first = next(each for each in facts.accesses if each.writes)
    assert launch.variants_of(first) == launch.variants
