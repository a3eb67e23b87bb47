"""Sums that lose what they sum up: integers that gather floats, bytes and halves that gather many.

In: the facts of a kernel. Out: a variable that a loop adds to, and what each iteration may lose:

- an integer that floats are added to, `int sum; sum += a * b`: each iteration widens it to float,
  adds, and cuts the result off. In SSA that is a phi of the loop with a conversion from float among
  its operands, of a sum in which the phi has a part;
- an integer of 8 or 16 bits that loaded values are added to, where the sum goes on into wider
  memory, or becomes a float: what stays that short may be meant to wrap, as checksums are;
- a float of 16 bits that a loop of unknown length adds loaded values to.

Floats that are whole numbers lose nothing, nor do those of an array of the block or the thread into
which the kernel puts nothing else in between. A cast in the source is meant; a variable whose type
is not known, `T sum = 0`, may be a float. Not handled: members and arrays, pairs of halves in one
register.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeGuard

from ...ir.memory import Space
from ...ir.operation_kinds import Function
from ...ir.operations import AccessKind, Convert, MemoryAccess, Opcode, Operation, Phi, Pure
from ...ir.types import Kind
from ...ir.values import Constant, ObjectAddress
from ...source.records import dataclass
from ..dataflow.paths import all_pass_through, can_reach
from ..dataflow.slices import backward_slice, loads_in
from ..dataflow.value_numbering import alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..dataflow.facts import DataflowFacts

_SUMMING = frozenset({Opcode.ADD, Opcode.SUB})
_SHORT, _WORD = (8, 16), 32  # bits
_OF_THE_BLOCK = frozenset({Space.SHARED, Space.LOCAL})


class Loss(Enum):
    """What a sum of a kernel loses because its type is too narrow."""

    FRACTIONS = "fractions"
    HIGH_BITS = "high bits"
    SMALL_TERMS = "small terms"


@dataclass(frozen=True, slots=True)
class NarrowAccumulator:
    """A sum whose type is too narrow: what each iteration adds may be lost."""

    update: Operation
    phi: Phi
    loss: Loss

    @property
    def loses_high_bits(self) -> bool:
        """Whether it is an integer that wraps."""
        return self.loss is Loss.HIGH_BITS


def narrow_accumulators(facts: DataflowFacts) -> Iterator[NarrowAccumulator]:
    """The sums of a kernel whose types are too narrow for what they gather, in its order."""
    for phi in facts.every(Phi):
        if not phi.open and phi.type.kind is Kind.INTEGER:
            yield from _integers(facts, phi)
    for loop in facts.flow.loops:
        for phi in loop.header.phis:
            if phi.open or phi.type.bits not in _SHORT:
                continue
            if phi.type.kind is Kind.INTEGER and _goes_on_wider(facts, phi, loop):
                yield from _short_integers(phi)
            elif phi.type.kind is Kind.FLOAT and facts.compile_time.at_most(loop) is None:
                yield from _halves(phi, loop)


def _integers(facts: DataflowFacts, phi: Phi) -> Iterator[NarrowAccumulator]:
    """Sums of floats that are cut off, where one of them may have a fraction."""
    for total in _cut_off(phi, Kind.FLOAT):
        terms = [each for each in total.operands if not _is_widened(each, phi)]
        if not all(_is_whole(each) or _is_kept_whole(facts, each) for each in terms):
            yield NarrowAccumulator(total, phi, Loss.FRACTIONS)


def _is_whole(value: Value) -> bool:
    """Whether a float has no fraction: it was an integer, is written so, or has been rounded."""
    if isinstance(value, Constant):
        return float(value.value).is_integer()
    if isinstance(value, Convert):
        source = value.operands[0]
        return source.type.kind is Kind.INTEGER or _is_whole(source)
    return isinstance(value, Pure) and value.function is Function.WHOLE


def _is_kept_whole(facts: DataflowFacts, value: Value) -> bool:
    """Whether a float comes from an array of the block or the thread, by a pointer through which
    the kernel stores whole numbers only, or does so on every way from other stores to this load.
    """
    if not isinstance(value, MemoryAccess) or value.kind is not AccessKind.LOAD:
        return False
    array = _array_of(value.address)
    if not any(
        isinstance(each, ObjectAddress) and each.object.space in _OF_THE_BLOCK
        for each in backward_slice(array)
    ):
        return False
    stored = [
        each
        for each in facts.every(MemoryAccess)
        if each.kind is AccessKind.STORE and alike(_array_of(each.address), array)
    ]
    whole = {each for each in stored if _is_whole(each.operands[1])}
    others = (each for each in stored if each not in whole and can_reach(facts.flow, each, value))
    return bool(whole) and all(
        all_pass_through(facts.flow, each, value, whole.__contains__) for each in others
    )


def _array_of(address: Value) -> Value:
    """The pointer that an index was added to."""
    added = isinstance(address, Operation) and address.opcode is Opcode.ADD
    return address.operands[0] if added and isinstance(address, Operation) else address


def _short_integers(phi: Phi) -> Iterator[NarrowAccumulator]:
    """Sums of what is loaded that keep their low bits."""
    for total in _cut_off(phi, Kind.INTEGER):
        if loads_in(total):
            yield NarrowAccumulator(total, phi, Loss.HIGH_BITS)


def _cut_off(phi: Phi, kind: Kind) -> Iterator[Operation]:
    """Sums of what a variable is widened to that it gets without a cast in the source."""
    for value in phi.operands:
        if isinstance(value, Convert) and not value.written:
            total = value.operands[0]
            if _is_sum(total, kind) and any(_is_widened(each, phi) for each in total.operands):
                yield total


def _halves(phi: Phi, loop: Loop) -> Iterator[NarrowAccumulator]:
    """Sums of halves, of what is loaded."""
    for value in phi.operands:
        if not isinstance(value, Operation) or value.block not in loop.blocks:
            continue
        if phi in value.operands and _adds_to(phi, value) and loads_in(value):
            yield NarrowAccumulator(value, phi, Loss.SMALL_TERMS)


def _adds_to(phi: Phi, value: Operation) -> bool:
    """Whether an operation on a variable is a sum that it is a term of."""
    if not isinstance(value, Pure):
        return value.opcode in _SUMMING
    if value.function is Function.MULTIPLY_ADD:
        return phi not in value.operands[:2]
    return value.function is Function.SHORT_SUM


def _goes_on_wider(facts: DataflowFacts, phi: Phi, loop: Loop) -> bool:
    """Whether a sum is stored wider than it is behind its loop, or taken as a float."""
    wider = [
        user
        for user in facts.users.get(phi, ())
        if isinstance(user, Convert) and user.block not in loop.blocks
    ]
    return any(
        each.type.kind is Kind.FLOAT or ((each.type.bits or 0) >= _WORD and _is_stored(facts, each))
        for each in wider
    )


def _is_stored(facts: DataflowFacts, value: Convert) -> bool:
    """Whether memory gets all bytes of a value."""
    return any(
        isinstance(user, MemoryAccess)
        and value in user.operands[1:]
        and (user.width or 0) * 8 >= (value.type.bits or 0)
        for user in facts.users.get(value, ())
    )


def _is_sum(value: Value, kind: Kind) -> TypeGuard[Operation]:
    is_sum = isinstance(value, Operation) and value.opcode in _SUMMING
    return is_sum and value.type.kind is kind


def _is_widened(value: Value, phi: Phi) -> bool:
    return isinstance(value, Convert) and not value.written and value.operands[0] is phi
