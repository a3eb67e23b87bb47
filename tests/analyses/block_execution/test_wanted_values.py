"""What a run of a kernel has to compute, and what it may leave out."""

from __future__ import annotations

from analyses.kernels import body_facts, on_line

from warplint.analyzer.ir.operations import MemoryAccess, Opcode

BODY = """int at = n * 2; // wanted
float f = n * 1.5f; // idle
int kept = 0;
for (int i = 0; i < n; i++) { kept += 3; } // loop
p[at] = 1;
q[kept] = f;
if (at > 7) // test
    p[0] = 2;
"""
FACTS = body_facts(BODY, parameters="int *p, float *q, int n")
WANTED = FACTS.plan.wanted


def test_what_decides_where_threads_go_and_what_they_touch() -> None:
    (product,) = (e for e in on_line(FACTS.kernel, "// wanted") if e.opcode is Opcode.MUL)
    assert product in WANTED.needed
    compared = on_line(FACTS.kernel, "// test")[0]
    assert compared in WANTED.needed
    idle = [e for e in on_line(FACTS.kernel, "// idle") if e.opcode is Opcode.MUL]
    assert idle
    assert WANTED.needed.isdisjoint(idle)


def test_steps_are_those_that_are_needed_or_have_an_effect() -> None:
    for block, steps in WANTED.steps.items():
        for operation in block.operations[:-1]:
            effect = isinstance(operation, MemoryAccess)
            wanted = operation in WANTED.needed and operation.opcode is not Opcode.PHI
            assert (operation in steps) is (effect or wanted)
        assert WANTED.step_at(block, len(steps)) is block.terminator
        if steps:
            assert WANTED.step_at(block, 0) is steps[0]


def test_values_that_outlive_their_loop() -> None:
    (loop,) = FACTS.flow.loops
    outside = [each for each in WANTED.kept if each.block in loop.blocks]
    assert len(outside) == 1
