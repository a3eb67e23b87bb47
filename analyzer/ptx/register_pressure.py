"""How many registers are live at once: in the order of the text, and in orders a scheduler picks.

In: a `Code`. Out: for each block the live registers at its end, and the highest pressure under

- the order as written
- a list schedule for latency: what the longest chain waits for goes first, loads before all
- a list schedule for pressure: what frees most goes first
- a schedule for latency up to a limit, and for pressure beyond it

Liveness is the textbook's backward dataflow (Aho, Lam, Sethi, Ullman, 9.2.5) on sets held as the
bits of integers; schedules are greedy (Muchnick, 17.1), with latencies of the order that
measurements on Volta to Hopper show. Memory operations keep their order with stores and barriers.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .register_code import Code, Op

_ORDERED = frozenset([
    "st", "red", "atom", "bar", "barrier", "call", "membar", "fence", "cp", "mbarrier", "wgmma",
    "shfl", "vote",
])  # fmt: skip
_LAST = ("bra", "brx", "ret", "exit", "trap")
_MOST_READY = 12  # candidates that the schedule for pressure compares


@dataclass(frozen=True, slots=True)
class BlockPressure:
    """The highest pressure in one block, by policy."""

    written: int
    latency: int
    least: int
    limited: tuple[int, ...]  # for each of `LIMITS`


LIMITS = (40,)


def live_out(code: Code) -> list[int]:
    """The registers that live at the end of each block, as bits."""
    count = len(code.blocks)
    uses, kills = [0] * count, [0] * count
    for index, block in enumerate(code.blocks):
        use = kill = 0
        for op in reversed(block):
            for register in op.writes:
                bit = 1 << register
                kill |= bit
                use &= ~bit
            for register in op.reads:
                use |= 1 << register
        uses[index], kills[index] = use, kill
    outs, ins = [0] * count, [0] * count
    predecessors: list[list[int]] = [[] for _ in range(count)]
    for index, successors in enumerate(code.successors):
        for successor in successors:
            predecessors[successor].append(index)
    work = list(range(count))
    waiting = [True] * count
    while work:
        index = work.pop()
        waiting[index] = False
        out = 0
        for successor in code.successors[index]:
            out |= ins[successor]
        outs[index] = out
        new = uses[index] | (out & ~kills[index])
        if new != ins[index]:
            ins[index] = new
            for predecessor in predecessors[index]:
                if not waiting[predecessor]:
                    waiting[predecessor] = True
                    work.append(predecessor)
    return outs


def width_of(live: int, widths: list[int]) -> int:
    """The registers that a set of live values takes."""
    total = 0
    while live:
        low = live & -live
        total += widths[low.bit_length() - 1]
        live ^= low
    return total


def written_pressure(block: list[Op], out: int, widths: list[int]) -> tuple[int, int]:
    """The highest pressure in the order as written, and the pressure at the start."""
    live = out
    now = width_of(live, widths)
    most = now
    for op in reversed(block):
        for register in op.writes:
            bit = 1 << register
            if live & bit:
                live ^= bit
                now -= widths[register]
            else:
                most = max(most, now + widths[register])
        for register in op.reads:
            bit = 1 << register
            if not live & bit:
                live |= bit
                now += widths[register]
        most = max(most, now)
    return most, now


def latency_of(op: Op) -> int:
    """Cycles until a result can be used, in round numbers."""
    mnemonic = op.mnemonic
    if mnemonic in ("ld", "ldu", "tex", "tld4", "atom", "suld"):
        space = op.modifiers[:1]
        if space in (("param",), ("const",)):
            return 8
        return 25 if space == ("shared",) else 300
    if mnemonic in ("shfl", "ldmatrix", "vote", "match", "redux"):
        return 25
    if mnemonic in ("mma", "wmma"):
        return 30
    if mnemonic in ("sin", "cos", "ex2", "lg2", "rcp", "rsqrt", "sqrt", "div", "rem", "tanh"):
        return 30
    return 5


class _Graph:
    """The dependences of one block, and its values: a register as each write leaves it."""

    def __init__(self, block: list[Op], out: int, widths: list[int]) -> None:
        self.after: list[list[int]] = [[] for _ in block]
        self.waits = [0] * len(block)
        self.reads: list[tuple[int, ...]] = []  # values, by operation
        self.writes: list[tuple[int, ...]] = []
        self.width: list[int] = []  # by value
        self.left: list[int] = []  # reads of each value, one more when it lives at the end
        current: dict[int, int] = {}  # the value a register holds
        writer: dict[int, int] = {}  # the operation that wrote a value
        last_ordered, since = -1, list[int]()
        for index, op in enumerate(block):
            before: set[int] = set()
            own: list[int] = []
            for register in op.reads:
                value = current.get(register)
                if value is None:
                    value = current[register] = self._value(widths[register])
                own.append(value)
                self.left[value] += 1
                if value in writer:
                    before.add(writer[value])
            made: list[int] = []
            for register in op.writes:
                value = current[register] = self._value(widths[register])
                writer[value] = index
                made.append(value)
            self.reads.append(tuple(own))
            self.writes.append(tuple(made))
            ordered = op.mnemonic in _ORDERED
            if ordered or op.mnemonic == "ld":
                if last_ordered >= 0:
                    before.add(last_ordered)
                if ordered:
                    before.update(since)
                    last_ordered, since = index, []
                else:
                    since.append(index)
            for earlier in before:
                self.after[earlier].append(index)
            self.waits[index] = len(before)
        for register, value in current.items():
            self.left[value] += out >> register & 1
        if block[-1].mnemonic in _LAST:
            self._hold_last(len(block) - 1)
        self.height = [0] * len(block)
        for index in range(len(block) - 1, -1, -1):
            tallest = max((self.height[i] for i in self.after[index]), default=0)
            self.height[index] = tallest + latency_of(block[index])

    def _value(self, width: int) -> int:
        self.width.append(width)
        self.left.append(0)
        return len(self.width) - 1

    def _hold_last(self, last: int) -> None:
        for index in range(last):
            if not self.after[index]:
                self.after[index].append(last)
                self.waits[last] += 1

    def highest(self, start: int, limit: int | None) -> int:
        """The highest pressure of a schedule; beyond `limit` what frees most goes first."""
        waits, left, width = self.waits[:], self.left[:], self.width
        ready = [(-self.height[i], i) for i, count in enumerate(waits) if not count]
        heapq.heapify(ready)
        now = most = start
        while ready:
            if limit is None or now < limit:
                _, index = heapq.heappop(ready)
            else:
                index = self._cheapest(ready, left)
            for value in self.reads[index]:
                left[value] -= 1
                if not left[value]:
                    now -= width[value]
            for value in self.writes[index]:
                if left[value]:
                    now += width[value]
            most = max(most, now)
            for later in self.after[index]:
                waits[later] -= 1
                if not waits[later]:
                    heapq.heappush(ready, (-self.height[later], later))
        return most

    def _cheapest(self, ready: list[tuple[int, int]], left: list[int]) -> int:
        """Of the first few candidates the one that raises the pressure least."""
        width = self.width
        best, least = ready[0], 1 << 30
        for item in ready[:_MOST_READY]:
            cost = 0
            for value in self.reads[item[1]]:
                if left[value] == 1:
                    cost -= width[value]
            for value in self.writes[item[1]]:
                if left[value]:
                    cost += width[value]
            if cost < least:
                best, least = item, cost
        ready.remove(best)
        heapq.heapify(ready)
        return best[1]


def scheduled_pressure(block: list[Op], out: int, widths: list[int]) -> BlockPressure:
    """The highest pressure of one block under each policy."""
    written, start = written_pressure(block, out, widths)
    if len(block) < 3:
        return BlockPressure(written, written, written, (written,) * len(LIMITS))
    graph = _Graph(block, out, widths)
    return BlockPressure(
        written,
        graph.highest(start, None),
        graph.highest(start, 0),
        tuple(graph.highest(start, limit) for limit in LIMITS),
    )


def block_pressures(code: Code, outs: list[int]) -> list[BlockPressure]:
    """The pressure in every block; blocks that cannot be the worst are left in their order.

    No schedule of a block holds more than what lives at its start and all that it writes, so the
    highest pressure over all blocks is found without scheduling most of them.
    """
    widths = code.widths
    as_written = [
        written_pressure(block, out, widths) for block, out in zip(code.blocks, outs, strict=True)
    ]
    most = [
        start + sum(widths[register] for op in block for register in op.writes)
        for block, (_, start) in zip(code.blocks, as_written, strict=True)
    ]
    found = [
        BlockPressure(written, written, written, (written,) * len(LIMITS))
        for written, _ in as_written
    ]
    reached = 0  # by every policy, in some block
    for index in sorted(range(len(found)), key=most.__getitem__, reverse=True):
        if most[index] <= reached:
            break
        one = scheduled_pressure(code.blocks[index], outs[index], widths)
        found[index] = one
        reached = max(reached, min(one.latency, one.least, *one.limited))
    return found
