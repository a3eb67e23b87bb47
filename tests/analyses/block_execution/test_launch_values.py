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


def test_elements_of_members_have_a_name_each() -> None:
    text = """struct In { int a; int s[3]; }; struct Out { int first[1]; In in; };
    __global__ void k(int *p, Out o) { p[0] = o.first[0]; p[1] = o.in.s[1]; p[2] = o.in.s[1]; }"""
    facts = facts_of(text)
    parameter = facts.kernel.parameters[1]
    stored = [each.operands[1] for each in facts.accesses]
    assert [member_of(each) for each in stored] == [
        (parameter, 0),
        (parameter, 12),
        (parameter, 12),
    ]
    assert assumed_name(stored[1]) == assumed_name(stored[2]) == (parameter, 12)
    assert assumed_name(parameter) is parameter
    assert member_of(parameter) is None
    assert all(isinstance(each, Field) for each in stored)


def test_members_that_are_numbers_are_given_like_parameters() -> None:
    text = """struct In { int a, b; }; struct Out { int first; In in; };
    __global__ void k(int *p, Out o, int n) { p[0] = o.first; p[1] = o.in.b; p[2] = n; }"""
    facts = facts_of(text)
    first, last, n = (each.operands[1] for each in facts.accesses)
    assert facts.kernel.members == [first, last]
    assert [(each.name, each.member) for each in facts.kernel.members] == [
        ("o.first", (1, ("first",))),
        ("o.in.b", (1, ("in", "b"))),
    ]
    assert [each.index for each in facts.kernel.given] == [0, 1, 2, 3, 4]
    assert facts.kernel.parameters[2] is n


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
