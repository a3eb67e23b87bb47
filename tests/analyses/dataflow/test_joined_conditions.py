"""What all has to hold for a condition, against all values of its parts."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts, branching
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.dataflow.control_flow import ControlEdge
from warplint.analyzer.analyses.dataflow.joined_conditions import joined_conditions, parts_of
from warplint.analyzer.ir.operations import Branch, Compare, MemoryAccess, Switch
from warplint.analyzer.ir.values import Constant

if TYPE_CHECKING:
    from warplint.analyzer.ir.block import Block
    from warplint.analyzer.ir.values import Value

PARAMETERS = "int *o, const int *a, int n, int m"
PARTS = 4
LOADED = [f"a[{each}] > 3" for each in range(PARTS)]

#: `a && b`, where the right side loads and is evaluated by those alone who come to it.
expressions = st.recursive(
    st.sampled_from(LOADED),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["and", "or"]), inner),
        st.builds("(not {})".format, inner),
    ),
    max_leaves=5,
)


def last_branch(body: str) -> tuple[Block, Branch]:
    block = branching(body_facts(body, parameters=PARAMETERS).kernel)[-1]
    assert isinstance(block.terminator, Branch)
    return block, block.terminator


def place(part: Value) -> int | None:
    """Which of the loaded numbers a condition compares; None for one that is made up of others."""
    if not isinstance(part, Compare) or not isinstance(part.operands[0], MemoryAccess):
        return None
    address = part.operands[0].address
    offset = address.operands[1] if len(getattr(address, "operands", ())) == 2 else None
    return int(offset.value) // 4 if isinstance(offset, Constant) else 0


@settings(max_examples=60)
@given(expressions, st.booleans())
def test_parts_hold_where_the_condition_does(text: str, wanted: bool) -> None:
    code = text.replace("and", "&&").replace("or", "||").replace("not ", "!")
    _, branch = last_branch(f"bool all = {code}; o[1] = 7; if (all) o[0] = 1;")
    parts = [
        (place(each), bool(truth)) for each, truth in joined_conditions(branch.condition, wanted)
    ]
    for values in product((False, True), repeat=PARTS):
        whole = eval(text, {"a": [5 if each else 1 for each in values]})
        holding = [values[at] is truth for at, truth in parts if at is not None]
        if bool(whole) is wanted:
            assert all(holding)
        elif all(at is not None for at, _ in parts):
            assert not all(holding)


@pytest.mark.parametrize(
    ("text", "then", "otherwise"),
    [
        ("n > 3", 1, 1),
        ("n > 3 && m > 4", 2, 1),
        ("n > 3 || m > 4", 1, 2),
        ("n > 3 && a[n] > 4", 2, 1),
        ("n > 3 || a[n] > 4 || a[m] > 5", 1, 3),
        ("!(n > 3 || a[n] > 4)", 2, 1),
    ],
)
def test_what_decides_that_an_edge_is_taken(text: str, then: int, otherwise: int) -> None:
    block, branch = last_branch(f"bool all = {text}; o[1] = 7; if (all) o[0] = 1;")
    assert len(parts_of(ControlEdge(block, branch.then))) == then
    assert len(parts_of(ControlEdge(block, branch.otherwise))) == otherwise


def test_a_choice_among_cases_is_one_condition() -> None:
    facts = body_facts(
        "switch (n) { case 1: o[0] = 1; break; case 2: o[1] = 2; }", parameters=PARAMETERS
    )
    (block,) = (each for each in facts.kernel.blocks if isinstance(each.terminator, Switch))
    way = ControlEdge(block, block.successors[0])
    assert parts_of(way) == [block.terminator.operands[0]]


def test_what_is_said_over_and_over_is_one_part() -> None:
    twice = "bool c0 = n > 3;" + "".join(f"bool c{i + 1} = c{i} & c{i};" for i in range(40))
    _, branch = last_branch(f"{twice} if (c40) o[0] = 1;")
    assert len(joined_conditions(branch.condition, True)) == 1
