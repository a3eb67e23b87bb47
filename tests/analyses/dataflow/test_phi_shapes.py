"""Which value a phi holds, against programs of branches that are run."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.dataflow.phi_shapes import Decision, selection
from warplint.analyzer.analyses.dataflow.slices import backward_slice
from warplint.analyzer.ir.operations import AccessKind, Phi
from warplint.analyzer.ir.values import Constant, Parameter, Value

#: A number that is assigned, nothing, or a choice by one of four parameters.
Program = int | None | tuple[int, "Program", "Program"]
PARAMETERS = "int *p, int a0, int a1, int a2, int a3"

programs: st.SearchStrategy[Program] = st.recursive(
    st.none() | st.integers(1, 99),
    lambda inner: st.tuples(st.integers(0, 3), inner, inner),
    max_leaves=7,
)


def text_of(program: Program) -> str:
    if program is None:
        return ""
    if isinstance(program, int):
        return f"x = {program};"
    number, then, otherwise = program
    return f"if (a{number}) {{ {text_of(then)} }} else {{ {text_of(otherwise)} }}"


def run(program: Program, arguments: list[bool], x: int = 0) -> int:
    if isinstance(program, tuple):
        number, then, otherwise = program
        return run(then if arguments[number] else otherwise, arguments, x)
    return x if program is None else program


@settings(max_examples=60)
@given(programs, programs)
def test_the_decisions_lead_to_the_value_that_is_assigned(first: Program, then: Program) -> None:
    body = f"int x = 0; {text_of(first)} {text_of(then)} p[0] = x;"
    facts = body_facts(body, parameters=PARAMETERS)

    def value_of(value: Value | Decision, arguments: list[bool]) -> int:
        if isinstance(value, Constant):
            return int(value.value)
        if isinstance(value, Decision):
            (asked,) = (v for v in backward_slice(value.condition) if isinstance(v, Parameter))
            held = arguments[int(asked.name[1:])]
            return value_of(value.then if held else value.otherwise, arguments)
        assert isinstance(value, Phi)
        chosen = selection(facts.flow, value)
        assert chosen is not None
        return value_of(chosen, arguments)

    stored = next(each for each in facts.accesses if each.kind is AccessKind.STORE).operands[1]
    for number in range(16):
        arguments = [bool(number >> bit & 1) for bit in range(4)]
        assert value_of(stored, arguments) == run(then, arguments, run(first, arguments))


def last_phi(body: str) -> Decision | None:
    facts = body_facts(body, parameters=PARAMETERS)
    place = facts.kernel.parameters[0]
    (phi,) = (each.operands[1] for each in facts.accesses if each.address is place)
    assert isinstance(phi, Phi)
    return selection(facts.flow, phi)


@pytest.mark.parametrize(
    "body",
    [
        "int x = 0; for (; x < a0; x++) p[x + 9] = 1; p[0] = x;",  # a header: as often as it goes
        "int x = 0; for (int i = 1; i < a0; i++) { x = 2; if (p[i]) goto out; x = 1; }"
        "out: p[0] = x;",
        "int x; switch (a0) { case 1: x = 1; break; case 2: x = 2; break; default: x = 3; }"
        "p[0] = x;",
    ],
)
def test_where_branches_alone_do_not_tell(body: str) -> None:
    assert last_phi(body) is None


def test_the_values_of_a_decision_are_its_conditions_and_what_may_come_out() -> None:
    chosen = last_phi("int x; if (a0) x = a2; else x = 7; p[0] = x;")
    assert chosen is not None
    assert list(chosen.values()) == [chosen.condition, chosen.then, chosen.otherwise]
    flat = Decision(
        chosen.condition, chosen.then, Decision(chosen.then, chosen.otherwise, chosen.condition)
    )
    assert list(flat.values()) == [
        chosen.condition, chosen.then, chosen.then, chosen.otherwise, chosen.condition
    ]  # fmt: skip
