"""Evaluates IR values for the 32 lanes of one warp of one launch.

In: a kernel's facts, a launch, a warp's number, and, when wanted, numbers for symbols and for the
phis of loops. Out: a `LaneValue`, or `Unevaluable` with the reason a user can read.
A loop counter `i = first + step · iteration` becomes a symbol of its loop; a phi behind an if
becomes a selection by the branch's condition; whatever else is uniform in the warp becomes a
symbol. Equal computations give equal symbols, so that `n * 4 - n * 4` is 0.
Nothing here recurses: values are settled in dependence order with an explicit stack.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Self

from ...ir.operations import (
    Compare,
    Convert,
    Field,
    Opcode,
    Operation,
    Phi,
    Pure,
)
from ...ir.types import Kind
from ...ir.values import (
    Constant,
    ObjectAddress,
    Parameter,
    Special,
    SpecialRegister,
    Unknown,
)
from ..dataflow.evaluation_steps import EVALUATED, UNARY, Way, is_evaluated
from ..dataflow.induction import induction
from ..dataflow.phi_shapes import Decision, selection
from ..launch.allowance import METER
from .computation import Computation
from .iteration_spans import (
    UndecidedError,
    chosen,
    depends_on_span,
    in_iteration,
    is_product,
    may_differ,
    over_iterations,
    span_range,
)
from .lane_functions import LANE_MASKS, bit_function, existing, negated, threads_of, unary
from .lane_ranges import decide
from .lane_values import (
    WARP,
    LaneValue,
    add,
    compute,
    constant,
    convert,
    mix,
    multiply,
    subtract,
    symbol,
)
from .outcomes import STEPS, Budget, IterationNumber, Outcome, Unevaluable, describe
from .uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from ...ir.block import Block
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..dataflow.induction import Induction
    from .evaluator_context import EvaluatorContext, Exits
    from .iteration_spans import Numbers
    from .lane_ranges import Range

__all__ = ["Budget", "IterationNumber", "Outcome", "Unevaluable", "WarpEvaluator"]


class WarpEvaluator:
    """The values of the IR in the 32 lanes of one warp; results are kept."""

    def __init__(
        self,
        shape: EvaluatorContext,
        warp: int,
        numbers: Callable[[Hashable], int | None] | None = None,
        bound: Mapping[Value, Outcome] | None = None,
        base: WarpEvaluator | None = None,
        varying: frozenset[Operation] | None = None,
        *,
        spans: bool = False,
        axes: Mapping[Special, LaneValue] | None = None,
        every: tuple[WarpEvaluator, Numbers] | None = None,
    ) -> None:
        self._shape = shape
        self._axes = axes  # threadIdx in any of several warps
        self._every = every  # that of all warps, and the numbers of this one
        # What does not vary in the bound loops is the same for every iteration: `base` has it.
        self._base = base
        self._varying = varying
        self._spans = spans  # bound values hold for several iterations of a loop at once
        self._warp = warp
        self._numbers = numbers
        # One number stands for a symbol in every warp: what differs between warps has none.
        self._widest = Uniformity.WARP if numbers is None else Uniformity.BLOCK
        self._bound = bound or {}
        self._known: dict[Value, Outcome] = {}
        self._known.update(self._bound)
        self._steps = shape.steps.within(varying)
        self._exits: dict[Loop, Exits | None] = {}
        # No one formula over what spans stand for, and what each comparison says of it.
        self._undecided: dict[Value, tuple[Opcode, LaneValue] | None] = {}

    @property
    def warp(self) -> int:
        """The number of the warp in its block."""
        return self._warp

    @property
    def threads(self) -> tuple[tuple[int, int, int], ...]:
        """threadIdx of each lane; lanes beyond the block repeat the last thread."""
        return threads_of(self._shape.launch.block, self._warp)

    @property
    def exists(self) -> tuple[bool, ...]:
        """Which lanes hold a thread: the last warp of a block may be partial."""
        return existing(self._shape.launch.threads, self._warp)

    def in_iteration(
        self,
        bound: Mapping[Value, Outcome],
        varying: frozenset[Operation],
        *,
        spans: bool = False,
    ) -> Self:
        """The evaluator of one iteration of a loop, whose phis are bound; with `spans`, of several.

        What the loop does not change is computed here, once for all iterations.
        """
        held = {**self._bound, **bound}
        several = spans or self._spans
        return type(self)(
            self._shape,
            self._warp,
            self._numbers,
            held,
            self,
            varying,
            spans=several,
            axes=self._axes,
        )

    @property
    def has_numbers(self) -> bool:
        """Whether symbols have numbers: it then stands for one iteration of every loop."""
        return self._numbers is not None

    def value(self, wanted: Value) -> Outcome:
        """The value in the 32 lanes."""
        known = self._known
        found = known.get(wanted)
        if found is None and self._every is not None:
            found = self._as_in_all(wanted)
        if found is not None:
            return found
        steps, every = self._steps, self._every
        stack = [wanted]  # no `postorder`: values that depend on themselves are found out here
        open_values: set[Value] = set()
        undecided = self._undecided
        budget = self._shape.budget
        try:
            while stack:
                value = stack[-1]
                if value in undecided:
                    raise UndecidedError(undecided[value])
                step = steps.get(value)
                if step is None:
                    step = steps[value] = self._shape.steps.of(value, self._varying)
                way, needs, plain = step
                waits = False
                for needed in needs:
                    if needed not in known:
                        if not isinstance(needed, Operation):
                            known[needed] = self._leaf(needed)
                        elif needed in open_values:
                            known[needed] = Unevaluable("depends on itself")
                        elif every is None or self._as_in_all(needed) is None:
                            stack.append(needed)
                            waits = True
                if waits:
                    open_values.add(value)
                    continue
                stack.pop()
                if value in known:
                    continue
                if way is Way.COMPUTED:
                    assert isinstance(value, Operation)
                    known[value] = self._settle(value, plain=plain)
                    if METER.left < STEPS:  # else as `spend` does, which this is too often for
                        budget.spend(1, STEPS)
                    else:
                        budget.left -= 1
                        METER.left -= STEPS
                elif way is Way.OUTSIDE:
                    assert self._base is not None
                    known[value] = self._base.value(value)
                else:
                    known[value] = self._leaf(value)
        except UndecidedError as reason:
            undecided[value] = reason.comparison
            for above in open_values:
                if above not in known:
                    undecided[above] = reason.comparison
            raise
        return known[wanted]

    def _in_every_warp(self, wanted: Value) -> Outcome | None:
        """The value in all warps at once, where it is one formula."""
        found = self._known.get(wanted)
        if found is None and wanted not in self._undecided:
            with suppress(UndecidedError):
                return self.value(wanted)
        return found

    def _as_in_all(self, value: Value) -> Outcome | None:
        """The value, where it is found for all warps at once."""
        assert self._every is not None
        every, numbers = self._every
        found = every._in_every_warp(value)
        if isinstance(found, LaneValue):
            found = in_iteration(found, numbers)
        if found is not None:
            self._known[value] = found
        return found

    def value_in(self, block: Block, wanted: Value) -> Outcome:
        """The value as code in `block` finds it."""
        return self._seen_from(block, wanted, self.value(wanted))

    def _seen_from(self, block: Block, value: Value, outcome: Outcome) -> Outcome:
        """The value of the iteration in which each lane left the loops around the operation."""
        if not isinstance(value, Operation) or value.block is block:
            return outcome
        loop = self._shape.flow.innermost_loop.get(value.block)
        leaves = loop is not None and block not in loop.blocks
        counts = value.type.kind is not Kind.FLOAT  # which is not evaluated in any iteration
        if leaves and self._spans and isinstance(outcome, LaneValue) and is_product(outcome):
            raise UndecidedError
        if loop is not None and leaves and counts and may_differ(outcome, loop):
            last = self._at_exit(loop, value) if _is_around(loop.parent, block) else None
            if last is not None:
                return last
        if self._shape.uniformity.left_apart(value, block) is Uniformity.VARYING:
            return Unevaluable("comes from a loop that lanes leave in different iterations")
        return outcome

    def _at_exit(self, loop: Loop, value: Operation) -> LaneValue | None:
        """The value in each lane's last iteration of a loop; None when that is not known."""
        if self.has_numbers:
            return None
        if loop not in self._exits:
            self._exits[loop] = None  # for what asks again on the way
            try:
                self._exits[loop] = self._shape.exits(self, loop)
            except UndecidedError:
                del self._exits[loop]
                raise
        found: LaneValue | None = None
        for mask, evaluator in self._exits[loop] or ():
            last = evaluator.value(value)
            if may_differ(last, loop) or not isinstance(last, LaneValue):
                return None
            lanes = LaneValue(tuple(map(int, mask)))
            found = last if found is None else mix(lanes, last, found)
        return found

    # ---- leaves ------------------------------------------------------------------------------

    def _symbol(self, name: Hashable) -> LaneValue:
        number = None if self._numbers is None else self._numbers(name)
        return symbol(name) if number is None else constant(number)

    def _leaf(self, value: Value) -> Outcome:
        if isinstance(value, Constant):
            if isinstance(value.value, int):
                return constant(value.value)
            return Unevaluable("floating point")
        if isinstance(value, SpecialRegister):
            return self._special(value)
        if isinstance(value, Parameter):
            return self._symbol(value)
        if isinstance(value, ObjectAddress):
            return symbol(value.object)
        if isinstance(value, Unknown) and not value.per_thread:
            return self._symbol(value)
        return Unevaluable(getattr(value, "reason", "unknown value"))

    def _special(self, value: SpecialRegister) -> Outcome:
        register = value.register
        if register in _AXES:
            if self._axes is not None:
                return self._axes[register]
            axis = _AXES[register]
            return LaneValue(tuple(thread[axis] for thread in self.threads))
        if register in _SIZES:
            return constant(self._shape.launch.block[_SIZES[register]])
        if register in _GRID:
            known = self._shape.launch.grid[_GRID[register]]
            return self._symbol(register) if known is None else constant(known)
        if register in _BLOCK and None not in self._shape.launch.grid:
            low, high = self._shape.launch.part[_BLOCK[register]]
            return constant(low) if low == high else self._symbol(register)
        if register is Special.LANE:
            return LaneValue(tuple(range(WARP)))
        if register is Special.WARP_SIZE:
            return constant(WARP)
        if register in LANE_MASKS:
            return LaneValue(tuple(LANE_MASKS[register](lane) for lane in range(WARP)))
        if self._shape.uniformity.of(value) <= self._widest:
            return self._symbol(register)
        return Unevaluable(f"%{value.name} is not modelled")

    # ---- operations --------------------------------------------------------------------------

    def _settle(self, operation: Operation, *, plain: bool) -> Outcome:
        result = self._compute(operation, plain=plain)
        if isinstance(result, LaneValue):
            return result
        if self._shape.uniformity.of(operation) <= self._widest:
            return self._symbol(self._name(operation))
        return result or Unevaluable(describe(operation))

    def _name(self, operation: Operation) -> Hashable:
        """A symbol's name: equal for equal computations on known operands."""
        if operation.opcode in EVALUATED:
            operands = tuple(self._known.get(operand) for operand in operation.operands)
            if all(isinstance(operand, LaneValue) for operand in operands):
                details = ("name", "offset", "source", "compared")
                detail = tuple(getattr(operation, item, None) for item in details)
                key = (operation.opcode, operation.type, detail, operands)
                return self._shape.names.setdefault(key, Computation(key))
        return operation

    def _compute(self, operation: Operation, *, plain: bool) -> LaneValue | Unevaluable | None:
        """The exact value, the reason there is none, or None when the operation is not modelled.

        `plain` says that the operands are in sight as they were computed.
        """
        if isinstance(operation, Phi):
            return self._phi(operation)
        if not is_evaluated(operation):
            return None
        operands: list[LaneValue] = []
        for operand in operation.operands:
            outcome = self._known[operand]
            if not plain:
                outcome = self._seen_from(operation.block, operand, outcome)
            if isinstance(outcome, Unevaluable):
                return outcome
            operands.append(outcome)
        if self._spans and any(map(depends_on_span, operands)):
            return over_iterations(operation, operands, self.range_of)
        opcode = operation.opcode
        if isinstance(operation, Convert):
            return convert(operands[0], operation.source, operation.type)
        if isinstance(operation, Pure):
            return bit_function(operation, operands)
        if operation.type.kind is Kind.FLOAT or isinstance(operation, Field):
            return None
        if opcode is Opcode.SELECT:
            return mix(operands[0], operands[1], operands[2])
        if opcode in UNARY:
            return unary(operation, operands[0])
        if isinstance(operation, Compare) and operation.compared.kind is Kind.FLOAT:
            return None
        if not isinstance(operation, Compare):
            return compute(opcode, operation.type, operands[0], operands[1])
        known = compute(opcode, operation.compared, operands[0], operands[1])
        return known or decide(opcode, subtract(operands[0], operands[1]), self.range_of)

    def range_of(self, name: Hashable) -> Range | None:
        """The numbers that a symbol may stand for."""
        if isinstance(name, IterationNumber):
            return (0, None)
        if isinstance(name, Special) and name in _BLOCK and None not in self._shape.launch.grid:
            return self._shape.launch.part[_BLOCK[name]]
        return span_range(name) if self._spans else None

    # ---- phis --------------------------------------------------------------------------------

    def _phi(self, phi: Phi) -> Outcome | None:
        if counts := induction(self._shape.flow, phi):
            return self._counter(phi, counts)
        decision = selection(self._shape.flow, phi)
        return None if decision is None else self._decide(phi, decision)

    def _decide(self, phi: Phi, way: Value | Decision) -> Outcome | None:
        """The value that decisions lead to, lane by lane."""
        if not isinstance(way, Decision):
            return self._seen_from(phi.block, way, self._known[way])
        condition = self._seen_from(phi.block, way.condition, self._known[way.condition])
        if isinstance(condition, Unevaluable):
            return condition
        if self._spans and depends_on_span(condition):
            raise UndecidedError
        if condition.is_number and (all(condition.lanes) or not any(condition.lanes)):
            return self._decide(phi, way.then if condition.lanes[0] else way.otherwise)
        then, otherwise = self._decide(phi, way.then), self._decide(phi, way.otherwise)
        if isinstance(then, LaneValue) and isinstance(otherwise, LaneValue):
            if self._spans and (depends_on_span(then) or depends_on_span(otherwise)):
                return chosen(condition, then, otherwise)
            return mix(condition, then, otherwise)
        return then if isinstance(otherwise, LaneValue) else otherwise

    def _counter(self, phi: Phi, counts: Induction) -> Outcome | None:
        start = self._seen_from(phi.block, counts.first, self._known[counts.first])
        if isinstance(start, Unevaluable):
            return start
        total = constant(0)
        for step, sign in counts.steps:
            outcome = self._seen_from(phi.block, step, self._known[step])
            if isinstance(outcome, Unevaluable):
                return outcome
            total = add(total, outcome if sign > 0 else negated(outcome))
        if self._spans and depends_on_span(total):
            raise UndecidedError
        scaled = multiply(self._symbol(IterationNumber(phi.block)), total)
        return None if scaled is None else add(start, scaled)


def _is_around(loop: Loop | None, block: Block) -> bool:
    return loop is None or block in loop.blocks


_AXES = {Special.THREAD_X: 0, Special.THREAD_Y: 1, Special.THREAD_Z: 2}
_SIZES = {Special.BLOCK_SIZE_X: 0, Special.BLOCK_SIZE_Y: 1, Special.BLOCK_SIZE_Z: 2}
_GRID = {Special.GRID_SIZE_X: 0, Special.GRID_SIZE_Y: 1, Special.GRID_SIZE_Z: 2}
_BLOCK = {Special.BLOCK_X: 0, Special.BLOCK_Y: 1, Special.BLOCK_Z: 2}
