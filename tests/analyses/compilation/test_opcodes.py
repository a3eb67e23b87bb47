"""Names of instructions."""

from __future__ import annotations

import pytest
from analyses.compiled import code_of


@pytest.mark.parametrize(
    ("expression", "opcode"),
    [
        ("in[0] / in[1]", "div.rn.f32"),
        ("(double)in[0] / in[1]", "div.rn.f64"),
        ("threadIdx.x / n", "div.s32"),
        ("rsqrtf(in[0])", "rsqrt.approx.f32"),
        ("powf(in[0], in[1])", "lg2.approx.f32"),
        ("in[0] * in[1]", "mul.rn.f32"),
    ],
)
def test_an_expression(expression: str, opcode: str) -> None:
    code = code_of(f"out[0] = {expression};")
    texts = {".".join((op.kind.mnemonic, *op.kind.modifiers)) for b in code.blocks for op in b}
    assert opcode in texts


@pytest.mark.parametrize(
    ("expression", "calls"), [("sin((double)in[0])", 1), ("sinf(in[0])", 0), ("exp((double)n)", 0)]
)
def test_what_calls_a_subroutine(expression: str, calls: int) -> None:
    code = code_of(f"out[0] = {expression};")
    assert sum(op.kind.mnemonic == "call" for block in code.blocks for op in block) == calls


@pytest.mark.parametrize(
    ("expression", "divisions"),
    [("sinh((double)in[0])", 1), ("sinhf(in[0])", 0), ("atan2f(in[0], in[1])", 1)],
)
def test_what_divides(expression: str, divisions: int) -> None:
    code = code_of(f"out[0] = {expression};")
    assert sum(op.kind.mnemonic == "div" for block in code.blocks for op in block) == divisions
