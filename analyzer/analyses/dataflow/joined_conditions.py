"""What all has to hold for a condition to be true, or false: `&&` and `||` taken apart.

In: a condition, and what it has to come to. Out: conditions that it is made up of, each with what
it has to come to; the condition itself where several ways lead there, as for a true `a || b`.
Where the right side of an operator is evaluated only if the left one leaves it open, the two meet
in a phi: each way into it on which the value is known to be another one must not be taken, which
is a condition again. Not handled: phis of loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Branch, Opcode, Operation, Phi
from ...ir.types import Kind
from ...ir.values import whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ir.block import Block
    from ...ir.values import Value
    from .control_flow import ControlEdge

    Wanted = tuple[Value, int]


def joined_conditions(condition: Value, wanted: int) -> list[Wanted]:
    """The parts of a condition that must hold one by one (`&&`, `||`), each once, in the order of
    the source.
    """
    found: list[Wanted] = []
    seen: set[Wanted] = set()
    left: list[Wanted] = [(condition, wanted)]
    while left:
        part = left.pop()
        if part in seen:
            continue
        seen.add(part)
        parts = _parts(*part)
        if parts:
            left += reversed(parts)
        else:
            found.append(part)
    return found


def parts_of(edge: ControlEdge) -> list[Value]:
    """The conditions that decide one by one that an edge of the control flow is taken."""
    condition = edge.condition
    if condition is None:
        return list(edge.branch.terminator.operands[:1])
    return [each for each, _ in joined_conditions(*condition)]


def _parts(value: Value, wanted: int) -> Sequence[Wanted]:
    """What a condition is made up of, if all of it has to hold."""
    if value.type.kind is not Kind.PREDICATE or not isinstance(value, Operation):
        return ()
    if isinstance(value, Phi):
        return _short_cuts(value, wanted)
    if value.opcode is Opcode.NOT:
        return ((value.operands[0], not wanted),)
    every = Opcode.AND if wanted else Opcode.OR
    return [(each, wanted) for each in value.operands] if value.opcode is every else ()


def _short_cuts(phi: Phi, wanted: int) -> Sequence[Wanted]:
    """What has to hold for a phi that joins the sides of `&&` or `||`."""
    found: list[Wanted] = []
    ends = 0
    for operand, before in zip(phi.operands, phi.block.predecessors, strict=True):
        number = _on_way(operand, before, phi.block)
        if number is None:
            ends += 1
            found.append((operand, wanted))
            continue
        last = before.terminator
        if bool(number) == bool(wanted) or not isinstance(last, Branch):
            return ()
        found.append((last.condition, last.then is not phi.block))
    return found if ends == 1 and len(found) > 1 else ()


def _on_way(operand: Value, before: Block, block: Block) -> int | None:
    """What an operand of a phi is for those who come from a block, where that is known."""
    last = before.terminator
    if isinstance(last, Branch) and last.condition is operand and last.then is not last.otherwise:
        return int(last.then is block)
    return whole_number(operand)
