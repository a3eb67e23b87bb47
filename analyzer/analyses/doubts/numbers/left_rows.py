"""Rows that threads leave for the next one, by a number that was assumed.

In: two accesses that meet. Out: whether one of them has left its own row of an array for that of
the other, where an assumed number decides who comes there. Rows are what lies between two steps of
an index that all threads share, as the stages of a buffer, `buffer[stage * 512 + row * 32 +
column]`, where the two are in different ones. Also looked at is what decides between the values of
a variable that a guard asks for: `if (row < rows) mask |= 1 << i;`.
Not handled: rows as long as a step of the thread's own index (`values[i + threadIdx.x]`), rows of
the same index in both accesses, steps that are no constants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir.operations import Phi
from ...block_execution.per_thread import PerThread
from ...dataflow.affine import affine
from ...warp_evaluation.parting_decisions import parting_decisions
from ...warp_evaluation.uniformity import Uniformity
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....ir.operations import MemoryAccess
    from ...block_execution.access_events import Conflict, ThreadAccess
    from ...conflicts.facts import ConflictLaunch
    from ..question.candidates import BlockCandidate


def _leaves_its_row(candidate: BlockCandidate) -> bool:
    """Whether two threads only meet by an assumed number that leads out of a row."""
    return any(
        candidate.context.program.depends_on_assumed(condition)
        for access in _leaving_row(candidate.judged_for, candidate.conflict)
        for condition in parting_decisions(candidate.judged_for, access)
    )


def _leaving_row(launch: ConflictLaunch, conflict: Conflict) -> Iterator[MemoryAccess]:
    """The accesses that reach beyond a row, where the two threads are in different ones."""
    touches = (conflict.first, conflict.second)
    starts = [_start(touch) for touch in touches]
    if None in starts or starts[0] == starts[1]:
        return
    steps = [step for touch in touches for step in _row_steps(launch, touch.access)]
    for touch, start in zip(touches, starts, strict=True):
        if start is not None and steps and abs(touch.address - start) >= min(steps):
            yield touch.access


def _start(touch: ThreadAccess) -> int | None:
    """Where the first thread of the block goes; None where that is not known."""
    addresses = touch.event.addresses
    return addresses.entries[0] if isinstance(addresses, PerThread) else None


def _row_steps(launch: ConflictLaunch, access: MemoryAccess) -> list[int]:
    """The bytes between two rows, longer than any step of a thread's own index."""
    shared: list[int] = []
    own = 0
    for value, factor in affine(access.address).factors.items():
        if launch.uniformity.of(value) > Uniformity.BLOCK:
            own = max(own, abs(factor))
        elif isinstance(value, Phi):
            shared.append(abs(factor))
    return [step for step in shared if step > own > 0]


DOUBT = Doubt(
    "row-left-by-example",
    Effect.POSSIBLE,
    "a thread only gets here by running past its own row, with a size chosen as an example",
    _leaves_its_row,
)
