"""Comparisons of floating-point data, which may come out either way for each thread.

In: a condition, and which loads may find any number. Out: the comparisons of floating point that it
is made of, where each of them holds for some data and does not for other data: what it compares is
computed from such loads by steps that any number can come out of, and no load stands on both of its
sides; who takes the other arm of `i < n ? a[i] : 0` loads nothing, which is for the caller to see.
Where several of them are about one load, all must be joined by `&&` or all by `||`: then all of
them may hold at once, and none of them may.
Example: `p.x > low && p.x < high`, with `p = points[i]`.
Not handled: smallest and largest values, roots that are compared with a negative number, loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operation_kinds import Function
from ...ir.operations import (
    INEQUALITIES,
    Compare,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    Pure,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import Constant
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import ValueNumbering

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...ir.values import Value

_ANY = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV, Opcode.NEG, Opcode.ABS})
_SAME = frozenset({Opcode.CONVERT, Opcode.EXTRACT})
_FUNCTIONS = frozenset({Function.MULTIPLY_ADD, Function.SHORT_SUM, Function.WHOLE, Function.OTHER})
_JOINING = frozenset({Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.SELECT, Opcode.PHI})
_ARMS = 2


def free_comparisons(
    condition: Value, is_data: Callable[[MemoryAccess], bool]
) -> dict[Compare, list[MemoryAccess]] | None:
    """The comparisons of floats in a condition before a barrier, each with the loads that it is
    about; None where one of them cannot come out either way.
    """
    names = ValueNumbering()
    found: dict[Compare, list[MemoryAccess]] = {}
    parts = list(backward_slice(condition, through=_joins))
    for each in parts:
        if not isinstance(each, Compare) or each.compared.kind is not Kind.FLOAT:
            continue
        loads = _compared(each, is_data, names)
        if loads is None:
            return None
        found[each] = loads
    every = [name for loads in found.values() for name in {*map(names.of, loads)}]
    opcodes = (each.opcode for each in parts if isinstance(each, Operation))
    ways = [opcode for opcode in opcodes if opcode in _JOINING]
    alike = len(ways) <= 1 or {*ways} == {Opcode.AND} or {*ways} == {Opcode.OR}
    if len(every) > len(set(every)) and not alike:
        return None
    return found


def chosen_loads(comparisons: Iterable[Compare]) -> list[MemoryAccess]:
    """The loads in comparisons of floats before a barrier that only threads of one arm make: `i < n
    ? a[i] : 0`.
    """
    return [
        load
        for each in backward_slice(*comparisons, through=_is_computed)
        if isinstance(each, Phi)
        for load in map(unconverted, each.operands)
        if isinstance(load, MemoryAccess)
    ]


def _is_computed(value: Value) -> bool:
    return not isinstance(value, MemoryAccess)


def _joins(value: Value) -> bool:
    return not (isinstance(value, Compare) and value.compared.kind is Kind.FLOAT)


def _compared(
    compare: Compare, is_data: Callable[[MemoryAccess], bool], names: ValueNumbering
) -> list[MemoryAccess] | None:
    """The loads that a comparison is about; None where more than they may decide it."""
    if compare.opcode not in INEQUALITIES:
        return None
    sides = [_loads(side) for side in compare.operands]
    if None in sides:
        return None
    left, right = (side or [] for side in sides)
    both = {*map(names.of, left)} & {*map(names.of, right)}
    if both or not all(map(is_data, (*left, *right))):
        return None
    return [*left, *right] or None


def _loads(value: Value) -> list[MemoryAccess] | None:
    """The loads that a number is computed from, if any number can come out of the steps."""
    found: list[MemoryAccess] = []
    for each in backward_slice(value, through=_is_computed):
        if isinstance(each, MemoryAccess):
            found.append(each)
        elif isinstance(each, Phi):
            if not _is_choice(each):
                return None
        elif isinstance(each, Operation) and not _is_free(each):
            return None
    return found


def _is_choice(phi: Phi) -> bool:
    """Whether one of two arms is a load that only those make who take it: `i < n ? a[i] : 0`."""
    loads = [each for each in map(unconverted, phi.operands) if isinstance(each, MemoryAccess)]
    arms = zip(phi.operands, phi.block.predecessors, strict=True)
    own = [value for value, arm in arms if getattr(unconverted(value), "block", None) is arm]
    constants = [each for each in phi.operands if isinstance(each, Constant)]
    return len(loads) == len(own) == len(constants) == 1 and len(phi.operands) == _ARMS


def _is_free(operation: Operation) -> bool:
    if isinstance(operation, Pure):
        return operation.function in _FUNCTIONS
    return operation.opcode in _ANY or operation.opcode in _SAME
