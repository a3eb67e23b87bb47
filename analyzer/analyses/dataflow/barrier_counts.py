"""How often the threads on either side of a decision wait for their block before they meet again.

Problem: of `if (role) { load(); __syncthreads(); } else { work(); __syncthreads(); }` no thread
misses a barrier, it is at another one. In: a branch and one of its edges, the kernel's control
flow, and which loops all threads leave together. Out: the barriers that the threads come to that do
not take the edge, and whether every one of them waits as often as those that do. Algorithm: the
numbers of barriers on all paths from a block to the join point, memoised over the acyclic graph; a
loop is a step that adds its body's number once for each iteration. Iterations that nobody states
are compared as values, by value numbering: loops over the same bounds make the same number.
Not handled: barriers in loops that are left in several places, and counts that depend on further
decisions, unless every path has the same.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ...ir.operations import Barrier, Phi
from ...ir.values import whole_number
from ...source.records import dataclass
from .induction import induction, is_invariant, loop_tests, trip_count
from .reachability import reachable
from .value_numbering import ValueNumbering

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from ...ir.block import Block
    from ...ir.operations import Operation
    from .control_flow import ControlEdge, ControlFlow, Loop

#: How often something is done: numbers, each times the unknown numbers of iterations in its key.
Count = frozenset[tuple[tuple["Hashable", ...], int]]

_NONE: Count = frozenset()
_MOST = 8  # different numbers on the paths from one block


@dataclass(frozen=True, slots=True)
class OtherBarriers:
    """The barriers on the paths around one barrier: where all threads wait that a decision keeps
    from it.
    """

    barriers: tuple[Barrier, ...]  # the first that each of them comes to
    as_often: bool | None  # as those at the barrier, up to the join point; None where not known
    leave: bool  # the paths meet at the end of the kernel only, or no barrier comes after


class BarrierCounts:
    """How many barriers stand on each path of one kernel's control flow."""

    def __init__(
        self,
        flow: ControlFlow,
        counted: Callable[[Operation], bool],
        agreed: Callable[[Block], bool],
    ) -> None:
        self._flow, self._counted, self._agreed = flow, counted, agreed
        self._names = ValueNumbering()
        self._elsewhere: dict[ControlEdge, OtherBarriers | None] = {}

    def elsewhere(self, edge: ControlEdge) -> OtherBarriers | None:
        """Where the threads wait that do not take an edge; None if some of them may wait nowhere
        before they meet the others. Found once for all barriers behind the edge.
        """
        if edge not in self._elsewhere:
            self._elsewhere[edge] = self._find_elsewhere(edge)
        return self._elsewhere[edge]

    def _find_elsewhere(self, edge: ControlEdge) -> OtherBarriers | None:
        branch = edge.branch
        join = self._flow.immediate_post_dominator(branch)
        barriers, every = self._first_barriers(edge.others, {branch, join})
        if not barriers:
            return None
        paths = _Paths(self, branch, join)
        there: set[Count] | None = set()
        for each in edge.others:
            counts = paths.counts(each)
            there = None if there is None or counts is None else there | counts
        as_often = _compared(paths.counts(edge.target), there)
        if not (every or as_often):
            return None
        return OtherBarriers(barriers, as_often, leave=not self._come_after(join))

    def _first_barriers(
        self, starts: list[Block], ends: set[Block | None]
    ) -> tuple[tuple[Barrier, ...], bool]:
        """The first barriers on the paths to some ends, and whether every path has one; loops with
        barriers are taken to make an iteration.
        """
        found: dict[Barrier, None] = {}
        missed = False

        def onwards(block: Block) -> Iterable[Block]:
            nonlocal missed
            first = next(filter(self._counted, block.operations), None)
            if isinstance(first, Barrier) and block not in ends:
                found[first] = None
                return ()
            missed |= block in ends or not block.successors
            return () if block in ends else self._leading_on(block)

        for _ in reachable(starts, onwards):
            pass
        return tuple(found), not missed

    def _leading_on(self, block: Block) -> list[Block]:
        """What follows a block; a loop with barriers is not left before its first iteration."""
        following = list(block.successors)
        for loop in self._flow.loop_nest(block):
            if not self.stand_in(loop.blocks):
                continue
            if block in loop.latches:
                return [*following, *loop.paths_out]
            if block is loop.header:
                return [each for each in following if each in loop.blocks]
        return following

    def _come_after(self, join: Block | None) -> bool:
        """Whether a barrier may come where the paths have met."""
        if join is None:
            return False
        return self.stand_in(reachable([join], lambda each: each.successors))

    def in_block(self, block: Block) -> Count:
        """The barriers of one block."""
        number = sum(map(self._counted, block.operations))
        return frozenset({((), number)}) if number else _NONE

    def stand_in(self, blocks: Iterable[Block]) -> bool:
        """Whether a barrier stands in some blocks."""
        return any(self._counted(op) for block in blocks for op in block.operations)

    def loop_at(self, block: Block) -> Loop | None:
        """The loop that a block heads."""
        loop = self._flow.innermost_loop.get(block)
        return loop if loop is not None and loop.header is block else None

    def iterations(self, loop: Loop) -> int | Hashable | None:
        """How often all threads make a loop: a number, or a name that equal ones share."""
        if len(loop.exits) != 1 or not self._agreed(loop.exits[0]):
            return None
        bottom = [*loop.latches] == loop.exits
        if not bottom and (loop.exits[0] is not loop.header or self.in_block(loop.header)):
            return None  # left in the middle
        for test in loop_tests(loop):
            phi = test.tested
            moves = induction(self._flow, phi) if isinstance(phi, Phi) else None
            if moves is None or not is_invariant(test.bound, loop):
                continue
            values = (moves.first, test.bound, *(value for value, _ in moves.steps))
            signs = tuple(sign for _, sign in moves.steps)
            numbers = [number for number in map(whole_number, values) if number is not None]
            if len(numbers) == len(values) and not bottom:
                step = sum(sign * each for sign, each in zip(signs, numbers[2:], strict=True))
                return trip_count(test.opcode, numbers[0], step, numbers[1]) or None
            return (bottom, test.opcode, signs, *map(self._names.of, values))
        return None


