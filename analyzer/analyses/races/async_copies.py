"""Reads of shared memory that an asynchronous copy may not have filled yet.

In: the runs of a kernel that makes copies, by launch. Out: each pair of a copy (`cp.async`,
`__pipeline_memcpy_async`, bulk copies) and a read that comes too early in every scenario that comes
to it (`copies_in_flight.py`).
Data that is waited for but not shared with the other threads by a barrier is a race
(`block_conflicts.py`). Not handled: addresses that an unknown argument of a template has a part in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.values import Unknown
from ..block_execution.assumed_numbers import SizeScenario
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..block_execution.copies_in_flight import Pair, Unwaited
    from ..conflicts.block_runs import BlockRuns


def unwaited_copies(launches: Iterable[BlockRuns]) -> tuple[Unwaited, ...]:
    """The reads of shared memory that an asynchronous copy may still fill, each copy and read once,
    with the launch that shows it.
    """
    told: dict[Pair, Unwaited] = {}
    for runs in launches:
        for pair, found in _in_launch(runs).items():
            told.setdefault(pair, found)
    return tuple(told.values())


def _in_launch(runs: BlockRuns) -> dict[Pair, Unwaited]:
    """What shows in every scenario that comes to the read."""
    if not runs.scenarios:
        return {}
    first = runs.scenarios[0]
    assert first.copies is not None
    found = first.copies.found
    if found and (first.numbers.used or first.numbers.decided):
        known = (run for run in runs.scenarios if run.scenario is SizeScenario.DIFFERENT)
        second = (next(known, None) or runs.again(SizeScenario.DIFFERENT)).copies
        assert second is not None
        found = {
            pair: each
            for pair, each in found.items()
            if pair in second.found or pair[1] not in second.seen
        }
    return {pair: each for pair, each in found.items() if not _is_template(pair)}


def _is_template(pair: Pair) -> bool:
    """Whether an argument that is not known has a part in an address."""
    return any(
        isinstance(each, Unknown) for access in pair for each in backward_slice(access.address)
    )
