"""Types that nobody gives, and the sizes that they are tried with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.warp_evaluation.access_iterations import Sweep, sweep
from warplint.analyzer.analyses.warp_evaluation.open_types import (
    ELEMENTS,
    has_open_types,
    open_sizes,
    sized_places,
    width_of,
)

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts

OPEN = facts_of("template <class T> __global__ void k(T *p, int *q) { q[0] = 1; p[2] = p[1]; }")
KNOWN = facts_of("__global__ void k(int *p) { p[0] = p[1]; }")


def test_whether_elements_have_no_known_size() -> None:
    assert has_open_types(OPEN)
    assert not has_open_types(KNOWN)
    assert len(open_sizes(OPEN)) > 0
    assert open_sizes(KNOWN) == []


def test_an_open_type_has_the_size_that_is_asked_for() -> None:
    launch = OPEN.launches[0].launch
    widths = [width_of(replace(launch, element=8), each) for each in OPEN.accesses]
    assert sorted(map(str, widths)) == ["4", "8", "8"]
    assert [width_of(launch, each) for each in OPEN.accesses].count(None) == 2
    assert width_of(KNOWN.launches[0].launch, KNOWN.accesses[0]) == 4


PLACED = """__shared__ T rows[8][33];
for (int i = threadIdx.x; i < 8 * 32; i += 64) rows[i / 32][i % 32] = p[i * n];
__syncthreads();
if (threadIdx.x < 40) p[threadIdx.x * 3] = rows[threadIdx.x & 7][threadIdx.x / 8];
"""
HALVED = """__shared__ T part[64];
part[threadIdx.x] = p[blockIdx.x * 64 + threadIdx.x];
for (int s = 32; s; s >>= 1) {
    __syncthreads();
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
}
T *from = n > 4 ? part : part + 1;
if (q[threadIdx.x] < 0) p[threadIdx.x * 2] = from[threadIdx.x % 32];
"""
STEPPED = "for (T *from = p + threadIdx.x; from < p + n; from += 64) *from = 0;"
ASKED = "if (sizeof(T) == 4) p[threadIdx.x] = p[threadIdx.x + 1];"


def of_template(body: str) -> KernelFacts:
    head = "template <class T> __global__ void k(T *p, int *q, int n)"
    return facts_of(f"{head} {{ {body} }}", block=(64, 1, 1))


def swept(facts: KernelFacts, size: int) -> list[object]:
    """What each access of a launch does whose elements have a size."""
    launch = facts.launches[0].of_element(size)
    found: list[object] = []
    for access in facts.accesses:
        seen = sweep(launch, access)
        if isinstance(seen, Sweep):
            each = [(one.warp, one.number, one.offsets) for one in seen.iterations]
            found.append((each, len(seen.assumed), seen.complete))
        else:
            found.append(seen.reason)
    return found


@pytest.mark.parametrize("body", [PLACED, HALVED, STEPPED, ASKED])
def test_what_sizes_share_is_what_each_has_alone(body: str) -> None:
    shared, alone = of_template(body), of_template(body)
    alone.sized_places = None
    for size in ELEMENTS:
        assert swept(shared, size) == swept(alone, size)


def test_where_sizes_do_no_more_than_place_elements() -> None:
    assert sized_places(of_template(PLACED))
    assert sized_places(of_template(HALVED))
    assert sized_places(KNOWN) == frozenset()
    assert sized_places(of_template(STEPPED)) is None  # it ends where they say
    assert sized_places(of_template(ASKED)) is None
