"""The places of compiled code: blocks of a kernel, each in the copies of the loops around it.

In: a kernel and the copies of its loops. Out: the order in which places are made, so that each
comes behind those that lead to it and the copies of a loop are together, and where a jump leads.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.orders import reverse_postorder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...ir.block import Block
    from ..dataflow.control_flow import ControlFlow
    from .unrolling import Copies

Place = tuple["Block", tuple[int, ...]]  # a block, and the copies of the unrolled loops around it


class Places:
    """The places of one kernel's compiled code: its blocks, each in the copies of
    unrolled loops.
    """

    def __init__(self, flow: ControlFlow, copies: Mapping[Block, Copies]) -> None:
        self._flow = flow
        self._copies = copies

    @cached_property
    def _numbers(self) -> dict[Block, int]:
        """The blocks so that each loop is together, and each stands behind those before it.

        Where a loop is left is gone to first, and so comes last.
        """
        flow = self._flow
        depth = {block: len(flow.loop_nest(block)) for block in flow.blocks}

        def ways_out_first(block: Block) -> list[Block]:
            return sorted(block.successors, key=depth.__getitem__)

        order = reverse_postorder(flow.blocks[0], ways_out_first)
        return {block: number for number, block in enumerate(order)}

    def _unrolled(self, block: Block) -> list[Block]:
        """The headers of the loops around a block that are copied, outermost first."""
        nest = reversed(self._flow.loop_nest(block))
        return [loop.header for loop in nest if loop.header in self._copies]

    def order(self, place: Place) -> tuple[int, ...]:
        """What places are made by, smallest first."""
        block, numbers = place
        order: list[int] = []
        for header, number in zip(self._unrolled(block), numbers, strict=True):
            order += [self._numbers[header], number]
        return (*order, self._numbers[block])

    def is_loop(self, place: Place) -> bool:
        """Whether a loop begins there that stays one."""
        block, numbers = place
        loop = self._flow.innermost_loop.get(block)
        if loop is None or loop.header is not block:
            return False
        copies = self._copies.get(block)
        return copies is None or (not copies.whole and numbers[-1] in (0, copies.count))

    def headers(self, place: Place) -> list[Place]:
        """The places of the loops around one that may have stayed loops, outermost first."""
        block, numbers = place
        found: list[Place] = []
        at = 0
        for loop in reversed(self._flow.loop_nest(block)):
            copies = self._copies.get(loop.header)
            if copies is None:
                found.append((loop.header, numbers[:at]))
                continue
            if not copies.whole:
                start = copies.count if numbers[at] == copies.count else 0
                found.append((loop.header, (*numbers[:at], start)))
            at += 1
        return found

    def innermost(self, place: Place) -> Block | None:
        """The header of the innermost loop around a place that is not unrolled whole."""
        for loop in self._flow.loop_nest(place[0]):
            copies = self._copies.get(loop.header)
            if copies is None or not copies.whole:
                return loop.header
        return None

    def copy(self, place: Place) -> int:
        """Which copy of that loop it is in."""
        header = self.innermost(place)
        if header is None or header not in self._copies:
            return 0
        number = dict(zip(self._unrolled(place[0]), place[1], strict=True))[header]
        return number if number < self._copies[header].count else 0

    def is_copied_test(self, place: Place) -> bool:
        """Whether it is a test that copies of a part of a loop do without."""
        copies = self._copies.get(place[0])
        return copies is not None and not copies.whole and 0 < place[1][-1] < copies.count

    def counted_down(self, place: Place) -> Copies | None:
        """The copies of a loop with another for the rest of its iterations, where either begins."""
        copies = self._copies.get(place[0])
        return copies if copies is not None and copies.rest and self.is_loop(place) else None

    def is_rest(self, place: Place) -> bool:
        """Whether the loop for the iterations that are left over begins there."""
        copies = self.counted_down(place)
        return copies is not None and place[1][-1] == copies.count

    def behind(self, place: Place, target: Block) -> Place | None:
        """Where a jump leads; None where a loop that is unrolled whole has no more copies."""
        source, numbers = place
        copies = self.counted_down(place)
        if copies is not None and not numbers[-1] and self._leaves(source, target):
            return source, (*numbers[:-1], copies.count)
        around = dict(zip(self._unrolled(source), numbers, strict=True))
        again = any(loop.header is target for loop in self._flow.loop_nest(source))
        found: list[int] = []
        for header in self._unrolled(target):
            number = around.get(header, 0) if header is not target or again else 0
            if header is target and again:
                copies = self._copies[header]
                number += copies.whole or number < copies.count
                if number >= copies.count + copies.whole:
                    if copies.whole:
                        return None
                    number = copies.count if around.get(header) == copies.count else 0
            found.append(number)
        return target, tuple(found)

    def _leaves(self, source: Block, target: Block) -> bool:
        return target not in self._flow.innermost_loop[source].blocks
