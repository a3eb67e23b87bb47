"""What may be executed after one operation and before another.

In: the control flow of a kernel, two operations of it. Out: whether there is a way from the one to
the other, and whether an operation of some kind stands on one, or on all of them. In one block the
straight way is taken for the only one. Two sets of blocks are intersected, those behind the first
and those before the second, both kept as bits of whole numbers (`ControlFlow.ahead`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...ir.block import Block
    from ...ir.operations import Operation
    from .control_flow import ControlFlow


def leads(flow: ControlFlow, first: Operation, second: Operation) -> bool:
    """Whether there is a way from `first` to `second`."""
    start, end = first.block, second.block
    assert start is not None
    assert end is not None
    if flow.ahead[start.index] >> end.index & 1:
        return True
    return start is end and second in start.operations[start.operations.index(first) + 1 :]


class Ways:
    """The ways of one kernel, and where an operation of some kind stands on them."""

    def __init__(self, flow: ControlFlow, wanted: Callable[[Operation], bool]) -> None:
        self._flow = flow
        self._marked: dict[Block, list[int]] = {}  # the positions of such operations
        self._bits = 0
        for block in flow.blocks:
            found = [index for index, each in enumerate(block.operations) if wanted(each)]
            if found:
                self._marked[block] = found
                self._bits |= 1 << block.index

    def lead_past(self, first: Operation, second: Operation) -> bool | None:
        """Whether one stands on a way from `first` to `second`; None where there is no way."""
        start, end = first.block, second.block
        assert start is not None
        assert end is not None
        after = start.operations.index(first) if start in self._marked or start is end else 0
        before = end.operations.index(second) if end in self._marked or start is end else 0
        here, there = self._marked.get(start, ()), self._marked.get(end, ())
        if start is end and after < before:
            return any(after < index < before for index in here)
        ahead = self._flow.ahead[start.index]
        if not ahead >> end.index & 1:
            return None
        if any(index > after for index in here) or any(index < before for index in there):
            return True
        inside = ahead & self._flow.behind[end.index] & self._bits
        return bool(inside & ~(1 << start.index | 1 << end.index))


def stands_on_all(
    flow: ControlFlow, first: Operation, second: Operation, wanted: Callable[[Operation], bool]
) -> bool:
    """Whether an operation of some kind stands on every way from `first` to `second`."""
    start, end = first.block, second.block
    assert start is not None
    assert end is not None

    def ends(block: Block, after: int) -> bool | None:
        """Whether it is met before `second`; None where neither is."""
        for each in block.operations[after:]:
            if each is second:
                return False
            if wanted(each):
                return True
        return None

    def onwards(block: Block) -> Iterable[Block]:
        return block.successors if ends(block, 0) is None else ()

    here = ends(start, start.operations.index(first) + 1)
    if here is not None or not leads(flow, first, second):
        return bool(here)
    return all(ends(block, 0) is not False for block in reached(start.successors, onwards))


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
