"""Which of several values a phi holds, by the decisions of the branches before it.

Problem: a phi joins values; which one does a thread get. Algorithm: the branches between the phi's
dominator and each of its predecessors are read off the dominator tree, as in gated SSA (Ottenstein,
Ballance, MacCabe, "The Program Dependence Web", 1990), and put together as a tree of decisions.
In: a phi and its kernel's control flow. Out: the tree, or None where branches alone do not tell the
ways apart. Example: `c ? a : b` is one decision on c. Not handled: the phis of loop headers
(`induction.py`), decisions of a loop's last iteration, and hundreds of decisions in a row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Branch
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.operations import Phi
    from ...ir.values import Value
    from .control_flow import ControlFlow

    Way = list[tuple[Block, bool]]  # branches, and whether their condition held


_LONGEST = 50_000  # branches before all values of a phi: three hundred in a row


@dataclass(frozen=True, slots=True)
class Decision:
    """Which value a phi holds by a branch's condition; either way may lead to another decision."""

    condition: Value
    then: Value | Decision
    otherwise: Value | Decision

    def values(self) -> Iterator[Value]:
        """The conditions and the values."""
        waiting: list[Value | Decision] = [self]
        while waiting:
            way = waiting.pop()
            if isinstance(way, Decision):
                yield way.condition
                waiting += (way.otherwise, way.then)
            else:
                yield way


def selection(flow: ControlFlow, phi: Phi) -> Decision | None:
    """The decisions by which a phi holds one of its values, when branches alone tell its ways
    apart.
    """
    if phi not in flow.selections:  # every warp and every iteration of a loop asks again
        flow.selections[phi] = _selection(flow, phi)
    return flow.selections[phi]


def _selection(flow: ControlFlow, phi: Phi) -> Decision | None:
    block = phi.block
    if any(flow.dominators.dominates(block.index, item.index) for item in block.predecessors):
        return None  # a loop's header
    above: dict[Block, Way] = {flow.blocks[flow.dominators.parent[block.index]]: []}
    ways: list[tuple[Way, Value]] = []
    length = 0
    for operand, predecessor in zip(phi.operands, block.predecessors, strict=True):
        ways.append((_way(flow, block, predecessor, above), operand))
        length += len(ways[-1][0])
        if length > _LONGEST:
            return None
    tree = _tree(flow, block, ways, 0)
    return tree if isinstance(tree, Decision) else None


def _way(flow: ControlFlow, join: Block, predecessor: Block, above: dict[Block, Way]) -> Way:
    """The branches that lead to a predecessor of the join, from its dominator on.

    `above` keeps those above each block: hundreds of ways may share their beginning.
    """
    path: list[Block] = []
    block = predecessor
    while block not in above:
        path.append(block)
        block = flow.blocks[flow.dominators.parent[block.index]]
    way = above[block]
    dominates = flow.dominators.dominates
    for below in reversed(path):
        sides = [side for side in _sides(block) if dominates(side.index, below.index)]
        way = above[below] = [*way, *_decision(block, sides)]
        block = below
    return [*way, *_decision(block, [side for side in _sides(block) if side is join])]


def _sides(block: Block) -> tuple[Block, ...]:
    """The two ways out of a branch."""
    last = block.terminator
    apart = isinstance(last, Branch) and last.then is not last.otherwise
    return block.successors if apart else ()


def _decision(block: Block, sides: list[Block]) -> Way:
    """The branch, if one of its sides alone leads on: else those of an inner `if` meet again."""
    last = block.terminator
    return [(block, sides[0] is last.then)] if len(sides) == 1 and isinstance(last, Branch) else []


def _tree(
    flow: ControlFlow, join: Block, ways: list[tuple[Way, Value]], depth: int
) -> Value | Decision | None:
    """Ways that share their branch at this depth as one decision, unless all of them go one way."""
    if len(ways) == 1:
        return ways[0][1]
    if not all(depth < len(way) for way, _ in ways):
        return None
    branch = ways[0][0][depth][0]
    if any(way[depth][0] is not branch for way, _ in ways):
        return None
    sides: list[Value | Decision] = []
    for side in (True, False):
        own = [item for item in ways if item[0][depth][1] is side]
        tree = _tree(flow, join, own, depth + 1) if own else None
        if own and tree is None:
            return None
        sides += [tree] if tree is not None else []
    if len(sides) == 1:
        return sides[0]
    around = flow.innermost_loop.get(branch)
    if around is not None and join not in around.blocks:
        return None  # the decision fell in the loop's last iteration, which one is not known
    return Decision(branch.terminator.operands[0], sides[0], sides[1])
