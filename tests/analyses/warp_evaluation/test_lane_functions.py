"""Functions of one value, against Python's integers."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, ptx_facts
from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.lane_functions import (
    LANE_MASKS,
    function_of_bits,
    negated,
)
from warplint.analyzer.analyses.warp_evaluation.lane_values import LaneValue
from warplint.analyzer.ir.operations import Pure
from warplint.analyzer.ir.values import Special


def lanes(expression: str) -> list[int]:
    facts = body_facts(f"int t = threadIdx.x; p[0] = {expression};")
    found = facts.launches[0].evaluator(0).value(facts.accesses[-1].operands[1])
    assert isinstance(found, LaneValue)
    assert found.is_number
    return list(found.lanes)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("-t", lambda t: -t),
        ("~t", lambda t: ~t),
        ("abs(t - 9)", lambda t: abs(t - 9)),
        ("__popc(t)", lambda t: t.bit_count()),
        ("__clz(t)", lambda t: 32 - t.bit_length()),
        ("(int)(__brev(t) >> 24)", lambda t: int(f"{t:08b}"[::-1], 2)),
        ("__popc(-1 - t)", lambda t: 32 - t.bit_count()),
        ("__clzll((long long)t)", lambda t: 64 - t.bit_length()),
    ],
)
def test_each_lane(expression: str, expected) -> None:  # type: ignore[no-untyped-def]
    assert lanes(expression) == [expected(t) for t in range(32)]


@given(st.integers(0, 31))
def test_masks_of_lanes(lane: int) -> None:
    def bits(*numbers: int) -> int:
        return sum(1 << number for number in numbers)

    assert LANE_MASKS[Special.LANE_MASK_EQ](lane) == bits(lane)
    assert LANE_MASKS[Special.LANE_MASK_LT](lane) == bits(*range(lane))
    assert LANE_MASKS[Special.LANE_MASK_LE](lane) == bits(*range(lane + 1))
    assert LANE_MASKS[Special.LANE_MASK_GE](lane) == bits(*range(lane, 32))
    assert LANE_MASKS[Special.LANE_MASK_GT](lane) == bits(*range(lane + 1, 32))


@given(st.lists(st.integers(-99, 99), min_size=32, max_size=32), st.integers(-9, 9))
def test_negation_of_symbols(numbers: list[int], factor: int) -> None:
    terms = (("n", factor),) if factor else ()
    found = negated(LaneValue(tuple(numbers), terms))
    assert list(found.lanes) == [-number for number in numbers]
    assert dict(found.terms).get("n", 0) == -factor


def test_other_functions_are_none_of_bits() -> None:
    for line, known in (("popc.b32 %r3, %r1;", True), ("sin.approx.f32 %f1, %f2;", False)):
        facts = ptx_facts(line)
        pure = [each for each in facts.kernel.operations() if isinstance(each, Pure)]
        assert [function_of_bits(each) is not None for each in pure] == [known]
