"""Control flow facts: dominators, post-dominators, loops, control dependence.

In: a kernel. Out: one object, each fact computed on first use.
Control dependence follows J. Ferrante, K. Ottenstein, J. Warren, "The Program Dependence Graph and
Its Use in Optimization" (1987): block B depends on the edge A→S when B post-dominates S but not A.
Loops are natural loops of back edges to a dominating header; irreducible cycles are not loops here.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.dominators import DominatorTree, dominators, post_dominators
from ...ir.operations import Branch
from ...source.records import dataclass
from ..launch.allowance import METER
from .block_sets import reached
from .fixpoint import solve
from .join_points import JoinPoints
from .reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...ir.block import Block
    from ...ir.kernel import Kernel
    from ...ir.operations import Phi
    from ...ir.values import Value
    from .induction import Induction
    from .phi_shapes import Decision


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A natural loop; `blocks` includes the header, `parent` is the loop around it."""

    header: Block
    blocks: frozenset[Block]
    latches: tuple[Block, ...]
    parent: Loop | None

    exits: list[Block] = field(init=False)  # blocks that may leave the loop
    leaving: frozenset[Block] = field(init=False)  # the same

    def __post_init__(self) -> None:
        # Asked for again by every guard in every iteration of the loop.
        leaving = (b for b in self.blocks if any(s not in self.blocks for s in b.successors))
        object.__setattr__(self, "exits", sorted(leaving, key=lambda each: each.index))
        object.__setattr__(self, "leaving", frozenset(self.exits))

    @property
    def paths_out(self) -> list[Block]:
        """Where control goes on that leaves it, once for each way there."""
        inside = self.blocks
        return [way for each in self.exits for way in each.successors if way not in inside]


@dataclass(frozen=True, slots=True)
class ControlEdge:
    """A branch and the way out of it that leads to a dependent block."""

    branch: Block
    target: Block

    @property
    def others(self) -> list[Block]:
        """Where the threads go that do not take it."""
        return [each for each in self.branch.successors if each is not self.target]

    @property
    def condition(self) -> tuple[Value, bool] | None:
        """The condition of a branch, and what it is for who takes the edge; None for switches, and
        where both ways are one.
        """
        last = self.branch.terminator
        if not isinstance(last, Branch) or last.then is last.otherwise:
            return None
        return last.condition, last.then is self.target


