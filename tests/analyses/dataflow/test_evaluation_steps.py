"""How each value is found: from its operands, from outside of the loop, or not at all."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, on_line

from warplint.analyzer.analyses.dataflow.evaluation_steps import (
    EvaluationSteps,
    Way,
    is_evaluated,
)
from warplint.analyzer.analyses.dataflow.induction import induction
from warplint.analyzer.ir.operations import MemoryAccess, Opcode, Operation, Phi

BODY = """int s = 0;
for (int i = 0; i < n; i++) { // head
    int k = i * 2 + n; // sum
    s += p[k]; // load
}
int last = n > 3 ? n * 5 : s; // choice
p[last + s] = s - 1; // after
"""


def operations(mark: str, opcode: Opcode) -> list[Operation]:
    return [each for each in on_line(FACTS.kernel, mark) if each.opcode is opcode]


FACTS = body_facts(BODY)
STEPS = EvaluationSteps(FACTS.flow)


def test_values_that_are_no_operations_are_leaves() -> None:
    (parameter, *_) = FACTS.kernel.parameters
    assert STEPS.of(parameter, None).way is Way.LEAF
    assert STEPS.of(parameter, frozenset()).way is Way.LEAF


def test_what_does_not_vary_comes_from_outside() -> None:
    (product,) = operations("// sum", Opcode.MUL)
    assert STEPS.of(product, frozenset()).way is Way.OUTSIDE
    step = STEPS.of(product, frozenset([product]))
    assert (step.way, step.needs) == (Way.COMPUTED, tuple(product.operands))
    assert STEPS.of(product, None) == step


def test_a_load_needs_nothing_since_its_value_does_not_follow() -> None:
    (load,) = (each for each in on_line(FACTS.kernel, "// load") if isinstance(each, MemoryAccess))
    assert not is_evaluated(load)
    assert STEPS.of(load, None).needs == ()


def test_a_counter_needs_its_first_value_and_its_steps() -> None:
    phis = [each for each in FACTS.kernel.operations() if isinstance(each, Phi)]
    counters = {phi: known for phi in phis if (known := induction(FACTS.flow, phi)) is not None}
    ((counter, known),) = counters.items()
    step = STEPS.of(counter, None)
    assert step.needs == (known.first, *(value for value, _ in known.steps))
    assert not step.plain


def test_a_choice_needs_its_conditions_and_values() -> None:
    (product,) = operations("// choice", Opcode.MUL)
    choices = [
        each
        for each in FACTS.kernel.operations()
        if isinstance(each, Phi) and product in each.operands
    ] or operations("// choice", Opcode.SELECT)
    (choice,) = choices
    assert product in STEPS.of(choice, None).needs
    assert len(STEPS.of(choice, None).needs) == 3


@pytest.mark.parametrize(("mark", "opcode", "plain"), [
    ("// sum", Opcode.ADD, True),
    ("// after", Opcode.SUB, False),  # s comes out of a loop that was left
])  # fmt: skip
def test_operands_in_sight(mark: str, opcode: Opcode, *, plain: bool) -> None:
    assert {STEPS.of(each, None).plain for each in operations(mark, opcode)} == {plain}


def test_the_steps_of_one_choice_of_varying_operations_are_kept_together() -> None:
    (product,) = operations("// sum", Opcode.MUL)
    varying = frozenset([product])
    assert STEPS.within(varying) is STEPS.within(frozenset([product]))
    assert STEPS.within(varying) is not STEPS.within(None)
