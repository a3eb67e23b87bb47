"""Threads that leave an array of shared memory, as the runs of a block show them.

In: a kernel's facts. Out: each such access once, with the thread that goes farthest. It is definite
where every thread goes there, or the launch is stated, and no assumed number has a part in it, nor
the size of a block that nobody states. Launch bounds only say how many threads a block has at most:
then it is definite where no smaller block, that reads no more of the array than it writes, does
without it.
Not handled: arrays in other spaces, accesses in iterations of loops that were left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.types import Kind
from ...ir.values import Parameter
from ...source.records import dataclass
from ..block_shape.block_size_guesses import is_block_size
from ..dataflow.slices import backward_slice

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ..block_execution.access_events import Outside
    from .block_races import BlockRaces
    from .facts import RaceFacts


@dataclass(frozen=True, slots=True)
class OutOfBounds:
    """A thread that leaves an array of shared memory, and the block it belongs to."""

    outside: Outside
    races: BlockRaces
    definite: bool


def out_of_bounds(facts: RaceFacts) -> tuple[OutOfBounds, ...]:
    """Accesses beyond the end of shared arrays, each once."""
    found: dict[MemoryAccess, OutOfBounds] = {}
    for each in facts.block_races:
        launch = each.launch.launch
        for run in each.runs.scenarios:
            for access, outside in run.seen.outside.items():
                if outside.item.space is not Space.SHARED:
                    continue
                for_all = isinstance(outside.touch.event.addresses, int)
                # Which launch an instance of a template belongs to is not always known.
                stated = not (launch.guessed or launch.inferred or facts.kernel.instance)
                always = for_all and not _depends_on_guess(each, access)
                definite = (always or stated) and not each.depends_on_numbers(access)
                if definite and launch.unsettled and not always:
                    definite = each.leaves_in_smaller_blocks(run, access)
                if access not in found or definite > found[access].definite:
                    found[access] = OutOfBounds(outside, each, definite)
    return tuple(found.values())


def _depends_on_guess(races: BlockRaces, access: MemoryAccess) -> bool:
    """Whether a block's size that nobody states has a part in where an access goes, or how far: as
    blockDim, or as a parameter that the launch passes it for.
    """
    launch = races.launch.launch
    if not (launch.unsettled or launch.inferred):
        return False
    assert access.block is not None
    decisions = races.program.flow.controlling_edges(access.block)
    values = [access.address, *(edge.branch.terminator.operands[0] for edge in decisions)]
    return any(
        isinstance(each, Parameter) or is_block_size(each)
        for value in values
        for each in backward_slice(value)
        if each.type.kind is Kind.INTEGER
    )
