"""Data under which a decision splits a block: two threads that load from places of their own.

In: a launch and a control edge. Out: two lanes of the first warp, with the values of what they load
for which one takes the edge and the other does not, and the example numbers for everything else;
the values lie near these numbers, or near a constant of the decision.
Data is what a thread loads from global memory that the kernel does not write, or from shared memory
that holds such data and nothing else; the two places must be different ones, whatever is not known.
A number that a thread gets by counting (`atomicAdd(next, 1)`) is its own as well.
The decision is evaluated with these values, as it is with sizes in `barrier_divergence.py`; how
floating-point data compares is chosen (`free_comparisons.py`).
Not handled: later iterations of a loop.
"""

from __future__ import annotations

from functools import partial
from itertools import chain, islice, product
from typing import TYPE_CHECKING

from ...ir.arithmetic import wrap
from ...ir.memory import Space
from ...ir.operations import AccessKind, Compare, MemoryAccess, unconverted
from ...ir.types import Kind
from ...ir.values import whole_number
from ...source.records import dataclass
from ..conflicts.split_blocks import Datum
from ..dataflow.affine import counted_from
from ..dataflow.slices import backward_slice
from ..warp_evaluation.example_numbers import Example, data_examples, examples
from ..warp_evaluation.lane_values import WARP, LaneValue
from .free_comparisons import chosen_loads, free_comparisons

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlEdge
    from ..warp_evaluation.guards import Guards
    from ..warp_evaluation.warp_evaluator import WarpEvaluator
    from .facts import BarrierLaunch

_LANES = (0, 1)
_TOGETHER = 3  # loads that one decision is made of
_NAMED = 4  # constants that are tried
_VALUES = ((0, 1), (1, 0), (-1, 1), (1, -1))  # of the two lanes, from the example's number


@dataclass(frozen=True, slots=True)
class DataSplit:
    """Loaded data by which one lane takes the edge towards a barrier and another one does not."""

    takes: int
    misses: int
    data: tuple[Datum, ...]  # as far as the elements have names
    example: Example


def data_split(launch: BarrierLaunch, edge: ControlEdge) -> DataSplit | None:
    """The first example of loaded data by which a decision before a barrier splits two lanes."""
    decision = _decision(launch, edge.branch.terminator.operands[0])
    if decision is None:
        return None
    passed = data_examples(launch) if launch.passed else ()
    tried = chain(examples(launch.launch), passed, _near_constants(decision.condition))
    several = decision.loads if len(decision.loads) > 1 else ()
    for example, steps, alone in product(tried, _VALUES, (None, *several)):
        if launch.facts.budget.used_up or example.iteration:
            continue
        split = _try(launch, edge, decision, example, _Choice(steps, alone))
        if example.is_nameless:
            return None
        if split is not None and example.can_be_launched(launch):
            return split
    return None


@dataclass(frozen=True, slots=True)
class _Decision:
    """A condition on data: the whole numbers that are loaded for it, the innermost first, and what
    comparisons of floating point it is made of.
    """

    condition: Value
    loads: tuple[MemoryAccess, ...]
    comparisons: Mapping[Compare, Sequence[MemoryAccess]]


def _decision(launch: BarrierLaunch, condition: Value) -> _Decision | None:
    """A condition taken apart; None where no data decides it, or more than that."""
    comparisons = free_comparisons(condition, partial(_is_data, launch, kind=None))
    if comparisons is None or len(comparisons) > _TOGETHER:
        return None
    compared = {load for loads in comparisons.values() for load in loads}
    free = [each.address for each in compared]
    parts = backward_slice(condition, *free, through=lambda each: each not in comparisons)
    loads = [each for each in parts if isinstance(each, MemoryAccess) and each not in compared]
    if not (loads or comparisons) or len(loads) > _TOGETHER:
        return None
    if not all(_is_data(launch, load) for load in loads):
        return None
    return _Decision(condition, tuple(reversed(loads)), comparisons)


@dataclass(frozen=True, slots=True)
class _Choice:
    """What the two lanes load, from the example's number: each its own, by all loads or one alone,
    where they get the number itself by the others.
    """

    steps: tuple[int, int]
    alone: MemoryAccess | None

    def of(self, load: MemoryAccess, number: int) -> tuple[int, int]:
        """The values for a load, as its type holds them."""
        if self.alone is not None and load is not self.alone:
            first = second = number
        else:
            first, second = number + self.steps[0], number + self.steps[1]
        return wrap(first, load.type), wrap(second, load.type)


def _near_constants(condition: Value) -> Iterator[Example]:
    """Examples with the numbers that a decision names itself: `a[i] > 3`."""
    numbers = filter(None, map(whole_number, backward_slice(condition)))
    return (Example(number, 0) for number in islice(dict.fromkeys(numbers), _NAMED))


