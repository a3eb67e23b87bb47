"""The ways past barriers: `if (n > 256) __syncthreads();` orders nothing for a smaller `n`.

In: a launch and the accesses that can conflict. Out: for each decision that the whole block takes
alike and that leads it to a barrier, the other way, where an access lies on it or behind it. Runs
are made with numbers that lead there (`solved_numbers.py`), where there are any. Parameters decide
only where the block is stated: else they may well say how many threads it has. A number in memory
decides where it is asked for once: what is loaded again gets a number of its own in a run.
Not handled: tests of loops, which `doubts/numbers/empty_loops.py` asks about.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...ir.operations import Barrier, Branch, MemoryAccess, Phi
from ...ir.types import Kind
from ...ir.values import Parameter
from ..dataflow.alternative_paths import meets_all
from ..dataflow.control_flow import ControlEdge
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice, loads_in
from ..dataflow.value_numbering import ValueNumbering
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...ir.block import Block
    from ...ir.values import Value
    from .facts import ConflictLaunch


def ways_past_barriers(
    launch: ConflictLaunch, accesses: Iterable[MemoryAccess], loop_tests: Iterable[Block]
) -> set[ControlEdge]:
    """The paths past barriers on which nothing orders accesses, each with the decision
    before it.
    """
    flow, tests = launch.facts.flow, set(loop_tests)
    touching = {access.block for access in accesses}
    found: dict[ControlEdge, None] = {}
    for barrier in filter(meets_all, launch.facts.every(Barrier)):
        for edge in flow.controlling_edges(barrier.block):
            if edge.branch in tests or not isinstance(edge.branch.terminator, Branch):
                continue
            if launch.uniformity.of_branch(edge.branch) > Uniformity.BLOCK:
                continue
            if others := edge.others:
                found[ControlEdge(edge.branch, others[0])] = None
    if not found:
        return set()
    names = ValueNumbering()
    times = Counter(names.of(each.address) for each in launch.facts.accesses if not each.writes)
    stated = not (launch.launch.unsettled or launch.launch.inferred)
    return {
        way
        for way in found
        if (stated or not _asks_for_parameters(way.branch.terminator.operands[0]))
        and all(times[names.of(e.address)] < 2 for e in loads_in(way.branch.terminator.operands[0]))
        and not touching.isdisjoint(_blocks_from(way.target))
    }


def _blocks_from(block: Block) -> Iterator[Block]:
    return reachable([block], lambda each: each.successors)


def _asks_for_parameters(condition: Value) -> bool:
    """Whether whole numbers that a launch passes decide, and not only what memory holds; those that
    an iteration is compared with say how many there are.
    """
    made = tuple(backward_slice(condition, through=lambda each: not isinstance(each, MemoryAccess)))
    if any(isinstance(each, Phi) for each in made):
        return False
    return any(isinstance(e, Parameter) and e.type.kind is Kind.INTEGER for e in made)
