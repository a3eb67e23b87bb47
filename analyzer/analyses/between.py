"""The operations that may be executed after one operation and before another.

In: two operations of one kernel. Out: those on any way between them, None where there is no way. In
one block the straight way is taken for the only one. Two sets of blocks are intersected: what is
reached from the first and what reaches the second. `Ways` keeps them, for whoever asks often if
something certain stands between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..ir.block import Block
    from ..ir.kernel import Kernel
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


class Ways:
    """The ways of one kernel, and where an operation of some kind stands on them."""

    def __init__(self, kernel: Kernel, wanted: Callable[[Operation], bool]) -> None:
        self._wanted = wanted
        self._marked = [block for block in kernel.blocks if any(map(wanted, block.operations))]
        self._ahead: dict[Block, set[Block]] = {}
        self._back: dict[Block, set[Block]] = {}

    def lead_past(self, first: Operation, second: Operation) -> bool | None:
        """Whether one stands on a way from `first` to `second`; None where there is no way."""
        start, end = first.block, second.block
        assert start is not None
        assert end is not None
        behind = start.operations[start.operations.index(first) + 1 :]
        if start is end and second in behind:
            return any(map(self._wanted, behind[: behind.index(second)]))
        if start not in self._ahead:
            self._ahead[start] = reached(start.successors, lambda block: block.successors)
        ahead = self._ahead[start]
        if end not in ahead:
            return None
        if end not in self._back:
            self._back[end] = reached(end.predecessors, lambda block: block.predecessors)
        back = self._back[end]
        for block in self._marked:
            if block is start and any(map(self._wanted, behind)):
                return True
            if block is end:
                before = end.operations[: end.operations.index(second)]
                if any(map(self._wanted, before)):
                    return True
            if block is not start and block is not end and block in ahead and block in back:
                return True
        return False


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
