"""Dominator and post-dominator trees of a kernel's blocks.

In: blocks numbered in reverse postorder. Out: for each block number its immediate (post-)dominator.
Follows K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
The virtual exit behind every block that ends a thread is the root of the post-dominator tree and
has number `len(blocks)`. Endless loops get an edge to it from their last block, so that every block
has a post-dominator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .block import Block


class DominatorTree:
    """`parent[n]` is the immediate dominator of block n; the root is its own parent."""

    def __init__(self, root: int, order: Sequence[int], predecessors: Sequence[Sequence[int]]):
        self.root = root
        self.parent = _immediate_dominators(root, order, predecessors)
        self._depth: dict[int, int] = {root: 0}
        for node in order:
            if node != root and self.parent[node] >= 0:
                self._depth[node] = self._depth[self.parent[node]] + 1

    def dominates(self, above: int, below: int) -> bool:
        """Whether `above` is on every path from the root to `below` (a block dominates itself)."""
        if above not in self._depth or below not in self._depth:
            return False
        while self._depth[below] > self._depth[above]:
            below = self.parent[below]
        return above == below


def dominators(blocks: Sequence[Block]) -> DominatorTree:
    """The dominator tree, rooted at block 0."""
    predecessors = [[p.index for p in block.predecessors] for block in blocks]
    return DominatorTree(0, range(len(blocks)), predecessors)


def post_dominators(blocks: Sequence[Block]) -> DominatorTree:
    """The post-dominator tree, rooted at the virtual exit `len(blocks)`."""
    count = len(blocks)
    successors = [[s.index for s in block.successors] or [count] for block in blocks]
    predecessors: list[list[int]] = [[] for _ in range(count + 1)]
    for index, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(index)
    order = _backward_order(count, predecessors)
    reached = set(order)
    missing = [index for index in range(count) if index not in reached]
    while missing:
        last = missing[-1]
        successors[last] = [*successors[last], count]
        predecessors[count].append(last)
        order = _backward_order(count, predecessors)
        reached = set(order)
        missing = [index for index in missing if index not in reached]
    return DominatorTree(count, order, [*successors, []])


def _backward_order(root: int, edges: Sequence[Sequence[int]]) -> list[int]:
    """Reverse postorder from `root` along `edges`."""
    order: list[int] = []
    seen = {root}
    stack = [(root, iter(edges[root]))]
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(edges[target])))
                break
        else:
            stack.pop()
            order.append(node)
    order.reverse()
    return order


def _immediate_dominators(
    root: int, order: Sequence[int], predecessors: Sequence[Sequence[int]]
) -> list[int]:
    rank = {node: position for position, node in enumerate(order)}
    parent = [-1] * (max(len(predecessors), root + 1))
    parent[root] = root

    def intersect(a: int, b: int) -> int:
        while a != b:
            while rank[a] > rank[b]:
                a = parent[a]
            while rank[b] > rank[a]:
                b = parent[b]
        return a

    changed = True
    while changed:
        changed = False
        for node in order:
            if node == root:
                continue
            found = -1
            for predecessor in predecessors[node]:
                if predecessor in rank and parent[predecessor] >= 0:
                    found = predecessor if found < 0 else intersect(found, predecessor)
            if found != parent[node]:
                parent[node] = found
                changed = True
    return parent
