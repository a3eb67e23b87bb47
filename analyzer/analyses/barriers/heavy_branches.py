"""Branches whose two sides are both much work and that lanes of one warp take differently.

In: a kernel's facts. Out: such a branch, with the lanes of a warp on each side and the work of each
side. A warp executes one side after the other, so that its lanes are idle for the work of the side
they do not take. Work is the number of operations, functions of floats counting as `_FUNCTION`,
times `_ITERATIONS` for each loop inside. The lanes are known
where the condition is made of the thread's index; conditions on data are not judged.
Few lanes on one side do something of their own, at a border or for all, and are left out; so is
what only some warps do beside the work of all, as the last step of a reduction: less than `_WORTH`
of the kernel's work would go if whole warps took one side.
Not handled: branches in loops, whose lanes may change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Branch, Pure
from ...source.records import dataclass
from ..dataflow.control_flow import ControlEdge
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from .facts import BarrierFacts, BarrierLaunch

_FUNCTION = 8
_ITERATIONS = 8
_LEAST = 64  # of the lighter side
_WORTH = 0.1  # of the work of all warps
_FEW = 8  # lanes: fewer do something of their own, at a border or for all


@dataclass(frozen=True, slots=True)
class HeavyBranch:
    """A divergent branch with much work on both sides: the lanes of the first warp on each, and the
    work of each.
    """

    branch: Branch
    launch: BarrierLaunch
    lanes: tuple[int, int]
    work: tuple[int, int]


def heavy_branches(facts: BarrierFacts) -> Iterator[HeavyBranch]:
    """The branches that part the lanes of a warp and have much work on both sides, in program
    order.
    """
    behind: dict[ControlEdge, int] | None = None
    for block in facts.kernel.blocks:
        last = block.terminator
        if not isinstance(last, Branch) or facts.flow.loop_nest(block):
            continue
        behind = _work(facts) if behind is None else behind
        then, otherwise = (ControlEdge(block, way) for way in (last.then, last.otherwise))
        work = behind.get(then, 0), behind.get(otherwise, 0)
        if min(work) < _LEAST:
            continue
        for launch in facts.launches:
            lanes = _lanes(launch, block, 0)
            if lanes is not None:
                if _parted(launch, block) * min(work) < _WORTH * _all_work(facts):
                    break
                yield HeavyBranch(last, launch, lanes, work)
                break


def _work(facts: BarrierFacts) -> dict[ControlEdge, int]:
    """What is done where an edge is taken, and only there."""
    found: dict[int, int] = {}  # by the identities of the edges
    edges: dict[int, ControlEdge] = {}
    for block in facts.kernel.blocks:
        depth = len(facts.flow.loop_nest(block))
        cost = _cost(block) * _ITERATIONS**depth
        for edge in facts.flow.controlling_edges(block):
            edges[id(edge)] = edge
            found[id(edge)] = found.get(id(edge), 0) + cost
    return {edge: found[key] for key, edge in edges.items()}


def _cost(block: Block) -> int:
    return sum(_FUNCTION if isinstance(each, Pure) else 1 for each in block.operations)


def _all_work(facts: BarrierFacts) -> int:
    """What is done in the whole kernel, every branch taken."""
    depths = ((block, len(facts.flow.loop_nest(block))) for block in facts.kernel.blocks)
    return sum(_cost(block) * _ITERATIONS**depth for block, depth in depths)


def _parted(launch: BarrierLaunch, block: Block) -> float:
    """The part of the warps whose lanes take both sides, as far as it is known."""
    warps = range(launch.launch.warps)
    return sum(_lanes(launch, block, warp) is not None for warp in warps) / len(warps)


def _lanes(launch: BarrierLaunch, block: Block, warp: int) -> tuple[int, int] | None:
    """How many lanes of a warp take each side; None where they are not known, or agree."""
    if not launch.launch.trusted or launch.uniformity.of_branch(block) is not Uniformity.VARYING:
        return None
    if launch.facts.budget.used_up:
        return None
    sides = launch.guards(launch.evaluator(warp)).sides(block)
    if sides is None:
        return None
    first, second = map(sum, sides)
    return (first, second) if min(first, second) >= _FEW else None
