"""Every execution of an access in a whole launch: which warp, in which round, with what addresses.

In: an access and a launch. Out: the executions, each with how often it happens, or the reason they
are not known. Where blocks differ only by moving all lanes together, one block stands for all;
else those block indices that the address or a guard depends on are gone through one by one.
All guards must be decided and all loops around the access must have a known course: nothing is
sampled and nothing assumed, and a launch of more than `LIMIT` different executions is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from ..ir.memory import MemoryObject
from ..ir.operations import Operation, Phi
from ..ir.types import Kind
from ..ir.values import Parameter, Special, SpecialRegister
from .access_rounds import AccessRounds, look
from .lane_values import constant
from .loop_rounds import Limits, Round, rounds_of
from .warp_evaluator import Unevaluable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from ..ir.operations import MemoryAccess
    from ..ir.values import Value
    from .facts import LaunchFacts
    from .guards import Guarded
    from .lane_values import LaneValue
    from .loop_rounds import Bound

LIMIT = 1 << 14  # executions that are looked at, for one access
_XYZ = range(3)
_PARTLY_KNOWN = Unevaluable("a part of the address is not known")
_BLOCK_INDEX = (Special.BLOCK_X, Special.BLOCK_Y, Special.BLOCK_Z)


@dataclass(frozen=True, slots=True)
class Execution:
    """One warp executing the access, in `times` blocks alike; `round` counts rounds of loops."""

    warp: int
    round: int
    block: tuple[int | None, ...]  # None where the index makes no difference
    times: int
    value: LaneValue
    guarded: Guarded


def executions_of(
    launch: LaunchFacts, access: MemoryAccess, unit: int
) -> tuple[Execution, ...] | Unevaluable:
    """All executions; moving a warp by a multiple of `unit` bytes must not change what it costs."""
    grid = launch.launch.grid
    if None in grid:
        return Unevaluable("the grid is not known: set --grid")
    alike = _in_block(launch, access, (None, None, None), _Budget(LIMIT))
    if not isinstance(alike, Unevaluable) and _moves_by(alike, unit):
        return tuple(alike)
    axes = _block_axes(launch, access)
    if not axes:
        return alike if isinstance(alike, Unevaluable) else _PARTLY_KNOWN
    budget = _Budget(LIMIT)
    found: list[Execution] = []
    for block in product(*(range(grid[axis] or 0) if axis in axes else (None,) for axis in _XYZ)):
        here = _in_block(launch, access, block, budget)
        if isinstance(here, Unevaluable):
            return here
        found += here
    return tuple(found) if _moves_by(found, unit) else _PARTLY_KNOWN


class _Budget:
    """How many executions may still be looked at."""

    def __init__(self, left: int) -> None:
        self.left = left


def _in_block(
    launch: LaunchFacts, access: MemoryAccess, block: tuple[int | None, ...], budget: _Budget
) -> list[Execution] | Unevaluable:
    """The executions in one block, or in every block alike where its index is None."""
    sizes = (size or 1 for size in launch.launch.grid)
    times = prod(size for size, index in zip(sizes, block, strict=True) if index is None)
    start = Round(_bind(launch, block), {})
    found: list[Execution] = []
    for warp in range(launch.launch.warps):
        rounds = _rounds(launch, access, warp, start)
        if isinstance(rounds, Unevaluable):
            return rounds
        budget.left -= len(rounds.rounds) or 1
        if budget.left < 0:
            return Unevaluable("the launch is too large to count")
        found += [
            Execution(warp, number, block, times, value, guarded)
            for number, (value, guarded) in enumerate(rounds.rounds)
            if any(guarded.mask)
        ]
    return found


def _bind(launch: LaunchFacts, block: tuple[int | None, ...]) -> Bound:
    """The block's index, wherever the kernel asks for it."""
    bound: Bound = {}
    for operation in launch.facts.kernel.operations():
        for operand in operation.operands:
            if isinstance(operand, SpecialRegister) and operand.register in _BLOCK_INDEX:
                index = block[_BLOCK_INDEX.index(operand.register)]
                if index is not None:
                    bound[operand] = constant(index)
    return bound


def _rounds(
    launch: LaunchFacts, access: MemoryAccess, warp: int, start: Round
) -> AccessRounds | Unevaluable:
    """All rounds of the loops around the access, for one warp."""
    assert access.block is not None
    nest = launch.facts.flow.loop_nest(access.block)
    rounds = rounds_of(launch, warp, nest, start, Limits(LIMIT, LIMIT))
    if rounds is None:
        return Unevaluable("how often a loop around it runs is not known")
    if not rounds.complete:
        return Unevaluable("a loop around it runs too often to count")
    found: list[tuple[LaneValue, Guarded]] = []
    for round in rounds.rounds:
        evaluator = launch.new_evaluator(warp, bound=round.bound)
        value, guarded = look(launch, access, evaluator, round.lanes)
        if guarded.assumed:
            return Unevaluable("a guard around it is not known")
        if not any(guarded.mask):
            continue
        if isinstance(value, Unevaluable):
            return value
        found.append((value, guarded))
    return AccessRounds(tuple(found))


def _moves_by(executions: list[Execution], unit: int) -> bool:
    """Whether what is not known moves the warps by multiples of `unit` only."""
    return all(
        (coefficient == 1 and is_start(name))
        or (isinstance(coefficient, int) and coefficient % unit == 0)
        for execution in executions
        for name, coefficient in execution.value.terms
    )


def is_start(symbol: Hashable) -> bool:
    """Whether a symbol is the start of an object, which is aligned for every access."""
    if isinstance(symbol, Parameter):
        return symbol.type.kind is Kind.POINTER
    return isinstance(symbol, MemoryObject)


def _block_axes(launch: LaunchFacts, access: MemoryAccess) -> set[int]:
    """The axes of blockIdx that the address, a guard or a loop around the access depends on."""
    seen: set[Value] = set()
    work: list[Value] = [access.address, *_decisions(launch, access)]
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, Operation):
            work += value.operands
            work += _decisions(launch, value)
    registers = {value.register for value in seen if isinstance(value, SpecialRegister)}
    return {axis for axis in _XYZ if _BLOCK_INDEX[axis] in registers}


def _decisions(launch: LaunchFacts, operation: Operation) -> Iterator[Value]:
    """What decides whether an operation runs, how often, and which value a phi takes."""
    block = operation.block
    if block is None:
        return
    for ruled in (block, *(block.predecessors if isinstance(operation, Phi) else ())):
        for edge in launch.facts.flow.control_edges[ruled]:
            decider = edge.branch.terminator
            yield decider.operands[0]
            yield decider
