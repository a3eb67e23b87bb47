"""Values that a launch gives."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.block_execution.launch_values import (
    assumed_name,
    is_block_index,
    lies_by_grid,
    member_of,
)
from warplint.analyzer.ir.operations import Field
from warplint.analyzer.ir.types import UINT32
from warplint.analyzer.ir.values import Special, SpecialRegister


def test_members_of_parameters_have_a_name_each() -> None:
    text = """struct In { int a, b; }; struct Out { int first; In in; };
    __global__ void k(int *p, Out o) { p[0] = o.first; p[1] = o.in.b; p[2] = o.in.b; }"""
    facts = facts_of(text)
    parameter = facts.kernel.parameters[1]
    stored = [each.operands[1] for each in facts.accesses]
    assert [member_of(each) for each in stored] == [(parameter, 0), (parameter, 8), (parameter, 8)]
    assert assumed_name(stored[1]) == assumed_name(stored[2]) == (parameter, 8)
    assert assumed_name(parameter) is parameter
    assert member_of(parameter) is None
    assert all(isinstance(each, Field) for each in stored)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[gridDim.x * n] = 1;", True),
        ("p[threadIdx.x + gridDim.y] = 1;", True),
        ("p[blockIdx.x] = 1;", False),
        ("for (int i = 0; i < n; i += gridDim.x) p[i] = 1;", False),  # the step of a loop
    ],
)
def test_addresses_by_the_size_of_the_grid(body: str, *, expected: bool) -> None:
    (access,) = body_facts(body).accesses
    assert lies_by_grid(access.address) is expected


def test_block_indices() -> None:
    found = {each for each in Special if is_block_index(SpecialRegister(UINT32, each))}
    assert found == {Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z}
    assert not is_block_index(body_facts("p[0] = 1;").kernel.parameters[0])