class _Paths:
    """The paths of one side: from one of its blocks to the join point or the end."""

    def __init__(self, kernel: BarrierCounts, branch: Block, join: Block | None) -> None:
        self._kernel, self._branch, self._join = kernel, branch, join

    def counts(self, start: Block, inside: Loop | None = None) -> set[Count] | None:
        """The numbers of barriers from here on, in one iteration of a loop if one is named."""
        blocks = reachable([start], lambda block: self._following(block, inside))
        known: dict[Block, set[Count] | None] = {}
        for block in sorted(blocks, key=lambda each: -each.index):
            known[block] = self._from(block, inside, known)
        return known[start]

    def _loop_at(self, block: Block, inside: Loop | None) -> Loop | None:
        """A loop that is passed as a whole."""
        loop = self._kernel.loop_at(block)
        return None if loop is inside else loop

    def _following(self, block: Block, inside: Loop | None) -> list[Block]:
        if block is self._join or block is self._branch:
            return []
        loop = self._loop_at(block, inside)
        if loop is not None:
            return loop.paths_out
        if inside is None:
            return list(block.successors)
        return [each for each in block.successors if each in inside.blocks - {inside.header}]

    def _from(
        self, block: Block, inside: Loop | None, known: dict[Block, set[Count] | None]
    ) -> set[Count] | None:
        kernel, loop = self._kernel, self._loop_at(block, inside)
        if block is self._join and inside is None:
            return {_NONE}
        if block is self._branch or block is self._join:
            return None
        own: Count | None = kernel.in_block(block)
        if loop is not None:
            own = self._of_loop(loop)
        following = self._following(block, inside)
        ways = [known.get(each) for each in following]  # None where it leads back
        if not block.successors or (inside is not None and block in inside.latches):
            ways.append({_NONE})
        return None if own is None else _added(own, ways)

    def _of_loop(self, loop: Loop) -> Count | None:
        """The number in all iterations of a loop."""
        if self._join in loop.blocks or self._branch in loop.blocks:
            return None
        if not self._kernel.stand_in(loop.blocks):
            return _NONE
        body, times = self.counts(loop.header, loop), self._kernel.iterations(loop)
        if body is None or len(body) != 1 or times is None:
            return None
        return _times(next(iter(body)), times)


def _times(count: Count, times: int | Hashable) -> Count:
    if isinstance(times, int):
        return frozenset((key, number * times) for key, number in count)
    return frozenset(((times, *key), number) for key, number in count)


def _added(count: Count, ways: list[set[Count] | None]) -> set[Count] | None:
    """A number with each that may follow; None where those are not known, or many."""
    found: set[Count] = set()
    for way in ways:
        if way is None:
            return None
        for each in way:
            total = Counter(dict(count))
            total.update(dict(each))
            found.add(frozenset(total.items()))
    return found if len(found) <= _MOST else None


def _compared(here: set[Count] | None, there: set[Count] | None) -> bool | None:
    """Whether two sides count the same; None where that depends on something."""
    if here is None or there is None:
        return None
    if len(here | there) == 1:
        return True
    plain = [all(not key for count in side for key, _ in count) for side in (here, there)]
    known = all(plain) or (any(plain) and not (here & there or _NONE in here | there))
    return False if known and here.isdisjoint(there) else None
