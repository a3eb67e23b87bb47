"""What values are made of, with what decides which operand their phis take.

Problem: backward slices (`slices.py`) with the control dependence of phis: `if (c) at = 0; else at
= t;` makes `at` depend on `c`. In: a kernel's control flow, values. Out: every value that has a
part in them, each once, the nearest first; of a phi all conditions that decide how control comes to
it, but for those that decide whether it comes there at all. Not handled: how often a loop iterates,
for what it leaves behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Phi
from .reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from .control_flow import ControlFlow


def deciding_slice(flow: ControlFlow, *values: Value) -> Iterator[Value]:
    """Everything that has a part in values, themselves first."""

    def parts(value: Value) -> Iterator[Value]:
        yield from value.operands
        if isinstance(value, Phi):
            always = set(flow.conditions(value.block))
            for before in value.block.predecessors:
                yield from (each for each in flow.conditions(before) if each not in always)

    return reachable(values, parts)
