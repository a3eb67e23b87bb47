"""Arithmetic on several iterations of a loop at once: their number is a symbol between two bounds.

In: operands of an operation, in which a `Span` stands for any of the iterations from `first` to
`last`. Out: the result that holds in each of these iterations, the same that the iterations give
one by one, or `UndecidedError` when they do not give one formula: a comparison that changes its
outcome on the way, a number that leaves its type's range, a remainder that starts anew. Values that
several loops' iterations are part of hold one `Span` for each, and products of them.
The warps of a block are looked at together in the same way: `WarpSpans` are their numbers.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ...ir.arithmetic import number_range
from ...ir.memory import MemoryObject
from ...ir.operations import COMPARISONS, Compare, Convert, Field, Opcode
from ...ir.types import Kind
from ...ir.values import Parameter, Special, Unknown
from ...source.records import dataclass
from ..dataflow.evaluation_steps import BINARY
from .lane_ranges import decide, range_of
from .lane_values import (
    WARP,
    LaneValue,
    Product,
    add,
    compute,
    constant,
    is_multiple,
    is_outgrown,
    mix,
    multiply,
    per_lane,
    subtract,
    tidy,
)
from .outcomes import IterationNumber, Outcome, Unevaluable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.operations import Operation
    from ...ir.types import Type
    from ..dataflow.control_flow import Loop
    from .lane_ranges import Range
    from .lane_values import Coefficient

    Ranges = Callable[[Hashable], Range | None]
    Counted = Block | Special  # the header of a loop, or an axis along which warps are counted
    Numbers = Mapping[Counted, int]


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """The symbol in values of 32 lanes of a loop's iteration, when several are looked at
    together.
    """

    header: Counted
    first: int
    last: int


class UndecidedError(Exception):
    """A value of a warp's lanes is not one formula over several iterations.

    `comparison` is the opcode and the difference whose sign changes, when that is the reason.
    """

    def __init__(self, comparison: tuple[Opcode, LaneValue] | None = None) -> None:
        super().__init__()
        self.comparison = comparison


def _factors(name: Hashable) -> tuple[Hashable, ...]:
    return name.factors if isinstance(name, Product) else (name,)


def depends_on_span(value: LaneValue) -> bool:
    """Whether a value in the lanes of a warp differs between the iterations that are looked at
    together.
    """
    for name, _ in value.terms:
        if isinstance(name, Span):
            return True
        if isinstance(name, Product) and any(isinstance(item, Span) for item in name.factors):
            return True
    return False


def is_product(value: LaneValue) -> bool:
    """Whether in a value of 32 lanes an iteration's number is a factor of other symbols."""
    return any(
        isinstance(name, Product) and any(isinstance(item, Span) for item in name.factors)
        for name, _ in value.terms
    )


def may_differ(outcome: Outcome, loop: Loop) -> bool:
    """Whether an outcome may change from iteration to iteration of a loop."""
    if isinstance(outcome, Unevaluable):
        return True
    for name, _ in outcome.terms:
        if isinstance(name, IterationNumber):
            if name.header in loop.blocks:
                return True
        elif not isinstance(name, Parameter | Special | MemoryObject | Unknown | Span):
            return True
    return False


def _is_number(value: LaneValue) -> bool:
    """Whether a value is known in every lane once the iterations are."""
    if not value.terms:
        return True
    return all(isinstance(item, Span) for name, _ in value.terms for item in _factors(name))


def span_range(name: Hashable) -> Range | None:
    """The range that the symbol of several iterations, or a product of such, may have."""
    if isinstance(name, Span):
        return name.first, name.last
    spans = [item for item in _factors(name) if isinstance(item, Span)]
    if not spans or len(spans) < len(_factors(name)):
        return None
    return prod(span.first for span in spans), prod(span.last for span in spans)


def _bounds(value: LaneValue) -> tuple[int, int]:
    """The least and the greatest number that a value without other symbols may be."""
    lows: Sequence[int] = value.lanes
    highs: Sequence[int] = value.lanes
    below = above = 0  # how far the spans move all lanes
    for name, coefficient in value.terms:
        low, high = span_range(name) or (0, 0)
        assert high is not None
        if isinstance(coefficient, int):
            ends = (coefficient * low, coefficient * high)
            below, above = below + min(ends), above + max(ends)
            continue
        pairs = [(factor * low, factor * high) for factor in coefficient]
        lows = [lane + min(ends) for lane, ends in zip(lows, pairs, strict=True)]
        highs = [lane + max(ends) for lane, ends in zip(highs, pairs, strict=True)]
    return min(lows) + below, max(highs) + above


def _fitting(value: LaneValue, type: Type) -> LaneValue:
    """The value, when it lies in its type's range in all iterations: nothing wraps around."""
    low, high = _bounds(value)
    least, most = number_range(type)
    if not least <= low <= high <= most:
        raise UndecidedError
    return value


