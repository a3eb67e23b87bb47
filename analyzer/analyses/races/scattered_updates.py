"""Updates by several threads at an index that comes from memory: bins, bests, sets of bits.

In: a kernel's facts. Out: for each store that goes on from what stands there (`updates.py`), at an
index that data gives, how many threads make it and what it keeps. Threads that may have settled by
a lock or a flag who comes are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.operations import AccessKind, MemoryAccess, Opcode, Operation, unconverted
from ...ir.types import Kind
from ...source.records import dataclass
from ..conflicts.updates import adds_constant, is_load, pairs
from ..dataflow.bit_sets import sets_bits
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import ValueNumbering
from ..doubts.min_max_updates import is_only_compared, leads_many
from ..pointers.indirect_addresses import is_found_in_memory
from ..pointers.provenance import is_made_of_data, loads_of
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from .block_races import BlockRaces
    from .facts import RaceFacts


@dataclass(frozen=True, slots=True)
class ScatteredUpdate:
    """An update at an index that is not known, by this many threads."""

    store: MemoryAccess
    item: MemoryObject | None
    threads: int
    counts: bool  # it counts in bins, keeps the best or sets bits of words that others share
    keeps: bool  # the least or the greatest, of each place


def scattered_updates(facts: RaceFacts) -> Iterator[ScatteredUpdate]:
    """Updates by several threads at an index that comes from memory."""
    seen: set[MemoryAccess] = set()
    for each in facts.block_races:
        known = facts.updates
        for run in each.runs.scenarios[:1]:
            for store, threads in run.seen.not_known.items():
                loads = known.get(store)
                if (
                    loads
                    and threads > 1
                    and store not in seen
                    and is_found_in_memory(facts, store.address)
                ):
                    seen.add(store)
                    item = facts.points_to.object_of(store)
                    whole = store.element.kind is Kind.INTEGER and _only_counts(facts, store, loads)
                    bins = item is not None and (whole or is_made_of_data(store.address))
                    keeps = _keeps_the_best(each, store, loads, threads)
                    counts = keeps or (bins and adds_constant(store, loads))
                    counts = counts or (item is not None and sets_bits(store, loads))
                    if keeps and _is_of_warp(each, store, threads):
                        counts = not is_arranged(facts, store, item, Uniformity.WARP)
                    else:
                        counts = counts and not is_arranged(facts, store, item if keeps else None)
                    yield ScatteredUpdate(store, item, threads, counts, keeps)


def _keeps_the_best(
    races: BlockRaces, store: MemoryAccess, loads: frozenset[MemoryAccess], threads: int
) -> bool:
    """Whether a minimum or maximum is kept of what each thread has: nobody compares what comes
    once."""
    value = unconverted(store.operands[1])
    uniformity = races.launch.uniformity
    if not loads.intersection(loads_of(value)):
        many = leads_many(store) and uniformity.of(value) > Uniformity.GRID
        many = many or _is_of_warp(races, store, threads)
        return many and is_only_compared(races.launch.facts, store, loads)
    if not isinstance(value, Operation) or value.opcode not in (Opcode.MIN, Opcode.MAX):
        return False
    own = any(is_load(a, loads) and uniformity.of(b) > Uniformity.GRID for a, b in pairs(value))
    return own and _only_counts(races.launch.facts, store, loads)


def _is_of_warp(races: BlockRaces, store: MemoryAccess, threads: int) -> bool:
    """Whether several lanes of a warp store at one place what each of them has."""
    uniformity = races.launch.uniformity
    warps = -(-races.launch.launch.threads // WARP)
    value = uniformity.of(unconverted(store.operands[1]))
    return threads > warps and uniformity.of(store.address) <= Uniformity.WARP < value


def _only_counts(facts: RaceFacts, store: MemoryAccess, loads: frozenset[MemoryAccess]) -> bool:
    """Whether nobody takes the count for anything else, or sets it: it belongs to no thread."""
    value = unconverted(store.operands[1])
    made = {store.operands[1], value, *loads}
    for operation in facts.kernel.operations():
        if operation in made or operation is store:
            continue
        if not made.isdisjoint(operation.operands) and unconverted(operation) not in loads:
            return False
    names = ValueNumbering()
    place = names.of(store.address)
    return not any(
        other is not store and other.kind is AccessKind.STORE and names.of(other.address) == place
        for other in facts.accesses
    )


def is_arranged(
    facts: RaceFacts,
    store: MemoryAccess,
    item: MemoryObject | None,
    level: Uniformity = Uniformity.GRID,
) -> bool:
    """Whether threads may have settled who comes: by a lock, or by what they wrote.

    What an array of bests, the item, holds elsewhere says where to go on from, not who comes; nor
    do decisions that all threads of a level take alike.
    """
    if facts.critical_sections.may_order(store, store):
        return True
    assert store.block is not None
    points_to = facts.points_to
    written = {
        item for each in facts.accesses if each.writes for item in points_to.of(each.address)
    }
    uniformity = facts.launches[0].uniformity
    asked = [
        each
        for edge in facts.flow.controlling_edges(store.block)
        if level is Uniformity.GRID or uniformity.of_branch(edge.branch) > level
        for each in backward_slice(edge.branch.terminator.operands[0])
        if isinstance(each, MemoryAccess) and each is not store
    ]
    return any(
        each.writes or (points_to.of(each.address) - {item}) & written - {item} for each in asked
    )
