"""How many registers are live at once: in the order of the text, and in the order of a scheduler.

In: a `Code`. Out: for each block what lives at its ends, the highest pressure in the order as
written, and under a list schedule for latency, where what the longest chain waits for goes first:
loads before all. A loop of one block is scheduled as four rounds of it, as ptxas unrolls it.

Liveness is the textbook's backward dataflow (Aho, Lam, Sethi, Ullman, 9.2.5) on sets held as the
bits of integers; the schedule is greedy (Muchnick, 17.1), with latencies of the order that
measurements on Volta to Hopper show. Loads and stores of different state spaces pass each other;
of the same one, no load passes a store, and nothing passes a barrier.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from .opcode_kinds import GENERIC, SPACES
from .operations import Op

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .operations import Code, Place

_EVERYWHERE = (*SPACES, GENERIC)

_ELSEWHERE = 1 << 40  # from one round to the next
ROUNDS = 4  # of a loop that is unrolled


def live_sets(code: Code) -> tuple[list[int], list[int]]:
    """The registers that live at the beginning and at the end of each PTX block, as bits."""
    count = len(code.blocks)
    uses, kills = [0] * count, [0] * count
    for index, block in enumerate(code.blocks):
        written: set[int] = set()
        read: set[int] = set()
        for op in block:
            for register in op.reads:
                if register not in written:
                    read.add(register)
            written.update(op.writes)
        uses[index], kills[index] = _bits(read), _bits(written)
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
    return ins, outs


def _bits(registers: Iterable[int]) -> int:
    bits = 0
    for register in registers:
        bits |= 1 << register
    return bits


def members(live: int) -> list[int]:
    """The registers in a set of live ones that is kept as bits."""
    bits = bin(live)[:1:-1]
    found: list[int] = []
    place = bits.find("1")
    while place >= 0:
        found.append(place)
        place = bits.find("1", place + 1)
    return found


def width_of(live: int, widths: Sequence[int]) -> int:
    """The registers that a set of live values takes."""
    return sum([widths[register] for register in members(live)])


def highest_pressure(code: Code) -> int:
    """The highest register pressure anywhere in a PTX function, in the order as written."""
    _, outs = live_sets(code)
    pairs = zip(code.blocks, outs, strict=True)
    return max([pressure_of(block, out, code.widths) for block, out in pairs], default=0)


def pressure_of(block: list[Op], out: int, widths: Sequence[int]) -> int:
    """The highest pressure in a PTX block at whose end `out` lives, in the order as written."""
    live = set(members(out))
    now = most = sum([widths[register] for register in live])
    for op in reversed(block):
        for register in op.writes:
            if register in live:
                live.remove(register)
                now -= widths[register]
        for register in op.reads:
            if register not in live:
                live.add(register)
                now += widths[register]
        most = max(most, now)
    return most


def unrolled(block: list[Op]) -> list[Op]:
    """Four iterations of a PTX loop's only block: one test at the end, one step of each counter."""
    body = block[:-1] if block[-1].kind.last else block
    again = body[:-1] if body and body[-1].kind.mnemonic == "setp" else body
    steps = {op.writes[0] for op in again if is_step(op)}
    again = [op for op in again if not is_step(op)]
    iterations: list[Op] = []
    for number in range(1, ROUNDS):
        iterations += [
            _in_iteration(op, number) if op.place and op.place[0] in steps else op for op in again
        ]
    return iterations + block


def _in_iteration(op: Op, number: int) -> Op:
    """An access whose address is stepped, in another round than the last: elsewhere."""
    assert op.place is not None
    base, offset = op.place
    return Op(op.kind, op.writes, op.reads, (), (base, offset + number * _ELSEWHERE))


def is_step(op: Op) -> bool:
    """Whether an operation of PTX adds a constant to a counter."""
    return op.kind.mnemonic in ("add", "sub") and len(op.writes) == 1 and op.reads == op.writes


class Dependences:
    """What each operation of a PTX block waits for, and the values that it reads and writes.

    `out` is what lives at its end.
    """

    def __init__(self, block: list[Op], out: int, widths: Sequence[int]) -> None:
        self.after: list[list[int]] = [[] for _ in block]
        self.waits = [0] * len(block)
        self.reads: list[list[int]] = []  # values, by operation
        self.writes: list[range] = []
        self.width: list[int] = []  # by value
        self.left: list[int] = []  # reads of each value, one more when it lives at the end
        self.loaded: list[int] = []  # the width of values that come from memory
        self._number(block, out, widths)
        if block[-1].kind.last:
            self._hold_last(len(block) - 1)

    def _number(self, block: list[Op], out: int, widths: Sequence[int]) -> None:
        """Number the values: a register as each write leaves it; and note what waits for what."""
        current: dict[int, int] = {}
        writer: list[int] = []  # by value; -1 for what lives at the beginning
        order = _Order()
        width, left, loaded = self.width, self.left, self.loaded
        after, waits = self.after, self.waits
        for index, op in enumerate(block):
            kind = op.kind
            count = 0
            if kind.keeps_place:
                before = order.before(index, op)
                for earlier in before:
                    after[earlier].append(index)
                count = len(before)
            own: list[int] = []
            for register in op.reads:
                value = current.get(register)
                if value is None:
                    value = current[register] = len(width)
                    width.append(widths[register])
                    left.append(1)
                    loaded.append(0)
                    writer.append(-1)
                else:
                    left[value] += 1
                    if writer[value] >= 0:
                        after[writer[value]].append(index)
                        count += 1
                own.append(value)
            self.reads.append(own)
            waits[index] = count
            first = len(width)
            for register in op.writes:
                current[register] = len(width)
                width.append(widths[register])
                left.append(0)
                loaded.append(widths[register] if kind.slow else 0)
                writer.append(index)
            self.writes.append(range(first, len(width)))
        for register, value in current.items():
            left[value] += out >> register & 1

    def _hold_last(self, last: int) -> None:
        for index in range(last):
            if not self.after[index]:
                self.after[index].append(last)
                self.waits[last] += 1


