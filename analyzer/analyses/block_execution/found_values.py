"""What threads find in memory while a block is run.

In: the visits of a run, as they come. Out: for a load what the block has stored there itself
(`stored_numbers.py`), where a pointer leads that the kernel leaves alone, or an assumed number that
the whole block agrees on. For an addition to a counter, where what it returns is a place: the
threads that add nothing, and the first one after them, find the same, in the order in which those
come first; of the others nothing is known. Each access that is asked about finds another number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind
from ...ir.types import Kind
from ..warp_evaluation.uniformity import Uniformity
from .per_thread import PerThread
from .stored_numbers import StoredNumbers
from .thread_vectors import entries, numbers

if TYPE_CHECKING:
    from .block_program import BlockProgram
    from .run_context import AccessEvent, RunContext
    from .thread_vectors import Vector


class FoundValues:
    """What the threads of one run of a block find in memory."""

    def __init__(self, program: BlockProgram, context: RunContext, count: int) -> None:
        self._program = program
        self._context = context
        self._count = count
        arrays = program.remembered
        self._stored = StoredNumbers(arrays, count) if arrays.items else None

    def forget(self) -> None:
        """Iterations that are left out, or code that is not followed, may have stored anything."""
        if self._stored is not None:
            self._stored.forget()

    def note(self, event: AccessEvent) -> None:
        """Threads have stored."""
        if self._stored is not None and event.access.writes:
            self._stored.store(event)

    def of(self, event: AccessEvent) -> Vector:
        """What the threads of a visit find."""
        access = event.access
        pointee = self._program.kept_pointee(access)
        if pointee is not None:
            return self._program.address(pointee)
        stored, threads = self._stored, event.must | event.may
        known = None if stored is None else stored.load(access, event.addresses, threads)
        if known is not None:
            return known
        if access.type.kind is Kind.INTEGER and access.kind is AccessKind.LOAD:
            uniform = self._context.launch.uniformity.of(access) <= Uniformity.BLOCK
            return self._context.assumptions.number(access, event.iterations) if uniform else None
        if access.kind is AccessKind.ATOMIC and access.atomic == "add":
            return self._counted(event)
        return None

    def _counted(self, event: AccessEvent) -> Vector:
        """What those find at one counter who find the same."""
        if event.may or not isinstance(event.addresses, int):
            return None
        added = list(entries(event.stored, self._count))
        threads = numbers(event.must, self._count)
        idle = [thread for thread in threads if added[thread] == 0]
        if not idle or not self._program.plan.hands_out_places(event.access):
            return None
        after = next((thread for thread in threads if added[thread]), None)
        same = {*idle, after}
        number = self._context.assumptions.number(event.access, event.iterations)
        if not isinstance(number, int):
            return None
        return PerThread(tuple(number if thread in same else None for thread in range(self._count)))
