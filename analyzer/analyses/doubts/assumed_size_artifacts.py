"""Arrays and rows that threads leave for the next one, by a number that was assumed.

In: two accesses that meet. Out: whether one of them has left its own part of an object for that of
the other, where an assumed number has a part in where it goes or in who comes there: most likely
not a number that the kernel is made for; so are sizes by which one row is the last and another one
is let in (`size_relations.py`). Parts are the arrays that share an object
(`array_starts.py`) and the rows of one array, the stages of a buffer: what lies between two steps
of an index that all threads share, `buffer[stage * 512 + row * 32 + column]`, where the two are in
different rows. Also looked at is what decides between the values of a variable that a
guard asks for: `if (row < rows) mask |= 1 << i;`.
Not handled: rows as long as a step of the thread's own index (`values[i + threadIdx.x]`), rows of
the same index in both accesses, steps that are no constants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import Phi
from ..block_execution.array_starts import are_laid_apart, overrunning
from ..dataflow.affine import affine
from ..warp_evaluation.parting_decisions import parting_decisions
from ..warp_evaluation.uniformity import Uniformity
from .loaded_choices import depends_on_a_choice
from .size_relations import depend_on_a_relation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.operations import MemoryAccess
    from ..block_execution.access_events import Conflict, ThreadAccess
    from ..conflicts.facts import ConflictLaunch
    from ..conflicts.race_context import RaceContext


def is_for_other_numbers(races: RaceContext, conflict: Conflict) -> bool:
    """Whether two threads only meet by an assumed number that leads out of an array or a row."""
    points_to = races.launch.facts.points_to
    accesses = (conflict.first.access, conflict.second.access)
    if leaves_its_array(races, conflict):
        return True
    if any(map(races.depends_on_numbers, accesses)) and are_laid_apart(conflict, points_to):
        return True
    if depend_on_a_relation(races.program, *accesses):
        return True
    if any(depends_on_a_choice(races.launch, access) for access in accesses):
        return True
    return any(
        races.program.depends_on_assumed(condition)
        for access in _leaving_row(races.launch, conflict)
        for condition in parting_decisions(races.launch, access)
    )


def leaves_its_array(races: RaceContext, conflict: Conflict) -> bool:
    """Whether an assumed number leads one of two threads out of an array into the one behind it."""
    overrun = overrunning(conflict, races.launch.facts.points_to)
    return overrun is not None and races.depends_on_numbers(overrun)


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
    return addresses[0] if isinstance(addresses, tuple) else None


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