def over_iterations(
    operation: Operation, operands: Sequence[LaneValue], ranges: Ranges
) -> LaneValue | None:
    """The value of an operation in 32 lanes and all iterations at once; None where no iteration has
    one.
    """
    opcode, type = operation.opcode, operation.type
    if isinstance(operation, Convert):
        return converted(operands[0], operation.source, type)
    if isinstance(operation, Compare):
        if operation.compared.kind is Kind.FLOAT:
            return None
        return compared(opcode, operation.compared, operands[0], operands[1], ranges)
    if type.kind is Kind.FLOAT or isinstance(operation, Field):
        return None
    if opcode is Opcode.SELECT:
        return chosen(*operands)
    if opcode is Opcode.NEG:
        return opposite(operands[0], type)
    if opcode in BINARY:
        return combined(opcode, type, operands[0], operands[1], ranges)
    raise UndecidedError


def converted(value: LaneValue, source: Type, target: Type) -> LaneValue | None:
    """A change of integer type in 32 lanes, over several iterations; None for floating point."""
    integers = (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE)
    if source.kind not in integers or target.kind not in integers:
        return None
    if target.kind is Kind.PREDICATE:
        raise UndecidedError
    if _is_number(value):
        return _fitting(_fitting(value, source), target)
    if (target.bits or 0) < min(source.bits or 0, 32):
        raise UndecidedError
    return value


def chosen(condition: LaneValue, a: LaneValue, b: LaneValue) -> LaneValue:
    """Lane by lane one of two values, over several iterations."""
    if depends_on_span(condition) or (a != b and not condition.is_number):
        raise UndecidedError
    found = mix(condition, a, b)
    assert found is not None
    return found


def opposite(value: LaneValue, type: Type) -> LaneValue:
    """The value of 32 lanes with the sign changed, over several iterations."""
    scaled = multiply(value, constant(-1))
    assert scaled is not None
    return _fitting(scaled, type) if _is_number(value) else scaled


def compared(
    opcode: Opcode, type: Type, a: LaneValue, b: LaneValue, ranges: Ranges
) -> LaneValue | None:
    """The outcome of a comparison in 32 lanes that is the same in all iterations; None when not
    known.
    """
    if _is_number(a) and _is_number(b):
        _fitting(a, type)
        _fitting(b, type)
    difference = subtract(a, b)
    found = decide(opcode, difference, ranges)
    if found is None and all(range_of(name, ranges) is not None for name, _ in difference.terms):
        raise UndecidedError((opcode, difference))
    return found


def combined(
    opcode: Opcode, type: Type, a: LaneValue, b: LaneValue, ranges: Ranges
) -> LaneValue | None:
    """A binary operation on integers in 32 lanes, over several iterations."""
    if opcode in COMPARISONS:
        return compared(opcode, type, a, b, ranges)
    number = _is_number(a) and _is_number(b)
    if number:
        _fitting(a, type)
        _fitting(b, type)
        if opcode in (Opcode.MIN, Opcode.MAX):
            below = compared(Opcode.LT, type, a, b, ranges)
            assert below is not None
            return chosen(below, *((a, b) if opcode is Opcode.MIN else (b, a)))
    found = _linear(opcode, type, a, b)
    if found is None:
        raise UndecidedError
    if is_outgrown(found):
        return None
    return _fitting(found, type) if number else found


def _linear(opcode: Opcode, type: Type, a: LaneValue, b: LaneValue) -> LaneValue | None:
    """What gives sums of multiples of symbols; None for all else."""
    if opcode is Opcode.ADD:
        return add(a, b)
    if opcode is Opcode.SUB:
        return subtract(a, b)
    if opcode is Opcode.MUL:
        return multiply(a, b)
    if opcode in (Opcode.OR, Opcode.XOR) and (a.is_number or b.is_number):
        known = [value for value in (a, b) if not value.is_number]
        not_negative = all(not _is_number(value) or _bounds(value)[0] >= 0 for value in known)
        return compute(opcode, type, a, b) if not_negative else None
    known_number = b.number
    if known_number is None:
        return None
    if opcode is Opcode.SHL:
        return compute(opcode, type, a, b)
    divisor = _divisor(opcode, type, known_number)
    not_negative = opcode is Opcode.AND or min(a.lanes) >= 0
    if divisor is None or not not_negative or not is_multiple(a, divisor):
        return None  # else the lanes' quotients change with the iterations
    return compute(opcode, type, a, b)


def _divisor(opcode: Opcode, type: Type, number: int) -> int | None:
    """What quotient or remainder an operation with a number is of."""
    if opcode in (Opcode.DIV, Opcode.REM):
        return number if number > 0 else None
    if opcode is Opcode.SHR:
        return 1 << number if 0 <= number < (type.bits or 64) - 1 else None
    if opcode is Opcode.AND and number:
        size = number + 1 if number > 0 else -number
        return size if size & (size - 1) == 0 else None
    return None