class ControlFlow:
    """The control flow facts of one kernel: dominators, loops, control dependence."""

    def __init__(self, kernel: Kernel) -> None:
        self.blocks = kernel.blocks
        self.selections: dict[Phi, Decision | None] = {}  # kept for `phi_shapes.selection`
        self.inductions: dict[Phi, Induction | None] = {}  # kept for `induction.induction`
        self._exit_decisions: dict[Loop, frozenset[Block]] = {}
        self._nests: dict[Loop, tuple[Loop, ...]] = {}

    @cached_property
    def dominators(self) -> DominatorTree:
        """Who dominates whom."""
        return dominators(self.blocks)

    @cached_property
    def post_dominators(self) -> DominatorTree:
        """Who post-dominates whom; the root is the virtual exit."""
        return post_dominators(self.blocks)

    def immediate_post_dominator(self, block: Block) -> Block | None:
        """The block where the ways out of `block` meet again; None for the end of the thread."""
        index = self.post_dominators.parent[block.index]
        return self.blocks[index] if 0 <= index < len(self.blocks) else None

    @cached_property
    def join_points(self) -> JoinPoints:
        """Where ways from different blocks meet."""
        return JoinPoints(self)

    def common_post_dominator(self, blocks: Sequence[Block]) -> Block | None:
        """The first block that the ways from all of these come to; None for the thread's end."""
        tree = self.post_dominators
        index = blocks[0].index
        while 0 <= index < len(self.blocks):
            if all(tree.dominates(index, block.index) for block in blocks):
                return self.blocks[index]
            index = tree.parent[index]
        return None

    @cached_property
    def control_edges(self) -> dict[Block, list[ControlEdge]]:
        """For each block the branch edges that decide directly whether it runs, one object for each
        edge.
        """
        edges: dict[Block, list[ControlEdge]] = {block: [] for block in self.blocks}
        tree = self.post_dominators
        for branch in self.blocks:
            successors = branch.successors
            if len(successors) < 2:
                continue
            stop = tree.parent[branch.index]
            made: dict[Block, ControlEdge] = {}
            for target in successors:
                runner = target.index
                edge = made.setdefault(target, ControlEdge(branch, target))
                while runner != stop and runner != tree.root:
                    edges[self.blocks[runner]].append(edge)
                    if tree.parent[runner] == runner:
                        break
                    runner = tree.parent[runner]
        return edges

    @cached_property
    def forward_edges(self) -> dict[Block, list[ControlEdge]]:
        """The control edges of each block, but for those of its own loop's next iterations."""
        dominates = self.dominators.dominates
        return {
            block: [edge for edge in edges if not dominates(block.index, edge.branch.index)]
            for block, edges in self.control_edges.items()
        }

    def controlling_edges(self, block: Block) -> list[ControlEdge]:
        """The edges that decide, themselves or through others, if `block` runs; nearest first."""
        edges = self.control_edges
        found: dict[int, ControlEdge] = {}  # by identity: hashing each would take most of the time
        work = [block]
        seen = {block}
        METER.spend(1)
        for each in work:  # grows while it is gone through
            for edge in edges[each]:
                found[id(edge)] = edge
                if edge.branch not in seen:
                    seen.add(edge.branch)
                    work.append(edge.branch)
        METER.left -= len(found)
        return list(found.values())

    def conditions(self, block: Block) -> list[Value]:
        """What those decisions are about, nearest first."""
        return [edge.branch.terminator.operands[0] for edge in self.controlling_edges(block)]

    def decided_by(self, branches: Iterable[Block]) -> set[Block]:
        """The blocks that some of these branches decide about, themselves or through others."""
        chosen = set(branches)
        return self.behind_edges(lambda edge: edge.branch in chosen)

    def behind_edges(self, chosen: Callable[[ControlEdge], bool]) -> set[Block]:
        """The blocks that some of the edges decide about, themselves or through others."""
        about: dict[Block, list[Block]] = {}
        for block, edges in self.control_edges.items():
            for edge in edges:
                about.setdefault(edge.branch, []).append(block)
        first = (block for block, edges in self.control_edges.items() if any(map(chosen, edges)))
        return set(reachable(first, lambda each: about.get(each, ())))

    @cached_property
    def ahead(self) -> list[int]:
        """For each block the blocks that may follow it, as the bits of their numbers."""
        edges = [[each.index for each in block.successors] for block in self.blocks]
        return _closed(edges, range(len(edges))[::-1])  # but for loops, successors come later

    @cached_property
    def behind(self) -> list[int]:
        """For each block the blocks that may come before it, as the bits of their numbers."""
        edges = [[each.index for each in block.predecessors] for block in self.blocks]
        return _closed(edges, range(len(edges)))

    @cached_property
    def latches(self) -> dict[Block, list[Block]]:
        """The headers of natural loops, each with the blocks that jump back to it."""
        latches: dict[Block, list[Block]] = {}
        for block in self.blocks:
            for successor in block.successors:
                backwards = successor.index <= block.index
                if backwards and self.dominators.dominates(successor.index, block.index):
                    latches.setdefault(successor, []).append(block)
        return latches

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """Every natural loop, outer ones before the loops inside them."""
        latches = self.latches
        bodies = {header: _body(header, ends) for header, ends in latches.items()}
        found: list[Loop] = []
        for header in sorted(bodies, key=lambda block: -len(bodies[block])):
            around = [loop for loop in found if header in loop.blocks]
            parent = min(around, key=lambda loop: len(loop.blocks), default=None)
            found.append(Loop(header, bodies[header], tuple(latches[header]), parent))
        return tuple(found)

    @cached_property
    def irreducible_regions(self) -> tuple[frozenset[Block], ...]:
        """The blocks of each cycle that is entered in more than one place (`goto` into a loop)."""
        regions: list[frozenset[Block]] = []
        known: set[Block] = set()  # a cycle is all blocks that lead to each other
        for block in self.blocks:
            for target in block.successors:
                if target.index > block.index or (block in known and target in known):
                    continue
                if not self.dominators.dominates(target.index, block.index):
                    ahead, behind = reached([target]), reached([block], back=True)
                    regions.append(frozenset(ahead & behind))
                    known |= regions[-1]
        return tuple(dict.fromkeys(regions))

    def exit_decisions(self, loop: Loop) -> frozenset[Block]:
        """The branches inside a loop that decide, themselves or through others, who leaves it."""
        if loop not in self._exit_decisions:
            edges, inside = self.control_edges, loop.blocks
            self._exit_decisions[loop] = frozenset(
                reachable(
                    loop.exits, lambda each: [e.branch for e in edges[each] if e.branch in inside]
                )
            )
        return self._exit_decisions[loop]

    @cached_property
    def innermost_loop(self) -> dict[Block, Loop]:
        """The innermost loop of each block that is in one."""
        return {block: loop for loop in self.loops for block in loop.blocks}

    def is_innermost(self, loop: Loop) -> bool:
        """Whether no other loop is in it."""
        return not any(other.parent is loop for other in self.loops)

    def is_in_every_iteration(self, block: Block, loop: Loop) -> bool:
        """Whether no iteration of a loop comes to its end without passing a block."""
        dominates = self.dominators.dominates
        return all(dominates(block.index, latch.index) for latch in loop.latches)

    def loop_nest(self, block: Block) -> tuple[Loop, ...]:
        """The loops around a block, innermost first."""
        innermost = self.innermost_loop.get(block)
        if innermost is None:
            return ()
        if innermost not in self._nests:
            nest = [innermost]
            while (outer := nest[-1].parent) is not None:
                nest.append(outer)
            self._nests[innermost] = tuple(nest)
        return self._nests[innermost]


def _closed(edges: list[list[int]], order: Sequence[int]) -> list[int]:
    """What each node of a graph leads to, over one edge or more, as bits."""
    found = [0] * len(edges)
    sources: list[list[int]] = [[] for _ in edges]
    for node, targets in enumerate(edges):
        for target in targets:
            sources[target].append(node)

    def transfer(node: int) -> list[int]:
        bits = found[node]
        for target in edges[node]:
            bits |= found[target] | 1 << target
        if bits == found[node]:
            return []
        found[node] = bits
        return sources[node]

    solve(order, transfer)
    return found


def _body(header: Block, latches: list[Block]) -> frozenset[Block]:
    """The header and everything that reaches a latch without passing it."""
    return frozenset({header} | reached(latches, without=header, back=True))
