"""What the user calls a value that the launch does not give."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.warp_evaluation.lane_values import LaneValue
from warplint.analyzer.analyses.warp_evaluation.outcomes import IterationNumber
from warplint.analyzer.analyses.warp_evaluation.symbol_names import symbol_name
from warplint.analyzer.ir.block import Block
from warplint.analyzer.ir.types import INT32
from warplint.analyzer.ir.values import Parameter, Special, SpecialRegister, Unknown


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        (Parameter(INT32, "n", 0), "n"),
        (Parameter(INT32, "_Z4kernPii_param_1", 1), "param_1"),
        (Special.BLOCK_X, "blockIdx.x"),
        (SpecialRegister(INT32, Special.GRID_SIZE_Z), "gridDim.z"),
        (Unknown(INT32, "a macro"), ""),
        (IterationNumber(Block("0")), ""),
        (7, ""),
    ],
)
def test_names(symbol: object, name: str) -> None:
    assert symbol_name(symbol) == name


def test_members_of_parameters() -> None:
    text = """struct Size { int rows, columns; };
    __global__ void k(int *p, Size d) { p[0] = d.columns; }"""
    facts = facts_of(text, (32, 1, 1))
    value = facts.launches[0].evaluator(0).value(facts.accesses[-1].operands[1])
    assert isinstance(value, LaneValue)
    assert [symbol_name(symbol) for symbol, _ in value.terms] == ["d.columns"]


def test_elements_of_arrays_in_parameters() -> None:
    text = """struct Grid { int sizes[2]; };
    __global__ void k(int *p, Grid d) { p[0] = d.sizes[1]; p[1] = ((int4 *)p)[2].y; }"""
    facts = facts_of(text, (32, 1, 1))
    element, part = (each.stored for each in facts.accesses if each.writes)
    value = facts.launches[0].evaluator(0).value(element)
    assert isinstance(value, LaneValue)
    assert [symbol_name(symbol) for symbol, _ in value.terms] == ["d.sizes[1]"]
    assert symbol_name(element) == "d.sizes[1]"
    assert symbol_name(part) == "((int4 *)p)[2].y"


def test_variables_of_the_source() -> None:
    facts = body_facts("for (int i = p[0]; i < n; i = p[i]) p[i] = 1;")
    names = {symbol_name(each) for each in facts.kernel.operations()}
    assert "i" in names