def narrowed(value: LaneValue, span: Span, part: Span) -> LaneValue:
    """The value of 32 lanes in a part of the iterations."""
    terms: list[tuple[Hashable, Coefficient]] = []
    for name, coefficient in value.terms:
        if isinstance(name, Product):
            factors = tuple(part if item is span else item for item in name.factors)
            terms.append((Product(factors), coefficient))
        else:
            terms.append((part if name is span else name, coefficient))
    return LaneValue(value.lanes, tuple(terms))


@dataclass(frozen=True, slots=True)
class Formula:
    """A value of 32 lanes in each of several iterations: what it holds, and what the iterations
    move it by.

    `steps` are distances of all lanes alike, by the header of the loop; what is more than that is
    left in `value`, with `apart` set.
    """

    value: LaneValue
    steps: tuple[tuple[Counted, int], ...]
    apart: bool

    @staticmethod
    def of(value: LaneValue) -> Formula:
        """The formula of a value."""
        steps: list[tuple[Counted, int]] = []
        rest: list[tuple[Hashable, Coefficient]] = []
        for name, coefficient in value.terms:
            if isinstance(name, Span) and isinstance(coefficient, int):
                steps.append((name.header, coefficient))
            else:
                rest.append((name, coefficient))
        still = LaneValue(value.lanes, tuple(rest))
        return Formula(still, tuple(steps), depends_on_span(still))

    def in_iteration(self, numbers: Numbers) -> tuple[LaneValue, int]:
        """The value in the iteration whose numbers these are, and what all lanes are moved by."""
        value = in_iteration(self.value, numbers) if self.apart else self.value
        shift = 0
        for header, step in self.steps:
            shift += step * numbers[header]
        return value, shift


def in_iteration(value: LaneValue, numbers: Numbers) -> LaneValue:
    """The value of 32 lanes in one of several iterations, whose number is given by the header of
    the loop.
    """
    if not depends_on_span(value):
        return value
    shift = 0  # of all lanes
    lanes = value.lanes
    terms: dict[Hashable, Coefficient] = {}
    for name, coefficient in value.terms:
        times, rest = _in_iteration(name, numbers)
        if rest is None:
            if isinstance(coefficient, int):
                shift += times * coefficient
            else:
                lanes = tuple([x + times * y for x, y in zip(lanes, coefficient, strict=True)])
        elif isinstance(coefficient, int) and rest not in terms:
            terms[rest] = times * coefficient
        else:
            pairs = zip(per_lane(terms.get(rest, 0)), per_lane(coefficient), strict=True)
            terms[rest] = tidy(tuple([x + times * y for x, y in pairs]))
    if shift:
        lanes = tuple([lane + shift for lane in lanes])
    return LaneValue(lanes, tuple([(name, c) for name, c in terms.items() if c != 0]))


def _in_iteration(name: Hashable, numbers: Numbers) -> tuple[int, Hashable | None]:
    """The number that a symbol's spans come to, and what else is in it."""
    times = 1
    rest: list[Hashable] = []
    for item in _factors(name):
        number = numbers.get(item.header) if isinstance(item, Span) else None
        if number is None:
            rest.append(item)
        else:
            times *= number
    if len(rest) > 1:
        return times, Product(tuple(rest))
    return times, rest[0] if rest else None


@dataclass(frozen=True, slots=True)
class WarpSpans:
    """threadIdx in the lanes of any warp of a block, by the numbers of the warp."""

    axes: Mapping[Special, LaneValue]
    counts: tuple[tuple[Special, int], ...]  # how many warps there are along each axis

    def numbers(self, warp: int) -> dict[Counted, int]:
        """The numbers of one warp."""
        found: dict[Counted, int] = {}
        for axis, count in self.counts:
            found[axis], warp = warp % count, warp // count
        return found


def warp_spans(block: Dimensions) -> WarpSpans | None:
    """The lanes of all warps of a block of this shape at once; None where warps do not tile it, or
    there is only one.
    """
    x, y, z = block
    width = min(x, WARP)  # of the part of the block that a warp takes
    height = WARP // width if WARP % width == 0 else 0
    if not height or x % width or y % height or x * y * z == WARP:
        return None
    counts = (
        (Special.THREAD_X, x // width),
        (Special.THREAD_Y, y // height),
        (Special.THREAD_Z, z),
    )
    lanes = range(WARP)
    places = (
        tuple([lane % width for lane in lanes]),
        tuple([lane // width for lane in lanes]),
        (0,) * WARP,
    )
    steps = (width, height, 1)
    axes: dict[Special, LaneValue] = {}
    for (axis, count), held, step in zip(counts, places, steps, strict=True):
        moving = ((Span(axis, 0, count - 1), step),) if count > 1 else ()
        axes[axis] = LaneValue(held, moving)
    return WarpSpans(axes, counts)
