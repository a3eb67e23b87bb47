"""The operations that may be executed after one operation and before another.

In: two operations of one kernel. Out: those on any way between them, None where there is no way. In
one block the straight way is taken for the only one. Two sets of blocks are intersected: what is
reached from the first and what reaches the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..ir.block import Block
    from ..ir.operations import Operation


def between(first: Operation, second: Operation) -> list[Operation] | None:
    """What stands on a way from `first` to `second`."""
    start, end = first.block, second.block
    assert start is not None
    assert end is not None
    behind = start.operations[start.operations.index(first) + 1 :]
    if start is end and second in behind:
        return behind[: behind.index(second)]
    ahead = reached(start.successors, lambda block: block.successors)
    if end not in ahead:
        return None
    back = reached(end.predecessors, lambda block: block.predecessors)
    inside = [*behind, *end.operations[: end.operations.index(second)]]
    for block in ahead & back:
        if block is not start and block is not end:
            inside += block.operations
    return inside


def reached(starts: Iterable[Block], onwards: Callable[[Block], Iterable[Block]]) -> set[Block]:
    """The blocks that one comes to from these, themselves included."""
    seen = set(starts)
    work = list(seen)
    while work:
        for following in onwards(work.pop()):
            if following not in seen:
                seen.add(following)
                work.append(following)
    return seen
