"""The order in which a graph is gone through so that each node comes before what follows it.

In: a node, and what follows each. Out: the nodes that it leads to in reverse postorder, itself
first: of two that do not lead to each other, the one whose way is gone to first comes last. Along a
cycle the node that is met first comes first. Nothing recurses: PTX has kernels of 100,000 blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Node = TypeVar("Node")


def reverse_postorder(root: Node, following: Callable[[Node], Iterable[Node]]) -> list[Node]:
    """The nodes of a graph in reverse postorder; `following` is asked once for each."""
    order: list[Node] = []
    seen = {root}
    stack = [(root, iter(following(root)))]
    while stack:
        node, ways = stack[-1]
        for each in ways:
            if each not in seen:
                seen.add(each)
                stack.append((each, iter(following(each))))
                break
        else:
            stack.pop()
            order.append(node)
    order.reverse()
    return order
