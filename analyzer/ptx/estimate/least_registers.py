"""The registers that a kernel needs in whatever order its operations are done.

In: a `Code` with its blocks joined. Out: the highest pressure when each block is scheduled for the
least of it: from its end upwards, what frees the most registers goes last (a greedy form of Sethi
and Ullman, "The Generation of Optimal Code for Arithmetic Expressions", 1970). ptxas schedules so
when registers are short; where even so more values live at once than there are registers, it
spills. Values that ptxas computes again instead of keeping them are counted, and so are those that
it would keep in another form: the caller leaves a margin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .register_pressure import Dependences, live_sets, pressure_of, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .operations import Code, Op

_LONGEST_BLOCK = 2_000
_CHOICES = 100  # of what may go last, the latest are compared


def exceeds(code: Code, limit: int) -> bool:
    """Whether more registers of PTX than `limit` live at once in any order of some block's
    operations.

    Blocks that are too long to be scheduled are not looked at.
    """
    _, outs = live_sets(code)
    return any(
        len(block) <= _LONGEST_BLOCK
        and pressure_of(block, out, code.widths) > limit
        and least_pressure(block, out, code.widths) > limit
        for block, out in zip(code.blocks, outs, strict=True)
        if block
    )


def least_pressure(block: list[Op], out: int, widths: Sequence[int]) -> int:
    """The register pressure of one block of PTX, scheduled for the least of it."""
    dependences = Dependences(block, out, widths)
    before: list[list[int]] = [[] for _ in block]
    for earlier, ones in enumerate(dependences.after):
        for later in ones:
            before[later].append(earlier)
    waits = [len(ones) for ones in dependences.after]
    reads, writes, width = dependences.reads, dependences.writes, dependences.width
    readers = [0] * len(width)
    for values in reads:
        for value in values:
            readers[value] += 1
    live = [left > count for left, count in zip(dependences.left, readers, strict=True)]
    now = width_of(out, widths)  # values that only pass through stay in this sum

    def cost(index: int) -> tuple[int, int]:
        """How many more live above it than below; of equals the last one written."""
        more = sum([width[value] for value in reads[index] if not live[value]])
        return more - sum([width[value] for value in writes[index] if live[value]]), -index

    most = now
    ready = [index for index, count in enumerate(waits) if not count]
    while ready:
        best = min(ready[-_CHOICES:], key=cost)
        ready.remove(best)
        unread = 0
        for value in writes[best]:
            if live[value]:
                live[value] = False
                now -= width[value]
            else:
                unread += width[value]
        most = max(most, now + unread)
        for value in reads[best]:
            if not live[value]:
                live[value] = True
                now += width[value]
        most = max(most, now)
        for earlier in before[best]:
            waits[earlier] -= 1
            if not waits[earlier]:
                ready.append(earlier)
    return most
