"""The lowest bits of values, as far as the compiler knows them: what it aligns accesses by.

Problem: `s[t * 8 + 1]` begins four bytes into a vector whatever `t` is, `s[t * pitch]` begins
anywhere, though a launch may pass 8. Algorithm: known bits (LLVM's `computeKnownBits`) of the
lowest four, in a lattice of congruences modulo powers of two (Granger, "Static Analysis of
Arithmetical Congruences", 1989), over SSA form with phis, from the optimistic side. In: a kernel.
Out: for a value how many of its lowest bits are known, and what they are; 0 known bits for what a
launch gives, what is loaded, and what divides. Objects in shared memory begin at multiples of 16,
as ptxas places them. Not handled: constants that only the launch bounds give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Opcode, Operation, Phi
from ...ir.types import Kind
from ...ir.values import ObjectAddress, whole_number
from ...source.records import dataclass
from .fixpoint import solve
from .reachability import postorder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...ir.kernel import Kernel
    from ...ir.values import Value
    from .control_flow import Loop

_MOST = 4  # bits: of the widest vector, in bytes
_NUMBERS = (Kind.INTEGER, Kind.POINTER)


@dataclass(frozen=True, slots=True)
class Bits:
    """The lowest bits of a value that the compiler knows: `count` of them, in `number`."""

    count: int
    number: int

    def modulo(self, width: int) -> int | None:
        """The rest of a division by a power of two, where it is known."""
        return self.number % width if 1 << self.count >= width else None


_NONE = Bits(0, 0)


class LowBits:
    """The lowest bits of all values of a kernel, as far as the compiler knows them."""

    def __init__(self, kernel: Kernel, users: Mapping[Value, Sequence[Operation]]) -> None:
        self._users = users
        self._known: dict[Value, Bits] = {}
        numbers = [each for each in kernel.operations() if each.type.kind in _NUMBERS]
        solve(numbers, self._settle)

    def of(self, value: Value) -> Bits:
        """Those of a value, in all iterations of the loops around it."""
        known = self._known.get(value)
        return _at_first(value) if known is None else known

    def entering(self, value: Value, loop: Loop) -> Bits:
        """Those of a value in the first iteration of a loop."""
        found: dict[Value, Bits] = {}
        for phi in loop.header.phis:
            pairs = zip(phi.operands, phi.block.predecessors, strict=True)
            outside = [self.of(each) for each, way in pairs if way not in loop.blocks]
            found[phi] = _meet(outside)

        def needs(each: Value) -> Sequence[Value]:
            taken = isinstance(each, Operation) and each.block in loop.blocks
            return each.operands if taken and not isinstance(each, Phi) else ()

        for each in postorder(value, needs, found):
            if needs(each) and isinstance(each, Operation):
                found[each] = _made(each, [found[part] for part in each.operands])
            else:
                found[each] = self.of(each)
        return found[value]

    def _settle(self, operation: Operation) -> Sequence[Operation]:
        seen = [self._so_far(each) for each in operation.operands]
        found = [each for each in seen if each is not None]
        if isinstance(operation, Phi):  # what is not known yet may be anything that fits
            new = _meet(found) if found else None
        else:
            new = _made(operation, found) if len(found) == len(seen) else None
        if new is None or self._known.get(operation) == new:
            return ()
        self._known[operation] = new
        return [each for each in self._users.get(operation, ()) if each.type.kind in _NUMBERS]

    def _so_far(self, value: Value) -> Bits | None:
        """None for what has not been looked at."""
        if isinstance(value, Operation) and value.type.kind in _NUMBERS:
            return self._known.get(value)
        return _at_first(value)


def _at_first(value: Value) -> Bits:
    """What is known of a value that no operation computes."""
    number = whole_number(value)
    if number is not None:
        return Bits(_MOST, number % (1 << _MOST))
    return Bits(_MOST, 0) if isinstance(value, ObjectAddress) else _NONE


def _meet(found: Sequence[Bits]) -> Bits:
    """What several have in common."""
    count, number = found[0].count, found[0].number
    for each in found[1:]:
        count = min(count, each.count, _zeros(number ^ each.number))
    return _cut(count, number)


def _cut(count: int, number: int) -> Bits:
    count = min(count, _MOST)
    return Bits(count, number % (1 << count))


def _zeros(number: int) -> int:
    """How many of the lowest bits are 0; all of those that matter, of 0."""
    return (number & -number).bit_length() - 1 if number else _MOST


def _made(operation: Operation, parts: Sequence[Bits]) -> Bits:
    """Those of what an operation makes of its operands."""
    match operation.opcode, parts:
        case Opcode.CONVERT, (only,) if operation.operands[0].type.kind in _NUMBERS:
            return only
        case (Opcode.NEG, (only,)):
            return _cut(only.count, -only.number)
        case (Opcode.NOT, (only,)):
            return _cut(only.count, ~only.number)
        case (Opcode.SELECT, (_, first, second)):
            return _meet((first, second))
        case (opcode, (first, second)):
            return _of_two(opcode, first, second, operation)
    return _NONE


def _of_two(opcode: Opcode, first: Bits, second: Bits, operation: Operation) -> Bits:
    count = min(first.count, second.count)
    match opcode:
        case Opcode.ADD:
            return _cut(count, first.number + second.number)
        case Opcode.SUB:
            return _cut(count, first.number - second.number)
        case Opcode.XOR:
            return _cut(count, first.number ^ second.number)
        case Opcode.OR:
            return _cut(count, first.number | second.number)
        case Opcode.MIN | Opcode.MAX:
            return _meet((first, second))
        case Opcode.MUL:
            return _product(first, second)
        case Opcode.AND:  # a bit that is known to be 0 leaves nothing of the other one
            known = max(first, second, key=lambda each: each.count)
            below = min(known.count, count + _zeros(known.number >> count))
            return _cut(below, first.number & second.number)
    constant = whole_number(operation.operands[1])
    if constant is None or constant < 0:
        return _NONE
    if opcode is Opcode.SHL:
        return _cut(first.count + constant, first.number << constant)
    if opcode is Opcode.REM and constant:
        return _cut(min(first.count, _zeros(constant)), first.number)
    return _NONE


def _product(first: Bits, second: Bits) -> Bits:
    """Of (a + 2^i x) (b + 2^j y): what is not known of one is shifted by the zeros of the other."""
    one = second.count + _zeros(first.number) if first.number else _MOST
    other = first.count + _zeros(second.number) if second.number else _MOST
    return _cut(min(one, other, first.count + second.count), first.number * second.number)
