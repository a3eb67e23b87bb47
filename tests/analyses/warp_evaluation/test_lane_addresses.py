"""Where each lane goes, as numbers and symbols."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.warp_evaluation.lane_addresses import (
    LaneAddress,
    is_base,
    lane_address,
)
from warplint.analyzer.analyses.warp_evaluation.outcomes import Unevaluable


def address(body: str, warp: int = 0) -> LaneAddress | Unevaluable:
    facts = body_facts(f"int t = threadIdx.x; {body}", (64, 1, 1), "int *p, int *q, int n")
    access = next(each for each in facts.accesses if each.writes)
    return lane_address(facts.launches[0], access, warp)


@pytest.mark.parametrize(
    ("index", "first", "step", "symbols"),
    [
        ("t", 128, 4, []),
        ("t * 3 + 5", 404, 12, []),
        ("t + n", 128, 4, [4]),
        ("t + n * 8 + blockIdx.x * 64", 128, 4, [32, 256]),
        ("7", 28, 0, []),
    ],
)
def test_the_second_warp(index: str, first: int, step: int, symbols: list[int]) -> None:
    found = address(f"p[{index}] = 1;", 1)
    assert isinstance(found, LaneAddress)
    assert found.value.lanes == tuple(first + step * lane for lane in range(32))
    others = [factor for name, factor in found.value.terms if not is_base(name)]
    assert others == symbols
    assert found.object is not None
    assert found.object.name == "*p"
    assert found.mask == (True,) * 32
    assert found.assumed == frozenset()


def test_guards_decide_who_takes_part() -> None:
    found = address("if (t < 5) p[t] = 1;")
    assert isinstance(found, LaneAddress)
    assert found.mask == (True,) * 5 + (False,) * 27
    assumed = address("if (q[t] > 5) p[t] = 1;")
    assert isinstance(assumed, LaneAddress)
    assert len(assumed.assumed) == 1


def test_what_has_no_addresses() -> None:
    assert isinstance(address("p[q[t]] = 1;"), Unevaluable)
    text = "__global__ void k(int *p) { p[threadIdx.y] = 1; }"
    facts = facts_of(text)
    assert isinstance(lane_address(facts.launches[0], facts.accesses[0]), Unevaluable)


def test_several_objects_are_none_and_what_the_launch_passes() -> None:
    found = address("int *r = n ? p : q; r[t] = 1;")
    assert isinstance(found, LaneAddress)
    assert found.object is None
    text = """__global__ void k(int *p, int n, int m) { p[threadIdx.x * n] = m; }
    void run(int *p) { k<<<1, 32>>>(p, 3, 4); }"""
    facts = facts_of(text)
    passed = lane_address(facts.launches[0], facts.accesses[0])
    assert isinstance(passed, LaneAddress)
    assert passed.passed == (("n", 3),)
    assert passed.launch is facts.launches[0].launch


def test_where_objects_start() -> None:
    facts = body_facts("p[n] = 1;")
    pointer, size = facts.kernel.parameters
    assert is_base(pointer)
    assert not is_base(size)
    assert not is_base("n")
