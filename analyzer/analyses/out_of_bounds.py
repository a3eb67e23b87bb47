"""Threads that leave an array of shared memory, as the runs of a block show them.

In: a kernel's facts. Out: each such access once, with the thread that goes farthest. It is definite
where every thread goes there, or the launch is stated, and no assumed number has a part in it.
Not handled: arrays in other spaces, accesses in rounds of loops that were left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..source.records import dataclass

if TYPE_CHECKING:
    from ..ir.operations import MemoryAccess
    from .conflicts import Outside
    from .facts import KernelFacts
    from .races import BlockRaces


@dataclass(frozen=True, slots=True)
class OutOfBounds:
    """A thread that leaves an array of shared memory, and the block it belongs to."""

    outside: Outside
    races: BlockRaces
    definite: bool


def out_of_bounds(facts: KernelFacts) -> tuple[OutOfBounds, ...]:
    """Accesses beyond the end of shared arrays, each once."""
    found: dict[MemoryAccess, OutOfBounds] = {}
    for each in facts.block_races:
        launch = each.launch.launch
        for run in each.runs:
            for access, outside in run.seen.outside.items():
                if outside.item.space is not Space.SHARED:
                    continue
                for_all = isinstance(outside.touch.visit.addresses, int)
                # Which launch an instance of a template belongs to is not always known.
                stated = not (launch.guessed or launch.inferred or facts.kernel.instance)
                definite = (for_all or stated) and not each.hangs_on_numbers(access)
                if access not in found or definite > found[access].definite:
                    found[access] = OutOfBounds(outside, each, definite)
    return tuple(found.values())
