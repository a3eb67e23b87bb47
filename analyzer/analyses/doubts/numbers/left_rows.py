"""Rows that threads leave for the next one, by a number that was assumed.

In: two accesses that meet. Out: whether one of them has left its own row of an array for that of
the other, where an assumed number decides who comes there. Rows are what lies between two steps of
an index that all threads share, as the stages of a buffer, `buffer[stage * 512 + row * 32 +
column]`, where the two are in different ones. Also looked at is what decides between the values of
a variable that a guard asks for: `if (row < rows) mask |= 1 << i;`. Or rows are those of an array
as it is declared, `path[256][6]`: with `path[threadIdx.x][i]` and `i <= depth` a depth of 129 leads
through the rows of 21 other threads, which C++ gives no meaning.
Not handled: rows as long as a step of the thread's own index (`values[i + threadIdx.x]`) in arrays
of one dimension, rows of the same index in both accesses, steps that are no constants, declared
rows that others than the thread's indices pick.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ....ir.operations import Phi, unconverted
from ....ir.values import ObjectAddress, SpecialRegister
from ...block_execution.per_thread import PerThread
from ...dataflow.affine import affine
from ...dataflow.slices import backward_slice
from ...warp_evaluation.parting_decisions import parting_decisions
from ...warp_evaluation.uniformity import Uniformity
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ....ir.memory import MemoryObject
    from ....ir.operations import MemoryAccess
    from ....ir.values import Special, Value
    from ...block_execution.access_events import Conflict, ThreadAccess
    from ...conflicts.facts import ConflictLaunch
    from ...conflicts.race_context import RaceContext
    from ..question.candidates import BlockCandidate


def _leaves_its_row(candidate: BlockCandidate) -> bool:
    """Whether two threads only meet by an assumed number that leads out of a row."""
    return any(
        candidate.context.program.depends_on_assumed(condition)
        for access in _leaving_row(candidate.judged_for, candidate.conflict)
        for condition in parting_decisions(candidate.judged_for, access)
    ) or any(
        _leaves_declared_row(candidate, touch)
        for touch in (candidate.conflict.first, candidate.conflict.second)
    )


def _leaves_declared_row(candidate: BlockCandidate, touch: ThreadAccess) -> bool:
    """Whether an index that rests on an assumed number leads a thread out of the row, as the array
    is declared, that its own indices pick.
    """
    item, context = candidate.conflict.item, candidate.context
    offset = touch.address - context.program.address(item)
    form = affine(touch.access.address)
    for pitch in _pitches(item):
        row = round(form.number / pitch) * pitch
        within: list[Value] = []
        known = True
        for value, factor in form.factors.items():
            if isinstance(value, ObjectAddress):
                continue
            if factor % pitch:
                within.append(value)
                continue
            index = _own_index(context.index_of(touch), value)
            known = known and index is not None
            row += factor * (index or 0)
        if known and not 0 <= offset - row < pitch and _rests_on_assumed(context, within):
            return True
    return False


def _rests_on_assumed(context: RaceContext, parts: list[Value]) -> bool:
    """Whether an assumed number has a part in an index, or in how often a loop makes it grow."""
    if any(map(context.rests_on_assumed, parts)):
        return True
    made = set(backward_slice(*parts))
    return any(
        any(map(context.rests_on_assumed, block.terminator.operands[:1]))
        for loop in context.program.flow.loops
        if not made.isdisjoint(loop.header.phis)
        for block in loop.exits
    )


def _own_index(indices: Mapping[Special, int], value: Value) -> int | None:
    """A thread's index in its block; None for everything else."""
    value = unconverted(value)
    return indices.get(value.register) if isinstance(value, SpecialRegister) else None


def _pitches(item: MemoryObject) -> Iterator[int]:
    """The bytes of each row that an array is declared with, the largest first."""
    inner = item.extents[1:]
    width = item.element.width
    if not width or not all(inner):
        return
    for at in range(len(inner)):
        yield width * prod(each for each in inner[at:] if each)


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
