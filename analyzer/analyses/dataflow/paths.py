"""Where paths through a kernel lead, and what they pass: the path queries that all analyses share.

Problem: can control come from one operation to another, and does an operation of some kind stand on
one of the paths, or on all of them. Algorithm: reachability among blocks; for many questions about
one kernel two sets of blocks are intersected, those after the first and those before the second,
both kept as bits of whole numbers (`ControlFlow.ahead`). In: the control flow of a kernel, two
operations of it. Out: the answer. Within one block the straight path is taken for the only one. Not
seen: that a branch never goes one of its ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .block_sets import next_blocks
from .reachability import reachable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...ir.block import Block
    from ...ir.operations import Operation
    from .control_flow import ControlFlow


def can_reach(flow: ControlFlow, first: Operation, second: Operation) -> bool:
    """Whether a path of the control flow leads from operation `first` to `second`."""
    start, end = first.block, second.block
    assert start is not None
    assert end is not None
    if flow.ahead[start.index] >> end.index & 1:
        return True
    return start is end and second in start.operations[start.operations.index(first) + 1 :]


def comes_before(flow: ControlFlow, first: Operation, second: Operation) -> bool:
    """Whether a path leads from one operation to another in the same iteration of all loops."""
    start, end = first.block, second.block
    assert start is not None
    assert end is not None
    if start is end and start.operations.index(first) < start.operations.index(second):
        return True

    def onwards(block: Block) -> Iterable[Block]:
        return (each for each in block.successors if block not in flow.latches.get(each, ()))

    return any(each is end for each in reachable(onwards(start), onwards))


def are_apart(flow: ControlFlow, first: Operation, second: Operation) -> bool:
    """Whether no path leads from either of two operations to the other: they stand in different
    arms.
    """
    return not can_reach(flow, first, second) and not can_reach(flow, second, first)


class Waypoints:
    """The operations of some kind in one kernel, and which paths pass through one of them."""

    def __init__(self, flow: ControlFlow, wanted: Callable[[Operation], bool]) -> None:
        self._flow = flow
        self._marked: dict[Block, list[int]] = {}  # the positions of such operations
        self._bits = 0
        for block in flow.blocks:
            found = [index for index, each in enumerate(block.operations) if wanted(each)]
            if found:
                self._marked[block] = found
                self._bits |= 1 << block.index

    def passes_through(self, first: Operation, second: Operation) -> bool | None:
        """Whether a path from `first` to `second` passes through one; None without any path."""
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


def all_pass_through(
    flow: ControlFlow, first: Operation, second: Operation, wanted: Callable[[Operation], bool]
) -> bool:
    """Whether every path of the control flow from `first` to `second` passes through an operation
    of some kind.
    """
    if not can_reach(flow, first, second):
        return False
    return all(each is not second for each in operations_after(first, wanted))


def operations_after(
    first: Operation, ends: Callable[[Operation], bool], *, back: bool = False
) -> Iterator[Operation]:
    """The operations on all paths of the control flow from `first` on, or up to it, those that end
    a path included.
    """
    start = first.block
    assert start is not None
    place = start.operations.index(first)
    here = start.operations[:place][::-1] if back else start.operations[place + 1 :]

    def up_to_end(operations: list[Operation]) -> Iterator[Operation]:
        for each in operations:
            yield each
            if ends(each):
                return

    def onwards(block: Block) -> Iterable[Block]:
        return () if any(map(ends, block.operations)) else next_blocks(block, back=back)

    yield from up_to_end(here)
    for block in reachable(() if any(map(ends, here)) else next_blocks(start, back=back), onwards):
        yield from up_to_end(block.operations[:: -1 if back else 1])
