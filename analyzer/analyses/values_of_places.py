"""Stores whose value hangs on nothing but the place they go to: `out[i] = in[i]`.

In: the tracked accesses of a launch and a store. Out: whether two threads of a block that come to
one place with it store the same there, since what tells the places apart (`i`) is all that tells
the values apart. The address must be a sum or a multiple of that number, so that equal addresses
mean equal numbers. Not handled: places of several numbers (`row * width + column`), wrapping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..ir.operations import AccessKind, Convert, MemoryAccess, Opcode, Operation, Phi
from ..ir.values import Constant
from .block_program import computed_from
from .uniformity import Uniformity

if TYPE_CHECKING:
    from ..ir.values import Value
    from .tracked_accesses import Tracked

_SUMS = frozenset({Opcode.ADD, Opcode.SUB})
_MULTIPLES = frozenset({Opcode.MUL, Opcode.SHL})
_MADE_BY = frozenset(
    {Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV, Opcode.REM, Opcode.MIN, Opcode.MAX}
    | {Opcode.SHL, Opcode.SHR, Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.NEG, Opcode.ABS}
    | {Opcode.CONVERT, Opcode.PURE, Opcode.SELECT, Opcode.AGGREGATE, Opcode.EXTRACT}
)
_DEPTH = 60


def told_by_place(tracked: Tracked, store: MemoryAccess) -> bool:
    """Whether threads of a block store the same wherever they come to the same place."""
    numbers = _numbers(tracked, store.address)
    return bool(numbers) and _made_of(tracked, store.operands[1], numbers, set())


def _numbers(tracked: Tracked, address: Value) -> set[Value]:
    """What an address tells: the number it is a multiple of, but for what all threads share."""
    found: set[Value] = set()
    value = address
    for _ in range(_DEPTH):
        found.add(value)
        if isinstance(value, Convert):
            value = value.operands[0]
            continue
        if not isinstance(value, Operation) or value.opcode not in _SUMS | _MULTIPLES:
            break
        varying = [each for each in value.operands if not _is_fixed(tracked, each)]
        others = [each for each in value.operands if each not in varying]
        if len(varying) != 1:
            break
        if value.opcode in _MULTIPLES and not _is_number(others, value.opcode, varying[0], value):
            break
        (value,) = varying
    return found


def _is_number(others: list[Value], opcode: Opcode, varying: Value, made: Operation) -> bool:
    """Whether the other factor is a number that is not zero."""
    if opcode is Opcode.SHL:
        return made.operands[0] is varying
    return all(isinstance(each, Constant) and bool(each.value) for each in others)


def _is_fixed(tracked: Tracked, value: Value) -> bool:
    """Whether all threads of the block have the same value, in all rounds of all loops."""
    if tracked.launch.uniformity.of(value) > Uniformity.BLOCK:
        return False
    return not any(
        isinstance(each, Phi) or each in tracked.accesses for each in computed_from(value)
    )


def _made_of(tracked: Tracked, value: Value, numbers: set[Value], seen: set[Value]) -> bool:
    """Whether a value is made of these numbers and of what all threads share."""
    if value in numbers or value in seen or _is_fixed(tracked, value):
        return True
    if not isinstance(value, Operation) or len(seen) > _DEPTH:
        return False
    seen.add(value)
    if isinstance(value, MemoryAccess):
        reads = value.kind is AccessKind.LOAD and not value.volatile and not value.scope
        if not reads or value in tracked.accesses or value in tracked.untracked:
            return False
        if Space.LOCAL in tracked.launch.facts.points_to.spaces(value):
            return False  # each thread has its own
        return _made_of(tracked, value.address, numbers, seen)
    if value.opcode not in _MADE_BY or not value.operands:
        return False
    return all(_made_of(tracked, each, numbers, seen) for each in value.operands)