class Schedule(Dependences):
    """A PTX block, scheduled for latency: the highest pressure, and the loaded values held at once.

    `start` is the pressure at its beginning.
    """

    def __init__(self, block: list[Op], out: int, widths: Sequence[int], start: int) -> None:
        super().__init__(block, out, widths)
        heights = [0] * len(block)
        after = self.after
        for index in range(len(block) - 1, -1, -1):
            tallest = 0
            for later in after[index]:
                if heights[later] > tallest:
                    tallest = heights[later]
            heights[index] = tallest + block[index].kind.latency
        self.most = self.held = 0
        self._run(heights, start)

    def _run(self, heights: list[int], start: int) -> None:
        waits, left, width, loaded = self.waits, self.left, self.width, self.loaded
        # One integer says what is taller, then what is earlier, and what it is.
        count = len(heights)
        order = [index - height * count for index, height in enumerate(heights)]
        ready = [one for one, waiting in zip(order, waits, strict=True) if not waiting]
        heapq.heapify(ready)
        now = most = start
        held = most_held = 0
        while ready:
            index = heapq.heappop(ready) % count
            for value in self.reads[index]:
                left[value] -= 1
                if not left[value]:
                    now -= width[value]
                    held -= loaded[value]
            for value in self.writes[index]:
                if left[value]:
                    now += width[value]
                    held += loaded[value]
            if now > most:
                most = now
            if held > most_held:
                most_held = held
            for later in self.after[index]:
                waits[later] -= 1
                if not waits[later]:
                    heapq.heappush(ready, order[later])
        self.most, self.held = most, most_held


class _Order:
    """Which earlier operations an access to memory must not pass.

    Two accesses pass each other when they are in different state spaces, and when their addresses
    begin with the same register and are not equally far behind it.
    """

    def __init__(self) -> None:
        self._fence = self._warp = -1
        self._spaces: dict[str, _Space] = {}
        self._since: list[int] = []  # accesses since the last fence

    def before(self, index: int, op: Op) -> list[int]:
        """The operations that the one at `index` has to come after; some more than once."""
        kind = op.kind
        before: list[int] = []
        if kind.space:
            touched = _EVERYWHERE if kind.space == GENERIC else (kind.space, GENERIC)
            if self._fence >= 0:
                before.append(self._fence)
            self._since.append(index)
            place = op.place or (-1 - index, 0)
            spaces = self._spaces
            for one in touched:
                if one in spaces:
                    before += spaces[one].after(place, loads=kind.load)
            if kind.space not in spaces:
                spaces[kind.space] = _Space()
            spaces[kind.space].note(index, place, loads=kind.load)
        elif kind.fence:
            before += self._since
            if self._fence >= 0:
                before.append(self._fence)
            self._fence = index
            self._spaces, self._since = {}, []
        elif kind.warp:
            if self._warp >= 0:
                before.append(self._warp)
            self._warp = index
        return before


class _Space:
    """The accesses of one state space since the last fence; stores keep their order."""

    def __init__(self) -> None:
        self._last = self._other = -1  # stores; the other is the last one with another base
        self._base = 0  # of the last store
        self._stores: dict[Place, int] = {}
        self._loads: dict[int, list[int]] = {}  # by base, since a store with another one
        self._loads_of: dict[Place, list[int]] = {}

    def after(self, place: Place, *, loads: bool) -> list[int]:
        """The accesses that one at `place` has to come after."""
        found: list[int] = []
        if self._last >= 0:
            if not loads or self._base != place[0]:
                found.append(self._last)
            elif self._other >= 0:
                found.append(self._other)
            if place in self._stores:
                found.append(self._stores[place])
        if not loads:
            for base in [base for base in self._loads if base != place[0]]:
                found += self._loads.pop(base)
            found += self._loads_of.pop(place, ())
        return found

    def note(self, index: int, place: Place, *, loads: bool) -> None:
        """One more access."""
        if loads:
            self._loads.setdefault(place[0], []).append(index)
            self._loads_of.setdefault(place, []).append(index)
            return
        if self._base != place[0]:
            self._other, self._base = self._last, place[0]
        self._last = self._stores[place] = index
