"""Stores that leave what is there, in the threads that a condition says so of.

In: a store. Out: the conditions under which it puts back what the thread has just loaded from the
same place: `row[t] = t < n ? x : row[t]`, `row[t] -= (t == n ? 0 : x) * y`. Who reads there finds
the same before and after; who writes there does not, and his store may be lost. Values are taken
for numbers as mathematics has them: 0 * x is 0. Not handled: what depends on several conditions,
differences of equal values, places that the thread stores to in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ...ir.operation_kinds import Function
from ...ir.operations import (
    AccessKind,
    Field,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    Pure,
    unconverted,
)
from ...ir.values import Constant
from ..dataflow.phi_shapes import Decision, selection
from ..dataflow.value_numbering import alike
from ..pointers.member_places import are_apart, part_of

if TYPE_CHECKING:
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlFlow

_DEPTH = 16  # operations deep that a value is looked through
_PARTS = 100  # of a value, in which what decides about it is looked for
_CONDITIONS = 4  # that are tried
_SUMS = frozenset({Function.OBJECT_SUM, Function.OBJECT_DIFFERENCE})
_FOLLOWED = frozenset(
    {
        Opcode.ADD,
        Opcode.SUB,
        Opcode.MUL,
        Opcode.NEG,
        Opcode.CONVERT,
        Opcode.AGGREGATE,
        Opcode.EXTRACT,
    }
)  # what is made of known parts may be known

Condition = tuple["Value", bool]


def kept_when(flow: ControlFlow, store: MemoryAccess) -> tuple[Condition, ...]:
    """The conditions, each with what it must be, under which a thread's store leaves memory as it
    is.
    """
    if store.kind is not AccessKind.STORE or len(store.operands) != 2:
        return ()
    value = store.operands[1]
    parts = _parts(value)
    if not any(_is_like(each, store) for each in parts):
        return ()
    return tuple(
        (condition, truth)
        for condition in _conditions(flow, parts)
        for truth in (True, False)
        if _is_own(store, unconverted(_Reader(flow, (condition, truth)).read(value, _DEPTH)))
    )


def _parts(value: Value) -> list[Value]:
    """What a value is made of at once, not through loads: the nearest hundred parts."""
    found = {value: None}
    work = [value]
    for each in work:
        if isinstance(each, Operation) and not isinstance(each, MemoryAccess):
            new = [operand for operand in each.operands if operand not in found]
            found.update(dict.fromkeys(new))
            work += new
        if len(found) > _PARTS:
            break
    return list(found)


def _is_like(value: Value, store: MemoryAccess) -> TypeGuard[MemoryAccess]:
    """Whether a value is loaded as a store stores."""
    if not isinstance(value, MemoryAccess) or value.kind is not AccessKind.LOAD:
        return False
    return value.width == store.width and not value.volatile


def _conditions(flow: ControlFlow, parts: list[Value]) -> list[Value]:
    """What decides between the parts of a value, the nearest first; few decide about much."""
    found: dict[Value, None] = {}
    for each in parts:
        decided = _decided(flow, each) if isinstance(each, Operation) else None
        if decided is not None:
            found[decided.condition] = None
        if len(found) == _CONDITIONS:
            break
    return list(found)


def _decided(flow: ControlFlow, value: Operation) -> Decision | None:
    """What decides between two values."""
    if value.opcode is Opcode.SELECT:
        return Decision(*value.operands)
    found = selection(flow, value) if isinstance(value, Phi) else None
    if found is None or isinstance(found.then, Decision):
        return None
    return None if isinstance(found.otherwise, Decision) else found


def _is_own(store: MemoryAccess, value: Value) -> bool:
    """Whether a value is what the thread has just loaded from the place that it stores to."""
    if not _is_like(value, store) or not alike(value.address, store.address):
        return False
    before, after = value.block, store.block
    assert before is not None
    assert after is not None
    if before is after:
        between = after.operations[after.operations.index(value) : after.operations.index(store)]
    elif list(before.successors) == [after]:
        between = before.operations[before.operations.index(value) :]
        between += after.operations[: after.operations.index(store)]
    else:
        return False
    return not any(isinstance(each, MemoryAccess) and _may_write(each, store) for each in between)


def _may_write(access: MemoryAccess, store: MemoryAccess) -> bool:
    """Whether an access may write to the place of a store: not to another member of a struct."""
    one, other = part_of(access), part_of(store)
    return access.writes and (one is None or other is None or not are_apart(one, other))


class _Reader:
    """Reads values where one condition is known, each once."""

    def __init__(self, flow: ControlFlow, known: Condition) -> None:
        self._flow = flow
        self._known = known
        self._read: dict[Value, Value] = {}

    def read(self, value: Value, depth: int) -> Value:
        """What a value is there."""
        if not isinstance(value, Operation) or isinstance(value, MemoryAccess) or not depth:
            return value
        if value not in self._read:
            chosen = self._chosen(value)
            self._read[value] = (
                self._computed(value, depth) if chosen is None else self.read(chosen, depth - 1)
            )
        return self._read[value]

    def _computed(self, value: Operation, depth: int) -> Value:
        function = value.function if isinstance(value, Pure) else Function.OTHER
        product = value.opcode is Opcode.MUL or function is Function.OBJECT_PRODUCT
        if value.opcode not in _FOLLOWED and not product and function not in _SUMS:
            return value
        parts = [self.read(each, depth - 1) for each in value.operands]
        if isinstance(value, Field) and value.opcode is Opcode.EXTRACT:
            return _member(value, parts[0])
        if product:
            return next(filter(_is_zero, parts), value)
        if len(parts) == 2 and (value.opcode in (Opcode.ADD, Opcode.SUB) or function in _SUMS):
            if _is_zero(parts[1]):
                return parts[0]
            if _is_zero(parts[0]) and (
                value.opcode is Opcode.ADD or function is Function.OBJECT_SUM
            ):
                return parts[1]
        if value.opcode in (Opcode.CONVERT, Opcode.NEG) and _is_zero(parts[0]):
            return parts[0]
        if value.opcode is Opcode.AGGREGATE:
            return Operation(Opcode.AGGREGATE, value.type, parts, value.location)
        return value

    def _chosen(self, value: Operation) -> Value | None:
        condition, truth = self._known
        decided = _decided(self._flow, value)
        if decided is None or decided.condition is not condition:
            return None
        way = decided.then if truth else decided.otherwise
        return None if isinstance(way, Decision) else way


def _member(extract: Field, whole: Value) -> Value:
    """A part of an aggregate of equal parts."""
    if _is_zero(whole) and isinstance(whole, Operation):
        return whole.operands[0]
    width = extract.type.width
    if isinstance(whole, Operation) and whole.opcode is Opcode.AGGREGATE and width:
        place = extract.offset // width
        if all(each.type.width == width for each in whole.operands) and place < len(whole.operands):
            return whole.operands[place]
    return extract


def _is_zero(value: Value) -> bool:
    """Whether a value is zero, or an aggregate of zeros."""
    if isinstance(value, Constant):
        return value.value == 0
    if isinstance(value, Operation) and value.opcode is Opcode.AGGREGATE and value.operands:
        return all(map(_is_zero, value.operands))
    return False
