"""Types that nobody gives, and the sizes that they are tried with."""

from __future__ import annotations

from dataclasses import replace

from analyses.kernels import facts_of

from warplint.analyzer.analyses.warp_evaluation.open_types import (
    has_open_types,
    open_sizes,
    width_of,
)

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
