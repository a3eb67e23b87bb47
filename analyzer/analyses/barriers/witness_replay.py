"""Numbers that part two threads before a barrier, run once more to see who comes to it.

Problem: numbers that decide one condition before a barrier need not lead anybody through the other
ones: `if (i < n) { count += 1; if (count >= 63) __syncthreads(); }` with n = 17. In: a barrier and
a witness found for one decision before it. Out: whether the thread that is said to arrive does, in
a run of the whole block with exactly the numbers of the witness; None where that hangs on anything
that the witness does not name, or the run does not come to its end. Not handled: witnesses by data,
which each thread loads for itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...ir.operations import Phi
from ...ir.values import Parameter, SpecialRegister
from ..block_execution.assumed_numbers import AssumedNumbers, SizeScenario
from ..block_execution.block_program import BlockProgram
from ..block_execution.execution import BlockExecution
from ..block_execution.launch_values import BLOCK_INDEX, assumed_name
from ..block_execution.run_context import RunContext, Unordered
from ..block_execution.thread_vectors import flags
from ..dataflow.slices import backward_slice
from ..warp_evaluation.symbol_names import symbol_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from ...ir.block import Block
    from ...ir.kernel import Dimensions
    from ...ir.operations import Barrier
    from ...ir.values import Value
    from ..block_execution.run_context import AccessEvent, Outcome
    from ..block_execution.thread_vectors import Vector
    from ..conflicts.split_blocks import Witness
    from ..dataflow.control_flow import Loop
    from .facts import BarrierLaunch

_WORK = 1_000_000


class ReplayedNumbers(AssumedNumbers):
    """The numbers of a witness for a run up to its barrier; `guessed` is what it does not name and
    was asked for.
    """

    def __init__(
        self, program: BlockProgram, launch: BarrierLaunch, numbers: Mapping[Hashable, int]
    ) -> None:
        super().__init__(program, launch, SizeScenario.EQUAL)
        self._numbers = numbers
        self._passed = launch.passed
        self.guessed: set[Value | Block] = set()

    def number(self, value: Value, iterations: tuple[int, ...]) -> Vector:
        """The number of the witness, or else one that is chosen."""
        name = value.register if isinstance(value, SpecialRegister) else assumed_name(value)
        if name in self._numbers:
            return self._numbers[name]
        if not (isinstance(value, Parameter) and value in self._passed):
            self.guessed.add(value)
        return super().number(value, iterations)

    def takes_first(self, branch: Block, iterations: tuple[int, ...]) -> bool:
        """A decision that is not known: whatever it is, it was chosen."""
        self.guessed.add(branch)
        return super().takes_first(branch, iterations)


class _WholeProgram(BlockProgram):
    """A kernel whose loops iterate until they end: the numbers are known."""

    def iterations(self, loop: Loop) -> int | None:
        """None: no few of them stand for all."""
        return None


class _Silent(Unordered):
    """An observer of a run of which only the outcome matters."""

    def access(self, event: AccessEvent) -> None:
        """Nothing."""


def replayed(
    launch: BarrierLaunch, barrier: Barrier, branch: Block, witness: Witness
) -> Witness | None:
    """The witness of a divergent barrier, unless its thread does not come there; without numbers
    that the run has computed where an example had chosen one, as a counter has behind its loop.
    """
    came = arrives(launch, barrier, branch, witness)
    if not came:
        return witness if came is None else None
    computed = {symbol_name(name) for name, _ in witness.used if isinstance(name, Phi)}
    given = tuple(each for each in witness.assumed if each[0] not in computed)
    return replace(witness, assumed=given)


def arrives(
    launch: BarrierLaunch, barrier: Barrier, branch: Block, witness: Witness
) -> bool | None:
    """Whether the thread of a witness that is said to come to a barrier by a branch does, in a run
    of the block, in any iteration that the other one does not come in.
    """
    if witness.data is not None or not launch.facts.runs_blocks:
        return None
    outcome, guessed = _replayed(launch, witness)
    first, second = (_number(launch, each) for each in (witness.arrives, witness.misses))
    for threads in outcome.arrived.get(barrier, {}).values():
        came = flags(threads, launch.launch.threads)
        if came[first] and not came[second]:
            return True
    seen = not outcome.cut or _was_run(launch, branch, witness, outcome)
    if outcome.stopped or not seen or not guessed.isdisjoint(_asked(launch, barrier)):
        return None
    return False


def _replayed(launch: BarrierLaunch, witness: Witness) -> tuple[Outcome, frozenset[Value | Block]]:
    """The run with the numbers of a witness, made once for all barriers."""
    key = witness.used
    if key not in launch.replays:
        numbers = dict(key)
        x, y, z = (numbers.get(axis, 0) for axis in BLOCK_INDEX)
        program = _WholeProgram(launch)
        assumed = ReplayedNumbers(program, launch, numbers)
        context = RunContext(launch, (x, y, z), assumed, limit=_WORK)
        outcome = BlockExecution(program, context, _Silent()).run()
        launch.replays[key] = outcome, frozenset(assumed.guessed)
    return launch.replays[key]


def _was_run(launch: BarrierLaunch, branch: Block, witness: Witness, outcome: Outcome) -> bool:
    """Whether the iteration in which a witness parts threads was run before any was left out."""
    nest = [loop.header for loop in reversed(launch.facts.flow.loop_nest(branch))]
    if outcome.cut_at is None or witness.iteration is None or outcome.cut_at[0] not in nest:
        return False
    return outcome.cut_at[1] > (*(0 for _ in nest[1:]), witness.iteration)


def _number(launch: BarrierLaunch, thread: Dimensions) -> int:
    """Where a thread stands in its block."""
    width, height, _ = launch.launch.block
    return thread[0] + width * (thread[1] + height * thread[2])


def _asked(launch: BarrierLaunch, barrier: Barrier) -> set[Value | Block]:
    """The decisions before a barrier, and what they are made of."""
    found: set[Value | Block] = set()
    for edge in launch.facts.flow.controlling_edges(barrier.block):
        found.add(edge.branch)
        found.update(backward_slice(edge.branch.terminator))
    return found
