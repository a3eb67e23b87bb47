"""Which ways out of branches each thread of a block does not take, as far as its indices tell.

In: a run of a block, with the numbers assumed in it. Out: threads, grouped by the edges that they
never take: conditions made of thread indices, constants and sizes are the same whenever a thread
comes to them. Nothing is asked that the run did not ask. Example: of `if (threadIdx.x == 0)` all
threads but one never take the first way. Not handled: what depends on data, or on an iteration.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...ir.operations import Branch, Operation, Phi
from ...ir.values import Parameter
from ..block_execution.block_values import BlockValues
from ..block_execution.thread_vectors import everyone, split
from ..block_execution.value_functions import function_of
from ..dataflow.reachability import postorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.values import Value
    from ..block_execution.assumed_numbers import AssumedNumbers
    from ..block_execution.block_program import BlockProgram
    from ..block_execution.thread_vectors import Threads, Vector
    from ..pointers.live_values import Untaken
    from .facts import ConflictLaunch

_GROUPS = 32  # of threads that take the same ways; the ways of more are not told apart


class KnownDecisions:
    """What the threads of one run decide the same way whenever they are asked."""

    def __init__(
        self,
        program: BlockProgram,
        launch: ConflictLaunch,
        numbers: AssumedNumbers,
        index: Dimensions,
    ) -> None:
        self._program = program
        self.count = launch.launch.threads
        self._values = BlockValues(program, launch.launch, index, _Asked(launch, numbers))

    @cached_property
    def groups(self) -> dict[Untaken, Threads]:
        """The threads of the block, by the ways that they do not take."""
        groups: dict[Untaken, Threads] = {frozenset(): everyone(self.count)}
        for block, ways, holds, fails in self._decided:
            parted: dict[Untaken, Threads] = {}
            for untaken, group in groups.items():
                for part, way in ((group & holds, ways[1]), (group & fails, ways[0])):
                    if part:
                        parted[untaken | {(block, way)}] = part
                if rest := group & ~holds & ~fails:
                    parted[untaken] = rest
            if len(parted) <= _GROUPS:
                groups = parted
        return groups

    @property
    def _decided(self) -> Iterator[tuple[Block, tuple[Block, Block], Threads, Threads]]:
        """Branches with both ways out, and who is known to take the first or the second."""
        for block in self._program.flow.blocks:
            last = block.terminator
            if isinstance(last, Branch) and last.then is not last.otherwise:
                vector = self._of(last.condition)
                holds, fails, _ = split(vector, everyone(self.count), self.count)
                if holds or fails:
                    yield block, (last.then, last.otherwise), holds, fails

    def _of(self, value: Value) -> Vector:
        """What each thread has in a value, from its indices alone."""
        values = self._values
        for each in postorder(value, _operands, values.known):
            if isinstance(each, Operation):
                values.known[each] = function_of(each)(values)
            else:
                values.of(each)
        return values.of(value)


class _Asked:
    """The numbers that a launch passes, or that a run has asked for."""

    def __init__(self, launch: ConflictLaunch, numbers: AssumedNumbers) -> None:
        self._passed = launch.passed
        self._used = numbers.used

    def number(self, value: Value, _iterations: tuple[int, ...]) -> Vector:
        """The number of a value; None where nobody has asked for it."""
        passed = self._passed.get(value) if isinstance(value, Parameter) else None
        return self._used.get(value) if passed is None else passed

    def takes_first(self, _branch: Block, _iterations: tuple[int, ...]) -> bool:
        """Nothing is decided that is not known."""
        raise NotImplementedError


def _operands(value: Value) -> Iterable[Value]:
    """What a value is made of in one iteration."""
    return () if isinstance(value, Phi) else value.operands
