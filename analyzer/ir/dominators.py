"""Dominator and post-dominator trees of a kernel's blocks.

In: blocks numbered in reverse postorder. Out: for each block number its immediate (post-)dominator.
Follows L. Georgiadis, R. Tarjan, R. Werneck, "Finding Dominators in Practice" (2006), SNCA: the
semidominators of Lengauer and Tarjan by path compression, then the nearest tree ancestor that is no
deeper. Nearly linear even for the chains of 100,000 blocks that generated code has.
The virtual exit behind every block that ends a thread is the root of the post-dominator tree and
has number `len(blocks)`. Endless loops get an edge to it from their last block, so that every block
has a post-dominator.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from .orders import reverse_postorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .block import Block


class DominatorTree:
    """A dominator tree of basic blocks: `parent[n]` is the immediate dominator of block n; the root
    is its own parent.
    """

    def __init__(self, root: int, order: Sequence[int], predecessors: Sequence[Sequence[int]]):
        """`order` is a reverse postorder of the blocks that the root reaches."""
        self.root = root
        self.parent = _immediate_dominators(root, order, predecessors)
        # Blocks are numbered so that those below a block follow it directly.
        self._size = dict.fromkeys(order, 1)
        for node in reversed(order):
            if node != root:
                self._size[self.parent[node]] += self._size[node]
        self._first = {root: 0}
        free = {root: 1}
        for node in order:
            if node != root:
                above = self.parent[node]
                self._first[node] = free[above]
                free[node] = free[above] + 1
                free[above] += self._size[node]

    def dominates(self, above: int, below: int) -> bool:
        """Whether `above` is on every path from the root to `below` (a block dominates itself)."""
        first, place = self._first.get(above), self._first.get(below)
        if first is None or place is None:
            return False
        return first <= place < first + self._size[above]

    def nearest_of(self, nodes: Iterable[int]) -> Callable[[int], int | None]:
        """What tells which of these nodes is the nearest that dominates a block; None for none."""
        known = sorted((self._first[node], node) for node in nodes if node in self._first)
        places = [place for place, _ in known]
        around: list[int] = []  # of each node the number of the nearest other one that dominates it
        for place, _ in known:
            outer = len(around) - 1
            while outer >= 0 and place >= places[outer] + self._size[known[outer][1]]:
                outer = around[outer]
            around.append(outer)

        def nearest(block: int) -> int | None:
            place = self._first.get(block)
            if place is None:
                return None
            number = bisect_right(places, place) - 1
            while number >= 0:
                first, node = known[number]
                if place < first + self._size[node]:
                    return node
                number = around[number]
            return None

        return nearest


def dominators_of_edges(successors: Sequence[Sequence[int]]) -> DominatorTree:
    """The dominator tree of a graph given by its edges, rooted at 0."""
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(node)
    return DominatorTree(0, reverse_postorder(0, successors.__getitem__), predecessors)


def dominators(blocks: Sequence[Block]) -> DominatorTree:
    """The dominator tree of a kernel's basic blocks, rooted at block 0."""
    predecessors = [[p.index for p in block.predecessors] for block in blocks]
    return DominatorTree(0, range(len(blocks)), predecessors)


def post_dominators(blocks: Sequence[Block]) -> DominatorTree:
    """The post-dominator tree of a kernel's basic blocks, rooted at the virtual exit
    `len(blocks)`.
    """
    count = len(blocks)
    successors = [[s.index for s in block.successors] or [count] for block in blocks]
    predecessors: list[list[int]] = [[] for _ in range(count + 1)]
    for index, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(index)
    reached = {count}
    _reach(reached, [count], predecessors)
    for last in reversed(range(count)):
        if last not in reached:  # what never ends counts as leaving at its last block
            successors[last] = [*successors[last], count]
            predecessors[count].append(last)
            reached.add(last)
            _reach(reached, [last], predecessors)
    return DominatorTree(
        count, reverse_postorder(count, predecessors.__getitem__), [*successors, []]
    )


def _reach(reached: set[int], work: list[int], edges: Sequence[Sequence[int]]) -> None:
    """Add to the nodes that are reached those that the ones in `work` lead to."""
    while work:
        for following in edges[work.pop()]:
            if following not in reached:
                reached.add(following)
                work.append(following)


def _immediate_dominators(
    root: int, order: Sequence[int], predecessors: Sequence[Sequence[int]]
) -> list[int]:
    nodes, above = _preorder(root, order, predecessors)
    number = {node: place for place, node in enumerate(nodes)}
    before = [[number[p] for p in predecessors[node] if p in number] for node in nodes]
    semidominators = _semidominators(above, before)
    nearest = [0] * len(nodes)
    for node in range(1, len(nodes)):
        candidate = above[node]
        while candidate > semidominators[node]:
            candidate = nearest[candidate]
        nearest[node] = candidate
    parent = [-1] * max(len(predecessors), root + 1)
    for node, place in number.items():
        parent[node] = nodes[nearest[place]]
    return parent


def _preorder(
    root: int, order: Sequence[int], predecessors: Sequence[Sequence[int]]
) -> tuple[list[int], list[int]]:
    """The nodes as a depth-first search meets them, and of each the place of its tree parent."""
    successors: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for predecessor in predecessors[node]:
            if predecessor in successors:
                successors[predecessor].append(node)
    nodes: list[int] = []
    above: list[int] = []
    met: set[int] = set()
    stack = [(root, 0)]
    while stack:
        node, parent = stack.pop()
        if node not in met:
            met.add(node)
            stack.extend((successor, len(nodes)) for successor in successors[node])
            nodes.append(node)
            above.append(parent)
    return nodes, above


def _semidominators(above: list[int], before: list[list[int]]) -> list[int]:
    """Of each node in preorder; `above` is its tree parent, `before` its predecessors."""
    semi = list(range(len(above)))
    best = list(range(len(above)))  # the node of least semidominator up to `ancestor`
    ancestor = list(above)

    def least(node: int, last: int) -> int:
        """The best node on the way up from `node`, as long as nodes come after `last`."""
        if node <= last:
            return node
        path = [node]
        while ancestor[path[-1]] > last:
            path.append(ancestor[path[-1]])
        path.pop()
        for lower in reversed(path):
            upper = ancestor[lower]
            if semi[best[upper]] < semi[best[lower]]:
                best[lower] = best[upper]
            ancestor[lower] = ancestor[upper]
        return best[node]

    for node in range(len(above) - 1, 0, -1):
        for predecessor in before[node]:
            semi[node] = min(semi[node], semi[least(predecessor, node)])
    return semi
