"""Values as `coefficient · threadIdx.x + number + rest`, to see lanes agree where the rest does.

In: a value, the kernel's control flow, the block's shape. Out: its parts; `rest` are values that
are not taken apart further, `multiple` divides (up to 32) whatever they add. Exact as long as sums
do not overflow, as signed arithmetic of C++ may be taken not to. A loop's counter is taken apart
into its first value and its steps: in one iteration of the loop every thread made the same number
of steps. Not handled: threadIdx.y and z, products of two parts that depend on the lane.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...ir.operations import Compare, Convert, Opcode, Operation, Phi
from ...ir.types import Kind
from ...ir.values import Constant, Special, SpecialRegister, whole_number
from ...source.records import dataclass
from ..dataflow.induction import induction
from .lane_values import WARP

if TYPE_CHECKING:
    from ...ir.kernel import Dimensions
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlFlow

_DEPTH = 12
_LEAVES = 16


@dataclass(frozen=True, slots=True)
class Parts:
    """A value as `coefficient · threadIdx.x + number + rest`, to see whether lanes of a
    warp agree.
    """

    coefficient: int = 0
    number: int = 0
    rest: tuple[Value, ...] = ()
    multiple: int = WARP  # divides the rest

    def plus(self, other: Parts, sign: int = 1) -> Parts:
        """The sum or the difference."""
        return Parts(
            self.coefficient + sign * other.coefficient,
            self.number + sign * other.number,
            (*self.rest, *other.rest),
            math.gcd(self.multiple, other.multiple),
        )

    def times(self, factor: int) -> Parts:
        """The product with a number."""
        multiple = math.gcd(self.multiple * factor, WARP)
        return Parts(self.coefficient * factor, self.number * factor, self.rest, multiple)


def parts_of(flow: ControlFlow, block: Dimensions, value: Value, depth: int = _DEPTH) -> Parts:
    """An integer value as a part of the lane and a rest; itself as the rest when it cannot be taken
    apart.
    """
    whole = _Taker(flow, block).take(value, depth)
    return Parts(rest=(value,), multiple=1) if len(whole.rest) > _LEAVES else whole


@dataclass(frozen=True, slots=True)
class _Taker:
    flow: ControlFlow
    block: Dimensions

    def take(self, value: Value, depth: int) -> Parts:
        number = whole_number(value)
        if number is not None:
            return Parts(number=number)
        if isinstance(value, SpecialRegister):
            return self._register(value)
        taken = self._operation(value, depth - 1) if isinstance(value, Operation) else None
        return taken or Parts(rest=(value,), multiple=1)

    def _register(self, value: SpecialRegister) -> Parts:
        if value.register is Special.THREAD_X:
            return Parts(coefficient=1)
        multiple = 1
        if value.register is Special.BLOCK_SIZE_X:
            multiple = math.gcd(self.block[0], WARP)
        return Parts(rest=(value,), multiple=multiple)

    def _operation(self, value: Operation, depth: int) -> Parts | None:
        if depth <= 0 or value.type.kind not in (Kind.INTEGER, Kind.POINTER):
            return None
        if isinstance(value, Phi):
            return self._counter(value, depth)
        if isinstance(value, Convert):
            if value.source.kind is not Kind.INTEGER:
                return None
            held = self.take(value.operands[0], depth)
            bits = value.type.bits or 0
            widens = bits >= max(32, value.source.bits or 64)
            return held if widens or (bits >= 16 and held == Parts(coefficient=1)) else None
        if value.opcode in (Opcode.ADD, Opcode.SUB):
            left = self.take(value.operands[0], depth)
            if len(left.rest) > _LEAVES:
                return left  # `parts_of` gives up, whatever the other operand adds
            right = self.take(value.operands[1], depth)
            return left.plus(right, 1 if value.opcode is Opcode.ADD else -1)
        if value.opcode is Opcode.MUL:
            return self._product(*(self.take(operand, depth) for operand in value.operands))
        if value.opcode is Opcode.SHL and isinstance(value.operands[1], Constant):
            number = value.operands[1].value
            if isinstance(number, int) and 0 <= number < WARP:
                return self.take(value.operands[0], depth).times(1 << number)
        return None

    def _product(self, left: Parts, right: Parts) -> Parts | None:
        for one, other in ((left, right), (right, left)):
            if not one.coefficient and not one.rest:
                return other.times(one.number)
        if left.coefficient or right.coefficient:
            return None
        factors = (math.gcd(each.multiple, each.number) for each in (left, right))
        multiple = math.gcd(math.prod(factors), WARP)
        return Parts(rest=(*left.rest, *right.rest), multiple=multiple)

    def _counter(self, phi: Phi, depth: int) -> Parts | None:
        found = induction(self.flow, phi)
        if found is None:
            return None
        total = self.take(found.first, depth)
        for step, _ in found.steps:
            part = self.take(step, depth)
            if part.coefficient:
                return None
            multiple = math.gcd(part.multiple, part.number, total.multiple)
            total = Parts(total.coefficient, total.number, (*total.rest, *part.rest), multiple)
        return total


def cancels(comparison: Compare, left: Parts, right: Parts) -> bool:
    """Whether both sides of a comparison have the same part of the lane, so that lanes of a warp
    may agree.
    """
    exact = comparison.opcode in (Opcode.EQ, Opcode.NE) or comparison.compared.signed
    return exact and left.coefficient == right.coefficient


def splits_at_warps(comparison: Compare, left: Parts, right: Parts) -> bool:
    """Whether a comparison of threadIdx.x can only change from one warp to the next: its lanes
    agree.
    """
    plain = not left.rest and not left.number  # unsigned sums may wrap around
    if not (comparison.compared.signed or plain) or right.coefficient or left.coefficient != 1:
        return False
    border = right.plus(Parts(number=left.number, multiple=left.multiple), -1)
    shift = {Opcode.LT: 0, Opcode.GE: 0, Opcode.LE: 1, Opcode.GT: 1}.get(comparison.opcode)
    return shift is not None and border.multiple == WARP and (border.number + shift) % WARP == 0


def is_aligned(operation: Operation, parts: Parts, divisor: int) -> bool:
    """Whether `threadIdx.x + a multiple of 32`, divided or masked, is the same in all lanes of a
    warp.
    """
    if parts.coefficient != 1 or parts.multiple != WARP or parts.number % WARP:
        return False
    if operation.opcode is Opcode.SHR:
        return divisor >= 5
    if operation.opcode is Opcode.AND:
        return divisor & (WARP - 1) == 0
    if operation.opcode is not Opcode.DIV or divisor <= 0 or divisor % WARP:
        return False
    return parts.number >= 0 and all(isinstance(leaf, SpecialRegister) for leaf in parts.rest)
