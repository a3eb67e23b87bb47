"""A loop run on numbers: what its counters hold from one iteration to the next, and how many it
makes.

In: the header phis that count, and the branch that ends the loop. Out: the numbers of the next
iteration, computed by the operations on the way (any arithmetic), and, where a counter moves by the
same each time and nothing wraps around, the number of iterations by a formula, without running any.
Example: of `for (int i = 2; i < 11; i += 3)` the formula says 3, the numbers are 2, 5, 8. Not
handled by the formula: tests at the end of a loop, and those with `!=`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.arithmetic import MIRRORED, NEGATED, evaluate, number_range, wrap
from ...ir.operations import (
    Branch,
    Compare,
    Convert,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import whole_number
from ...source.records import dataclass
from .induction import induction, is_invariant, trip_count
from .reachability import postorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...ir.types import Type
    from ...ir.values import Value
    from .control_flow import ControlFlow, Loop

Numbers = dict["Value", int]  # what phis hold


@dataclass(frozen=True, slots=True)
class Counter:
    """A phi that grows by the same in each iteration, as long as `phi opcode bound` holds."""

    phi: Phi
    step: int
    opcode: Opcode
    bound: Value
    types: tuple[Type, ...]  # in which it is held and compared: nothing may wrap around


def counter_of(flow: ControlFlow, loop: Loop) -> Counter | None:
    """The counter that the header of a loop tests in every iteration."""
    last = loop.header.terminator
    test = last.condition if isinstance(last, Branch) else None
    if not isinstance(last, Branch) or not isinstance(test, Compare):
        return None
    goes_on = test.opcode if last.then in loop.blocks else NEGATED[test.opcode]
    left, right = test.operands[:2]
    for tested, opcode, bound in ((left, goes_on, right), (right, MIRRORED[goes_on], left)):
        phi = unconverted(tested)
        move = induction(flow, phi) if isinstance(phi, Phi) and phi.block is loop.header else None
        if not isinstance(phi, Phi) or move is None or not is_invariant(bound, loop):
            continue
        signed = [(whole_number(value), sign) for value, sign in move.steps]
        step = sum(sign * number for number, sign in signed if number is not None)
        ends = opcode in (Opcode.LT, Opcode.LE) if step > 0 else opcode in (Opcode.GT, Opcode.GE)
        types = (test.compared, phi.type, *_types_on_the_way(tested))
        whole = all(each.kind is Kind.INTEGER for each in types)
        if step and ends and whole and all(number is not None for number, _ in signed):
            return Counter(phi, step, opcode, bound, types)
    return None


def _types_on_the_way(value: Value) -> Iterator[Type]:
    while isinstance(value, Convert):
        yield from (value.type, value.source)
        value = value.operands[0]


class Plan:
    """What is computed on the way into a loop, and in each of its iterations."""

    def __init__(self, phis: list[Phi], loop: Loop, last: Branch, counter: Counter | None) -> None:
        self._phis, self._counter = phis, counter
        self._bound = Steps([counter.bound] if counter is not None else [])
        places = {True: 0, False: 0}  # the last predecessor inside of the loop, and outside
        for position, block in enumerate(loop.header.predecessors):
            places[block in loop.blocks] = position
        self.entering = Steps([phi.operands[places[False]] for phi in phis])
        latch = [phi.operands[places[True]] for phi in phis]
        self.iterating = Steps([last.condition, *latch])

    def with_phis(self, around: Numbers, given: Iterable[int | None]) -> Numbers:
        """What is known in an iteration: the counters of the loops around it, and its own."""
        pairs = zip(self._phis, given, strict=True)
        return around | {phi: number for phi, number in pairs if number is not None}

    def times(self, first: Numbers) -> int | None:
        """How often the test of the loop is passed from what is known in the first iteration;
        None where no formula says so.
        """
        counter = self._counter
        start = None if counter is None else first.get(counter.phi)
        if counter is None or start is None:
            return None
        bound = self._bound.results(first)[0]
        if bound is None:
            return None
        times = trip_count(counter.opcode, start, counter.step, bound)
        held = (start, start + times * counter.step, bound)
        ranges = map(number_range, counter.types)
        fits = all(low <= min(held) and max(held) <= high for low, high in ranges)
        return times if fits else None


class Steps:
    """Integer expressions over phis, in the order in which they are computed each iteration."""

    def __init__(self, values: list[Value]) -> None:
        self._values = values
        self._constants: dict[Value, int | None] = {}
        self._order: list[Operation] = []
        seen: set[Value] = set()
        for each in (part for value in values for part in postorder(value, _needs, seen)):
            seen.add(each)
            if not isinstance(each, Operation):
                self._constants[each] = whole_number(each)
            elif not isinstance(each, Phi | MemoryAccess):
                self._order.append(each)

    def results(self, numbers: Numbers) -> list[int | None]:
        """What the expressions come to where phis have these numbers, and no other phi has one."""
        known: dict[Value, int | None] = {**self._constants, **numbers}
        for operation in self._order:
            if operation not in known:
                given = [known.get(operand) for operand in operation.operands]
                known[operation] = _compute(operation, given)
        return [known.get(value) for value in self._values]


def _needs(value: Value) -> Sequence[Value]:
    """What an expression is computed from; phis are given, and what is loaded is not known."""
    return () if isinstance(value, Phi | MemoryAccess) else value.operands


def _compute(operation: Operation, given: list[int | None]) -> int | None:
    operands = [number for number in given if number is not None]
    if len(operands) < len(given) or isinstance(operation, Phi | MemoryAccess):
        return None
    if isinstance(operation, Compare):
        return evaluate(operation.opcode, operation.compared, operands)
    if isinstance(operation, Convert):
        whole = {operation.type.kind, operation.source.kind} <= {Kind.INTEGER, Kind.PREDICATE}
        return wrap(operands[0], operation.type) if whole else None
    return evaluate(operation.opcode, operation.type, operands)