def _try(
    launch: BarrierLaunch,
    edge: ControlEdge,
    decision: _Decision,
    example: Example,
    choice: _Choice,
) -> DataSplit | None:
    """What the two lanes do when they load the example's number, a step further."""
    bound: dict[Value, LaneValue] = {}
    data: list[Datum] = []
    held: dict[tuple[MemoryObject, int], int] = {}
    for load in decision.loads:
        values = choice.of(load, example.number)
        evaluator = example.evaluator(launch, 0, edge.branch, data=bound)
        bound[load] = LaneValue((values[0], *[values[1]] * (WARP - 1)))
        if _is_ticket(load):
            continue  # whatever the place, no two threads get one number
        address, item = _places(evaluator, edge.branch, load), _item(launch, load)
        if address is None or item is None:
            return None
        base = _base(evaluator, edge.branch, load, item)
        if base is not None:
            places = (address[0] - base, address[1] - base)
            found = [Datum(item, at, value) for at, value in zip(places, values, strict=True)]
            if any(held.setdefault((d.item, d.offset), d.value) != d.value for d in found):
                return None  # one place would hold two values
            data += (each for each in found if each not in data)
    evaluator = example.evaluator(launch, 0, edge.branch, data=bound)
    for comparison, loads in decision.comparisons.items():
        if not any(_places(evaluator, edge.branch, load) for load in loads):
            return None  # all threads compare the same
        holds = int(choice.steps[0] > choice.steps[1])
        bound[comparison] = LaneValue((holds, *[1 - holds] * (WARP - 1)))
    evaluator = example.evaluator(launch, 0, edge.branch, data=bound)
    guards = launch.guards(evaluator)
    reached, taken = guards.of(edge.branch), guards.taken(edge)
    if taken is None or not all(reached.mask[lane] for lane in _LANES):
        return None
    loading = [guards.of(load.block) for load in chosen_loads(decision.comparisons)]
    if any(each.assumed - reached.assumed for each in loading):
        return None
    if not all(each.mask[lane] for each in loading for lane in _LANES):
        return None  # a lane compares what it has not loaded
    if not _come_first_time(launch, edge.branch, reached.assumed - {edge.branch}, guards):
        return None
    ways = [bool(taken[lane]) for lane in _LANES]
    if ways[0] is ways[1]:
        return None
    return DataSplit(ways.index(True), ways.index(False), tuple(data), example)


def _item(launch: BarrierLaunch, load: MemoryAccess) -> MemoryObject | None:
    return launch.facts.points_to.object_of(load)


def _places(evaluator: WarpEvaluator, block: Block, load: MemoryAccess) -> tuple[int, int] | None:
    """The addresses from which the two lanes load, where these are known to be apart."""
    address = evaluator.value_in(block, load.address)
    if not isinstance(address, LaneValue):
        return None
    first, second = (address.lanes[lane] for lane in _LANES)
    if abs(first - second) < (load.width or 0) or not address.shifts_only:
        return None
    return first, second


def _come_first_time(
    launch: BarrierLaunch, branch: Block, uncertain: frozenset[Block], guards: Guards
) -> bool:
    """Whether the two lanes get to a branch in the first iteration of the loops around it.

    `unsure` are the decisions that may be others in a later iteration; those behind the branch only
    say whether there is one.
    """
    flow = launch.facts.flow
    dominates = flow.dominators.dominates
    uncertain = frozenset(b for b in uncertain if not dominates(branch.index, b.index))
    ways = [each for each in flow.controlling_edges(branch) if each.branch in uncertain]
    for way in ways:
        taken = guards.taken(way)
        if taken is None or not all(taken[lane] for lane in _LANES):
            return False
    return {way.branch for way in ways} == uncertain


def _base(
    evaluator: WarpEvaluator, block: Block, load: MemoryAccess, item: MemoryObject
) -> int | None:
    """The number that the first byte of an object has in the addresses of a load."""
    address = evaluator.value_in(block, load.address)
    if isinstance(address, LaneValue) and address.terms == ((item, 1),):
        return 0
    start = evaluator.value_in(block, counted_from(load.address))
    same = isinstance(start, LaneValue) and isinstance(address, LaneValue) and not address.terms
    return start.number if same and isinstance(start, LaneValue) else None


def _is_data(launch: BarrierLaunch, load: MemoryAccess, kind: Kind | None = Kind.INTEGER) -> bool:
    """Whether a load may find any number, of a kind, whatever other threads find."""
    if _is_ticket(load):
        return True
    if load.kind is not AccessKind.LOAD or kind not in (load.element.kind, None):
        return False
    facts = launch.facts
    item = facts.points_to.object_of(load)
    if item is None:
        return False
    writes = list({each: None for one in (item, None) for each in facts.writers.get(one, ())})
    if facts.points_to.space_of(load) is not Space.SHARED:
        return facts.points_to.space_of(load) is Space.GLOBAL and not writes
    if len(writes) != 1 or writes[0].kind is not AccessKind.STORE:
        return False
    stored = unconverted(writes[0].operands[1])
    return (
        isinstance(stored, MemoryAccess)
        and facts.points_to.space_of(stored) is Space.GLOBAL
        and _is_data(launch, stored, kind)
        and all(_each_has_its_own(launch, access) for access in (writes[0], stored))
    )


def _is_ticket(access: MemoryAccess) -> bool:
    """Whether each thread counts by one or more, and gets the number before: `atomicAdd(c, 1)`."""
    counts = access.kind is AccessKind.ATOMIC and access.atomic in ("add", "sub")
    return counts and bool(whole_number(access.operands[1]))


def _each_has_its_own(launch: BarrierLaunch, access: MemoryAccess) -> bool:
    """Whether the lanes of a warp come to places that differ, whatever is not known."""
    example = next(examples(launch.launch))
    address = example.evaluator(launch, 0, access.block).value_in(access.block, access.address)
    if not isinstance(address, LaneValue) or not address.shifts_only:
        return False
    return len(set(address.lanes)) == WARP
