"""How large whole numbers can get in a launch: what its grid, its block and its arguments allow.

Problem: the greatest value of an index, where something else than its type bounds it. Algorithm:
interval arithmetic on the expression, upper ends alone, of numbers that are not below zero; the
leaves are constants, indices of threads and blocks (as far as the launch gives their extents, else
the limits of the hardware), arguments that the launch passes, also as formulas of the host such as
`min(n, 65535)`, variables that its conditions limit, `if (n > 4096) return;`, and what the source
states (`assert(n <= 64)`). A quotient times its divisor is no more than the dividend, and a counter
no more than the tests of its loop allow while they hold. In: a launch and a value. Out: the bound,
or None. Not seen: guards in the kernel, contents of memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Convert, Opcode, Operation, Phi, unconverted
from ...ir.types import Kind
from ...ir.values import Constant, Parameter, Special, SpecialRegister, whole_number
from ..block_execution.launch_values import BLOCK_INDEX, BLOCK_SIZES, GRID_SIZES, THREAD_INDEX
from ..dataflow.induction import loop_tests
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import ValueNumbering
from ..launch.assumed_launch import MOST_BLOCKS
from ..launch.formula_bounds import most_of_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.values import Value
    from .facts import TrafficLaunch

_DEPTH = 24  # operations below each other


class ValueBounds:
    """The greatest numbers that values of the IR, indices among them, can be in one launch."""

    def __init__(self, launch: TrafficLaunch) -> None:
        self._launch = launch
        formulas = launch.launch.formulas
        grid = (None,) * 3 if formulas is None else formulas.grid
        self._grid = tuple(
            size if size is not None else most_of_sizes(formula)
            for size, formula in zip(launch.launch.grid, grid, strict=True)
        )
        arguments = () if formulas is None else formulas.arguments
        self._known: dict[Value, int | None] = {}  # of operations
        self._arguments = dict(zip(launch.facts.kernel.given, arguments, strict=False))

    def most(self, value: Value, depth: int = _DEPTH) -> int | None:
        """The greatest value, None where nothing but the type bounds it."""
        if (number := whole_number(value)) is not None:
            return number if number >= 0 else None
        if isinstance(value, SpecialRegister):
            return self._of_register(value.register)
        if isinstance(value, Parameter):
            return _least(self._of_parameter(value), _by_type(value))
        if isinstance(value, Phi):
            return _least(self._of_counter(value, depth), _by_type(value))
        if isinstance(value, Operation) and depth:
            if value not in self._known:
                self._known[value] = None  # for who comes here again, around a loop
                most = self._of_operation(value, depth - 1)
                self._known[value] = _least(most, _by_type(value))
            return self._known[value]
        return _by_type(value)

    def is_reached(self, value: Value, number: int) -> bool:
        """Whether the launch says everything that a value is made of, and it gets so large."""
        most = self.most(value)
        return (
            most is not None and most >= number and all(map(self._is_stated, backward_slice(value)))
        )

    def _is_stated(self, part: Value) -> bool:
        """Whether nothing about a part of an expression is open."""
        if isinstance(part, SpecialRegister):
            axes = BLOCK_INDEX if part.register in BLOCK_INDEX else GRID_SIZES
            known = part.register not in axes or self._launch.launch.grid[axes.index(part.register)]
            return bool(known)
        if isinstance(part, Operation):
            return isinstance(part, Convert) or part.opcode in (Opcode.ADD, Opcode.MUL)
        if isinstance(part, Parameter):
            return self._launch.passed.get(part) is not None
        return isinstance(part, Constant)

    def _of_register(self, register: Special) -> int | None:
        launch = self._launch.launch
        if register in THREAD_INDEX:
            return launch.block[THREAD_INDEX.index(register)] - 1
        if register in BLOCK_SIZES:
            return launch.block[BLOCK_SIZES.index(register)]
        if register not in BLOCK_INDEX + GRID_SIZES:
            return 31 if register in (Special.LANE, Special.WARP) else None
        axes = BLOCK_INDEX if register in BLOCK_INDEX else GRID_SIZES
        axis = axes.index(register)
        limit = self._grid[axis]
        blocks = MOST_BLOCKS[axis] if limit is None else limit
        return blocks - (register in BLOCK_INDEX)

    def _of_parameter(self, parameter: Parameter) -> int | None:
        passed = self._launch.passed.get(parameter)
        if isinstance(passed, int):
            return passed if passed >= 0 else None
        _, high = self._launch.stated.ranges.get(parameter, (None, None))
        formula = self._arguments.get(parameter)
        return _least(high, most_of_sizes(formula))

    def _of_counter(self, phi: Phi, depth: int) -> int | None:
        """What the tests of a loop allow its counter, while they hold."""
        loop = self._launch.facts.flow.innermost_loop.get(phi.block)
        if loop is None or loop.header is not phi.block or not depth:
            return None
        tests = (each for each in loop_tests(loop) if each.tested is phi)
        bounds = [each.bound for each in tests if each.opcode in (Opcode.LT, Opcode.LE)]
        return _least(*(self.most(each, depth - 1) for each in bounds))

    def _of_operation(self, value: Operation, depth: int) -> int | None:
        found = [self.most(operand, depth) for operand in value.operands]
        if isinstance(value, Convert):
            return found[0]
        match value.opcode, found:
            case Opcode.ADD, [int(left), int(right)]:
                return left + right
            case Opcode.MUL, [left, right]:
                whole = None if left is None or right is None else left * right
                return _least(whole, self._divided(value, depth))
            case Opcode.DIV, [int(left), _]:
                return left // max(whole_number(value.operands[1]) or 1, 1)
            case Opcode.SUB | Opcode.SHR, [int(left), _]:
                return left
            case Opcode.REM, [left, right]:
                return _least(left, None if right is None else max(right - 1, 0))
            case Opcode.AND | Opcode.MIN, [left, right]:
                return _least(left, right)
            case Opcode.MAX, [int(left), int(right)]:
                return max(left, right)
        return None

    def _divided(self, product: Operation, depth: int) -> int | None:
        """The bound of what was divided by one factor to get the other, perhaps with others."""
        names = ValueNumbering()
        first, second = product.operands
        for quotient, factor in ((first, second), (second, first)):
            name, divided = names.of(unconverted(factor)), unconverted(quotient)
            while isinstance(divided, Operation) and divided.opcode is Opcode.DIV:
                dividend, divisor = divided.operands
                if name in map(names.of, _factors(divisor)):
                    return _least(self.most(dividend, depth), _by_type(dividend, 32))
                divided = unconverted(dividend)
        return None


def _factors(value: Value) -> Iterator[Value]:
    """What a value is a product of."""
    whole = unconverted(value)
    if isinstance(whole, Operation) and whole.opcode is Opcode.MUL:
        for each in whole.operands:
            yield from _factors(each)
    else:
        yield whole


def _by_type(value: Value, bits: int = 16) -> int | None:
    """What a narrow type can hold, looked at through a conversion from one."""
    type = value.source if isinstance(value, Convert) else value.type
    if type.kind is not Kind.INTEGER or type.bits is None or type.bits > bits:
        return None
    return (1 << (type.bits - type.signed)) - 1


def _least(*bounds: int | None) -> int | None:
    return min((each for each in bounds if each is not None), default=None)
