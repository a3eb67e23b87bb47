"""Every execution of an access in a whole launch: which warp, in which iteration, with what
addresses.

In: an access and a launch. Out: the executions, each with how often it happens, or the reason they
are not known. Where blocks differ only by moving all lanes together, one block stands for all; else
the grid is halved, along the axes that the address or a guard depends on, until the blocks of each
part are alike (a bounds check sets the last block apart from the others).
All guards must be decided and all loops around the access must have a known trip count: nothing is
sampled and nothing assumed, and a launch of more different executions than a limit is refused.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache, reduce
from math import gcd, prod
from operator import and_
from typing import TYPE_CHECKING

from ...ir.memory import MemoryObject
from ...ir.operations import Field, Opcode, Operation, Phi
from ...ir.types import Kind
from ...ir.values import Parameter, SpecialRegister
from ...source.records import dataclass
from ..block_execution.launch_values import BLOCK_INDEX
from ..dataflow.reachability import reachable
from ..warp_evaluation.access_iterations import look, look_in
from ..warp_evaluation.lane_values import LaneValue
from ..warp_evaluation.leaving_lanes import test_of
from ..warp_evaluation.loop_iterations import Limits, iterations_of
from ..warp_evaluation.reasons import UNKNOWN_BLOCK
from ..warp_evaluation.warp_evaluator import IterationNumber, Unevaluable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from ...ir.block import Block
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..launch.assumed_launch import Box
    from ..warp_evaluation.guards import Mask
    from ..warp_evaluation.iterations import Iterations, Run
    from ..warp_evaluation.lane_values import Coefficient
    from .facts import TrafficLaunch

Counted = tuple[int, LaneValue, "Mask"]

_ALONE = 16  # parts taken apart to single blocks before a large launch is given up
LIMIT = 1 << 12  # executions that are looked at, for one access
_XYZ = range(3)
_PARTLY_KNOWN = Unevaluable("part of the address is unknown")
_UNKNOWN_GUARD = Unevaluable("a guard around it is unknown")
_TOO_LARGE = Unevaluable("the launch is too large to count")


@dataclass(frozen=True, slots=True)
class Execution:
    """A warp executing an access with these addresses and active lanes, `times` over."""

    warp: int
    times: int
    value: LaneValue
    mask: Mask


class LaunchExecutions:
    """All executions of the accesses of one launch, to add up what they cost; the iterations of
    loops are kept.
    """

    def __init__(self, launch: TrafficLaunch, limit: int = LIMIT) -> None:
        self.launch = launch
        self._limit = limit
        self._iterations: dict[tuple[Hashable, ...], Iterations | None] = {}
        self._parts: dict[Box, TrafficLaunch] = {launch.launch.part: launch}
        self._left = 0  # executions that may still be looked at
        #: Guards that alone, with these axes of the grid, make it too large.
        self._parting: set[tuple[frozenset[Block], frozenset[int]]] = set()

    def of(self, access: MemoryAccess, unit: int) -> tuple[Execution, ...] | Unevaluable:
        """All executions; moving a warp by a multiple of `unit` bytes must not change its cost."""
        grid = self.launch.launch.grid
        if not self.launch.launch.trusted:
            return Unevaluable(UNKNOWN_BLOCK)
        if None in grid:
            return Unevaluable("the grid is unknown: set --grid")
        for loop in self.launch.facts.flow.loop_nest(access.block):
            tested_first = test_of(loop) is loop.header and loop.header not in loop.latches
            if tested_first and loop.header is access.block:
                return Unevaluable("part of a loop condition")  # which runs once more
        deciders = [access.address, *_decisions(self.launch, access)]
        axes = block_axes(self.launch, deciders, control=True)
        guarded = self._guards(access.block), frozenset(axes)
        if guarded in self._parting:
            return _TOO_LARGE
        self._left = self._limit
        alone = 0  # parts that came down to single blocks
        guards = True  # nothing but a guard took parts of the grid apart
        found: list[Execution] = []
        waiting: list[Box] = [self.launch.launch.part]
        while waiting:
            box = waiting.pop()
            here = self._in_part(self._part(box), access, unit)
            if not isinstance(here, Unevaluable):
                here = _over_blocks(here, box, unit)
                if _moves_by(here, unit):
                    found += here
                    continue
            guards = guards and here is _UNKNOWN_GUARD
            halves = _halves(box, axes)
            if not halves:
                return here if isinstance(here, Unevaluable) else _PARTLY_KNOWN
            waiting += halves
            alone += all(half[axis][0] == half[axis][1] for half in halves for axis in axes)
            executions = sum(map(_blocks_in, waiting)) * self.launch.launch.warps
            if self._left < 0 or (alone > _ALONE and executions > self._limit):
                if guards:
                    self._parting.add(guarded)
                return _TOO_LARGE
        return tuple(found)

    def _guards(self, block: Block) -> frozenset[Block]:
        """The decisions about a block of code outside of the loops around it."""
        flow = self.launch.facts.flow
        inside = _outermost(flow.loop_nest(block))
        around = (edge.branch for edge in flow.controlling_edges(block))
        return frozenset(branch for branch in around if branch not in inside)

    def _part(self, box: Box) -> TrafficLaunch:
        """A part of the grid; what is computed in it is there for all accesses."""
        if box not in self._parts:
            self._parts[box] = self.launch.within(box)
        return self._parts[box]

    def _in_part(
        self, part: TrafficLaunch, access: MemoryAccess, unit: int
    ) -> list[Execution] | Unevaluable:
        """The executions in a part of the grid whose blocks are alike."""
        times = _blocks_in(part.launch.part)
        found: list[Execution] = []
        for warp in range(part.launch.warps):
            iterations = self._alike_iterations(part, access, warp, unit)
            if iterations is None:
                iterations = self._each_iteration(part, access, warp)
            if isinstance(iterations, Unevaluable):
                return iterations
            found += [Execution(warp, times * n, value, mask) for n, value, mask in iterations]
        return found

    def _alike_iterations(
        self, part: TrafficLaunch, access: MemoryAccess, warp: int, unit: int
    ) -> list[Counted] | Unevaluable | None:
        """The iterations as one, when they only move all lanes together; None when they do more."""
        nest = part.facts.flow.loop_nest(access.block)
        tests = [test_of(loop) for loop in nest]
        self._left -= 1
        evaluator = part.evaluator(warp)
        guarded = part.guards(evaluator).of(access.block)
        if not guarded.assumed <= _outermost(nest):
            return _UNKNOWN_GUARD  # whatever the loops' iterations, and wherever it goes
        value, _ = look(part, access, evaluator)
        if isinstance(value, Unevaluable) or not guarded.assumed <= set(tests):
            return None
        counters = {name.header for name, _ in value.terms if isinstance(name, IterationNumber)}
        if not counters <= {loop.header for loop in nest}:
            return None  # the last iteration of a loop that is over
        if any(loop.exits != [test] for loop, test in zip(nest, tests, strict=True)):
            return None
        if not nest:
            return [(1, value, guarded.mask)] if any(guarded.mask) else []
        iterations = self._iterations_for(part, nest, warp)
        if iterations is None or not iterations.complete:
            return None
        alike: Counter[tuple[int, tuple[Mask, ...]]] = Counter()
        for run in iterations.runs:
            bodies = tuple(run.first.bodies.values())
            for shift, times in _shifts(value, run, unit):
                alike[shift, bodies] += times
        still = _without(value, lambda name: isinstance(name, IterationNumber))
        found: list[Counted] = []
        for (shift, bodies), times in alike.items():
            mask = reduce(_both, bodies, guarded.mask)
            if any(mask):
                found.append((times, _moved(still, shift), mask))
        return found

    def _each_iteration(
        self, part: TrafficLaunch, access: MemoryAccess, warp: int
    ) -> list[Counted] | Unevaluable:
        """The iterations of the loops around the access, one after the other."""
        nest = part.facts.flow.loop_nest(access.block)
        iterations = self._iterations_of(part, nest, warp)
        if iterations is None:
            return Unevaluable("a loop around it has an unknown trip count")
        self._left -= iterations.count
        if not iterations.complete or self._left < 0:
            return _TOO_LARGE
        found: list[Counted] = []
        for iteration in iterations.each:
            if iteration.numbers:
                value, guarded = look_in(access, iteration)
            else:
                value, guarded = look(part, access, part.evaluator(warp))
            if guarded.assumed:
                return _UNKNOWN_GUARD
            if not any(guarded.mask):
                continue
            if isinstance(value, Unevaluable):
                return value
            found.append((1, value, guarded.mask))
        return found

    def _iterations_of(
        self, part: TrafficLaunch, nest: Sequence[Loop], warp: int
    ) -> Iterations | None:
        """The iterations of the loops around an access, as the blocks of a part make them."""
        key = (part.launch.part, nest[0].header if nest else None, warp)
        if key not in self._iterations:
            limits = Limits(self._limit, self._limit)
            self._iterations[key] = iterations_of(part, warp, nest, limits=limits)
        return self._iterations[key]

    def _iterations_for(
        self, part: TrafficLaunch, nest: Sequence[Loop], warp: int
    ) -> Iterations | None:
        """The same, but for values: taken from the whole grid when all of its blocks agree."""
        return self._iterations_of(self.launch, nest, warp) or self._iterations_of(part, nest, warp)


def _outermost(nest: Sequence[Loop]) -> frozenset[Block]:
    return nest[-1].blocks if nest else frozenset()


def _blocks_in(box: Box) -> int:
    return prod(high - low + 1 for low, high in box)


def _halves(box: Box, axes: set[int]) -> list[Box]:
    """A part of the grid in two, along the longest axis that matters; none for one block."""
    longest = max(axes, key=lambda axis: box[axis][1] - box[axis][0], default=0)
    low, high = box[longest]
    if not axes or low == high:
        return []
    middle = (low + high) // 2
    ends = ((middle + 1, high), (low, middle))
    return [(*box[:longest], end, *box[longest + 1 :]) for end in ends]


def _both(first: Mask, second: Mask) -> Mask:
    return tuple(map(and_, first, second))


def _shifts(value: LaneValue, run: Run, unit: int) -> Iterator[tuple[int, int]]:
    """How far the iterations have moved the warp, all lanes alike, but for multiples of `unit`;
    each with how many of them have.
    """
    shift = step = 0
    for name, coefficient in value.terms:
        if isinstance(name, IterationNumber) and isinstance(coefficient, int):
            shift += coefficient * run.first.numbers[name.header]
            if name.header is run.header:
                step += coefficient
    period = unit // gcd(step, unit)
    for number in range(min(period, run.count)):
        yield (shift + number * step) % unit, (run.count - number - 1) // period + 1


def _without(value: LaneValue, leaves_out: Callable[[Hashable], bool]) -> LaneValue:
    return LaneValue(value.lanes, tuple(term for term in value.terms if not leaves_out(term[0])))


def _moved(value: LaneValue, distance: int) -> LaneValue:
    return LaneValue(tuple(lane + distance for lane in value.lanes), value.terms)


def _over_blocks(executions: list[Execution], box: Box, unit: int) -> list[Execution]:
    """The same executions with the distances, up to `unit`, that blockIdx moves them by."""
    found: list[Execution] = []
    for execution in executions:
        distances = Counter({0: 1})
        for name, coefficient in execution.value.terms:
            if name in BLOCK_INDEX and isinstance(coefficient, int):
                low, high = box[BLOCK_INDEX.index(name)]
                distances = _sums(distances, _steps(coefficient, low, high, unit), unit)
        alike = execution.times // distances.total()
        still = _without(execution.value, lambda name: name in BLOCK_INDEX)
        found += [
            Execution(execution.warp, alike * times, _moved(still, distance), execution.mask)
            for distance, times in distances.items()
        ]
    return found


@lru_cache
def _steps(coefficient: int, low: int, high: int, unit: int) -> Counter[int]:
    """How often each multiple of a coefficient occurs, up to `unit`: they repeat after a period."""
    count, period = high - low + 1, unit // gcd(coefficient, unit)
    return Counter(
        {
            coefficient * (low + number) % unit: (count - number - 1) // period + 1
            for number in range(min(period, count))
        }
    )


def _sums(first: Counter[int], second: Counter[int], unit: int) -> Counter[int]:
    """How often each sum of two distances occurs, up to `unit`."""
    sums = Counter[int]()
    for one, times in first.items():
        for other, more in second.items():
            sums[(one + other) % unit] += times * more
    return sums


def _moves_by(executions: list[Execution], unit: int) -> bool:
    """Whether what is not known moves the warps by multiples of `unit` only."""
    return all(
        _is_multiple(coefficient, unit) or (coefficient == 1 and is_start(name))
        for execution in executions
        for name, coefficient in execution.value.terms
    )


def _is_multiple(coefficient: Coefficient, unit: int) -> bool:
    return isinstance(coefficient, int) and coefficient % unit == 0


def is_start(symbol: Hashable) -> bool:
    """Whether a symbol in an address is the start of an object, which is aligned for every access.

    So are pointers among the members of a parameter.
    """
    if isinstance(symbol, tuple) and symbol and symbol[0] is Opcode.EXTRACT:
        return symbol[1].kind is Kind.POINTER  # as the evaluator names it
    if isinstance(symbol, Parameter | Field):
        return symbol.type.kind is Kind.POINTER
    return isinstance(symbol, MemoryObject)


def block_axes(launch: TrafficLaunch, values: list[Value], *, control: bool = False) -> set[int]:
    """The axes of blockIdx that values, such as addresses, are computed from; with `control`, or
    that decide if.
    """

    def made_of(value: Value) -> Sequence[Value]:
        if control and isinstance(value, Operation):
            return [*value.operands, *_decisions(launch, value)]
        return value.operands

    parts = reachable(values, made_of)
    registers = {value.register for value in parts if isinstance(value, SpecialRegister)}
    return {axis for axis in _XYZ if BLOCK_INDEX[axis] in registers}


def _decisions(launch: TrafficLaunch, operation: Operation) -> Iterator[Value]:
    """What decides whether an operation runs, how often, and which value a phi takes."""
    block = operation.block
    for ruled in (block, *(block.predecessors if isinstance(operation, Phi) else ())):
        for edge in launch.facts.flow.control_edges[ruled]:
            decider = edge.branch.terminator
            yield decider.operands[0]
            yield decider
