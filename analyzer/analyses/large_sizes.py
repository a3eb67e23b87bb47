"""Global accesses that cost the same whatever the size of the data, as long as it is large.

In: an access to global memory that could not be evaluated because parameters have no values:
`matrix[row * columns + column]`, where rows and columns differ between the lanes of a warp. Out:
its outcome when every size is one of two examples, both long and whole sectors, if they agree; the
names of the sizes come with it. A size is an integer parameter that the kernel multiplies and
divides by, adds, and compares. What selects bits, shifts, starts a loop or is a flag (`mode == 2`)
is none: such numbers tend to be small. Shared memory is left alone: its conflicts depend on the
very number.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ..ir.operations import Convert, Opcode, Operation, Phi
from ..ir.types import Kind
from ..ir.values import Constant
from .global_accesses import evaluate_global_access

if TYPE_CHECKING:
    from ..ir.operations import MemoryAccess
    from ..ir.values import Parameter, Value
    from .facts import LaunchFacts
    from .global_accesses import GlobalAccess

#: Whole sectors of any element; the product of three fits a 32-bit integer.
EXAMPLES = (1024, 1280)
_NO_SIZES = frozenset({Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.NOT})
_SHIFTS = (Opcode.SHL, Opcode.SHR)
_EQUALITIES = (Opcode.EQ, Opcode.NE)
_ARITHMETIC = frozenset(
    {Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV, Opcode.MIN, Opcode.MAX, Opcode.CONVERT}
)


class LargeSizes:
    """One launch, with examples for the sizes that it does not give."""

    def __init__(self, launch: LaunchFacts) -> None:
        self._launch = launch

    @cached_property
    def sizes(self) -> tuple[Parameter, ...]:
        """The integer parameters without a value that are used as sizes."""
        kernel = self._launch.facts.kernel
        found = dict.fromkeys(
            parameter
            for parameter in kernel.parameters
            if parameter.type.kind is Kind.INTEGER and (parameter.type.bits or 0) >= 32
            if parameter not in self._launch.passed
        )
        held: dict[Value, Parameter] = {parameter: parameter for parameter in found}
        for operation in kernel.operations():
            for position, operand in enumerate(operation.operands):
                parameter = held.get(operand)
                if parameter is None:
                    continue
                if _is_no_size(operation, position):
                    found.pop(parameter, None)
                elif _is_number_of(operation, position):
                    held[operation] = parameter
        return tuple(found)

    def outcome(self, access: MemoryAccess) -> GlobalAccess | None:
        """What the access costs for every example; None when that differs or is not known."""
        found = [evaluate_global_access(example, access) for example in self._examples]
        if not found or any(each.reason for each in found):
            return None
        first, second = found
        if first.ratio != second.ratio or first.worst.use != second.worst.use:
            return None
        return replace(first, launch=self._launch.launch, passed=self._launch.passed_to(access))

    @cached_property
    def _examples(self) -> tuple[LaunchFacts, ...]:
        if not self.sizes:
            return ()
        kernel, launch = self._launch.facts.kernel, self._launch
        return tuple(
            launch.with_arguments(
                tuple(
                    number if parameter in self.sizes else launch.passed.get(parameter)
                    for parameter in kernel.parameters
                )
            )
            for number in EXAMPLES
        )


def _is_no_size(operation: Operation, position: int) -> bool:
    """Whether only numbers that are no sizes tend to be used so."""
    if operation.opcode in _NO_SIZES or isinstance(operation, Phi):
        return True
    if operation.opcode in _SHIFTS:
        return position == 1
    if operation.opcode in _EQUALITIES:
        return isinstance(operation.operands[1 - position], Constant)
    return False


def _is_number_of(operation: Operation, position: int) -> bool:
    """Whether the result is the size again: converted, or changed by a constant."""
    if isinstance(operation, Convert):
        return True
    if operation.opcode not in _ARITHMETIC and operation.opcode not in _SHIFTS:
        return False
    return isinstance(operation.operands[1 - position], Constant)
