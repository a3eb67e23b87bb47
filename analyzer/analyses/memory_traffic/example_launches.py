"""Global accesses that cost the same in every example of what a launch leaves open.

In: an access to global memory that could not be evaluated because parameters have no values, as in
`matrix[row * columns + column]` where rows and columns differ between the lanes of a warp, or
because blocks differ, as in `i / width`. Out: its outcome when every size is one of two examples,
both long and whole sectors, if they agree; else in two single blocks, if those agree.
A size is an integer parameter that the kernel multiplies and divides by, adds, and compares. What
selects bits, shifts, starts a loop or is a flag (`mode == 2`) is none: such numbers tend to be
small. Shared memory is left alone: its conflicts depend on the very number.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from ...ir.operations import Convert, Opcode, Operation, Phi
from ...ir.types import Kind
from ...ir.values import Constant
from ..launch.sizes_to_try import LONG, LONGER
from ..warp_evaluation.reasons import UNKNOWN_BLOCK
from .global_accesses import GlobalAccess, evaluate_global_access
from .usual_launches import agreed

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ...ir.values import Parameter, Value
    from .facts import TrafficLaunch

_NO_SIZES = frozenset({Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.NOT})
_SHIFTS = (Opcode.SHL, Opcode.SHR)
_EQUALITIES = (Opcode.EQ, Opcode.NE)
_SAME_SIZE = frozenset(
    {Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV, Opcode.MIN, Opcode.MAX, *_SHIFTS}
)


class ExampleLaunches:
    """One launch, with examples for what it leaves open, to see what global accesses cost
    in each.
    """

    def __init__(self, launch: TrafficLaunch) -> None:
        self._launch = launch
        self._outcomes: dict[MemoryAccess, GlobalAccess | None] = {}

    @cached_property
    def sizes(self) -> tuple[Parameter, ...]:
        """The integer parameters without a value that are used as sizes."""
        kernel = self._launch.facts.kernel
        numbers = {
            parameter
            for parameter in kernel.given
            if parameter.type.kind is Kind.INTEGER and (parameter.type.bits or 0) >= 32
            if parameter not in self._launch.passed
        }
        held: dict[Value, Parameter] = {parameter: parameter for parameter in numbers}
        used: set[Parameter] = set()
        for operation in kernel.operations():
            for position, operand in enumerate(operation.operands):
                parameter = held.get(operand)
                if parameter is None:
                    continue
                used.add(parameter)
                if _is_no_size(operation, position):
                    numbers.discard(parameter)
                elif _is_number_of(operation, position):
                    held[operation] = parameter
        return tuple(parameter for parameter in kernel.given if parameter in numbers & used)

    def outcome(self, access: MemoryAccess) -> GlobalAccess | None:
        """What the access costs in every example; None when that differs or is not known.

        Where nobody states the block or a type, in every usual one; of those, iterations of loops
        are not looked at one by one.
        """
        if access not in self._outcomes:
            self._outcomes[access] = self._outcome(access)
        return self._outcomes[access]

    def _outcome(self, access: MemoryAccess) -> GlobalAccess | None:
        launch = self._launch
        if launch.variants:
            plain = GlobalAccess(access, None, launch.launch, reason=UNKNOWN_BLOCK)
            in_loop = bool(launch.facts.flow.loop_nest(access.block))
            variants = launch.variants_of(access, briefly=in_loop)
            each_usual = (each.examples.outcome_anyhow(access) for each in variants)
            alike = agreed(each_usual, plain)
            return None if isinstance(alike, str) else replace(alike, launch=launch.launch)
        for examples in (self._sized, self._single_blocks):
            found: list[GlobalAccess] = []
            for example in examples:
                found.append(evaluate_global_access(example, access))
                if found[-1].reason:
                    break
            if not found or found[-1].reason:
                continue
            if len({(each.ratio, each.worst.use) for each in found}) > 1:
                return None
            return replace(found[0], launch=launch.launch, passed=launch.passed_to(access))
        return None

    def outcome_anyhow(self, access: MemoryAccess) -> GlobalAccess:
        """What the access costs in the launch, or in every example; with a reason if unknown."""
        plain = evaluate_global_access(self._launch, access)
        return (self.outcome(access) or plain) if plain.reason else plain

    def first_block(self, access: MemoryAccess) -> GlobalAccess | None:
        """The access in the first block alone, where nothing but the block is open."""
        if self.sizes or not self._single_blocks:
            return None
        found = evaluate_global_access(self._single_blocks[0], access)
        launch = self._launch
        blank = replace(found, launch=launch.launch, passed=launch.passed_to(access))
        return None if found.reason else blank

    @cached_property
    def _sized(self) -> tuple[TrafficLaunch, ...]:
        """With numbers for the sizes; none when there are no sizes."""
        if not self.sizes:
            return ()
        kernel, launch = self._launch.facts.kernel, self._launch
        return tuple(
            launch.with_arguments(
                tuple(
                    number if parameter in self.sizes else launch.passed.get(parameter)
                    for parameter in kernel.given
                )
            )
            for number in (LONG, LONGER)
        )

    @cached_property
    def _single_blocks(self) -> tuple[TrafficLaunch, ...]:
        """The first block and one in the middle: `i / n` is a number when `i` is of one block."""
        grid = [size for size in self._launch.launch.grid if size is not None]
        if len(grid) < len(self._launch.launch.grid) or prod(grid) < 2:
            return ()
        middle = tuple((size // 2, size // 2) for size in grid)
        places = (((0, 0),) * len(grid), middle)
        launches = self._sized or (self._launch,)
        return tuple(launch.within(place) for launch in launches for place in places)


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
    changed = operation.opcode in _SAME_SIZE
    return changed and isinstance(operation.operands[1 - position], Constant)
