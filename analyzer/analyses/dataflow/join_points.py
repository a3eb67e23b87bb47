"""Where ways from different starts meet for the first time.

In: the control flow of a kernel, the blocks where ways begin. Out: the blocks that two ways with
different beginnings come to, and of every block the beginning of the ways to it. A label spreads
from each start in reverse postorder, and a block that two labels come to begins a way of its own:
the joins of Karrenberg and Hack, "Improving Performance of OpenCL on CPUs" (2012), section 4.1.
Blocks with one predecessor have its label, so only the others and the starts are visited: most
blocks of large kernels have one. Not handled: what comes along the back edge of a loop.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...ir.block import Block
    from .control_flow import ControlFlow

_INDEX = attrgetter("index")


class JoinPoints:
    """The join points of one kernel: blocks where paths meet, found once for all branches."""

    def __init__(self, flow: ControlFlow) -> None:
        self._nearest_of = flow.dominators.nearest_of
        self._blocks = flow.blocks
        self._heads: list[Block] = []  # of each block the last before it with other predecessors
        self._merging: list[Block] = []
        for block in flow.blocks:
            before = block.predecessors
            alone = len(before) == 1 and before[0].index < block.index
            self._heads.append(self._heads[before[0].index] if alone else block)
            if len(before) > 1:
                self._merging.append(block)

    def of(
        self, starts: Iterable[Block], first: int, end: Block | None
    ) -> tuple[list[Block], Callable[[Block], Block | None]]:
        """Where ways meet that begin at `starts`, among the blocks from the number `first` on up to
        `end`; and what tells where the ways to a block begin, None where none of them leads.
        """
        heads, blocks = self._heads, self._blocks
        labels = {start: start for start in starts}
        begun = frozenset(labels)
        inside: dict[Block, list[int]] = {}  # the numbers of the starts by their heads
        for start in begun:
            inside.setdefault(heads[start.index], []).append(start.index)
        nearest = {head: self._nearest_of(numbers) for head, numbers in inside.items()}

        def label(block: Block) -> Block | None:
            head = heads[block.index]
            start = nearest[head](block.index) if head in nearest else None
            return labels.get(head) if start is None else labels[blocks[start]]

        joins: list[Block] = []
        for block in self._visited(begun, first, end):
            ways = (label(each) for each in block.predecessors if each.index < block.index)
            incoming = {way for way in ways if way is not None}
            if block in begun:
                incoming.add(block)
            if len(incoming) > 1:
                joins.append(block)
                labels[block] = block
            elif incoming:
                labels[block] = incoming.pop()
        return joins, label

    def _visited(self, starts: Iterable[Block], first: int, end: Block | None) -> list[Block]:
        bound = end.index if end is not None and end.index >= first else len(self._heads)
        low = bisect_left(self._merging, first, key=_INDEX)
        high = bisect_left(self._merging, bound, low, key=_INDEX)
        found = self._merging[low:high]
        found += (each for each in starts if len(each.predecessors) < 2)
        return sorted((each for each in found if first <= each.index < bound), key=_INDEX)
