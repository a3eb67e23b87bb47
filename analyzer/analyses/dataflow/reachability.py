"""What can be reached from some nodes of a graph: the one walk that all analyses share.

Problem: which blocks, values or objects does one come to, over any number of edges. Algorithm:
breadth-first search; each node is visited once, however many edges lead to it, the nearest first.
In: the nodes to start from, and what leads on from a node. Out: the nodes, one at a time: `onwards`
is asked for the next ones after the caller has looked at a node, so that it may stop, or change the
graph ahead, at any of them. `postorder` is for what is computed from the bottom up: each node after
what it needs. Example: `reachable(starts, users.__getitem__)`; `block_sets.py` walks along control
flow. Not handled by `postorder`: cycles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..launch.allowance import METER

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

Node = TypeVar("Node")

_STEPS = 2  # of the work that a kernel may cost, for each node


def reachable(starts: Iterable[Node], onwards: Callable[[Node], Iterable[Node]]) -> Iterator[Node]:
    """The starts in a graph, then every node that they lead to."""
    seen = dict.fromkeys(starts)
    work = list(seen)
    METER.spend(1)
    for each in work:  # grows while it is gone through
        METER.left -= _STEPS
        yield each
        for following in onwards(each):
            if following not in seen:
                seen[following] = None
                work.append(following)


def postorder(
    node: Node, needs: Callable[[Node], Iterable[Node]], known: Container[Node]
) -> Iterator[Node]:
    """The nodes of a graph that a node needs and are not yet known, then the node; the caller adds
    each to `known` before it asks for the next.
    """
    stack = [node]
    METER.spend(1)
    while stack:
        METER.left -= _STEPS
        each = stack[-1]
        missing = [] if each in known else [need for need in needs(each) if need not in known]
        if missing:
            stack += missing
            continue
        stack.pop()
        if each not in known:
            yield each
