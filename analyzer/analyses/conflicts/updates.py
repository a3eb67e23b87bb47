"""Updates in place: a store of a value made from a load of the same place, `a[i] += x`.

In: a kernel's facts. Out: for each such store the loads it is made from. A maximum that is written
`if (most < x) most = x` is one too, where all threads keep the same or data says which. Addresses
are the same when they are one value or are computed alike from the same values; two loads of one
place count as the same value, as in `a[b[i]] = a[b[i]] + 1`. Of a block's threads no update is lost
that has a barrier in it: they all go on from the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    EFFECTS,
    WHOLE,
    AccessKind,
    Barrier,
    Compare,
    MemoryAccess,
    Opcode,
    Operation,
    Phi,
    unconverted,
)
from ...ir.types import Kind
from ...ir.values import Constant, ObjectAddress
from ...source.records import dataclass
from ..dataflow.bit_sets import sets_bits
from ..dataflow.paths import stands_on_all
from ..dataflow.slices import computed_from
from ..dataflow.value_numbering import ValueNames, alike
from ..doubts.min_max_updates import is_only_compared, leads_many
from ..pointers.indirect_addresses import is_found_in_memory
from ..pointers.memory_model import is_strong
from ..pointers.provenance import LoadedParts, is_made_of_data, loads_of, orders, parts_of
from ..warp_evaluation.lane_values import WARP
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from ...ir.memory import MemoryObject
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlEdge
    from ..facts import KernelFacts
    from ..races.block_races import BlockRaces
    from ..warp_evaluation.uniformity import UniformityAnalysis


@dataclass(frozen=True, slots=True)
class ScatteredUpdate:
    """An update at an index that is not known, by this many threads."""

    store: MemoryAccess
    item: MemoryObject | None
    threads: int
    counts: bool  # it counts in bins, keeps the best or sets bits of words that others share
    keeps: bool  # the least or the greatest, of each place


#: What each thread and each block has for itself, under one name.
_OWNED = {Space.LOCAL: Uniformity.VARYING, Space.SHARED: Uniformity.BLOCK}
_ONCE = frozenset({Opcode.AND, Opcode.OR, Opcode.MIN, Opcode.MAX})
Updates = dict[MemoryAccess, frozenset[MemoryAccess]]
_Comparisons = tuple[tuple[MemoryAccess, "Value"], ...]


def updates(facts: KernelFacts) -> Updates:
    """By store, the loads of the same place that it writes back."""
    names, parts = ValueNames(), LoadedParts()
    compared: dict[ControlEdge, _Comparisons] = {}
    read: dict[Hashable, list[MemoryAccess]] = {}  # by the name of the place
    for access in facts.accesses:
        if access.kind is AccessKind.LOAD:
            read.setdefault(names.of(access.address), []).append(access)
    found: Updates = {}
    for store in facts.accesses:
        if store.kind is not AccessKind.STORE or len(store.operands) < 2:
            continue
        place = names.of(store.address)
        stored = unconverted(store.operands[1])
        loads = frozenset(
            load
            for load in read.get(place, ())
            if load is not stored and parts.has(store.operands[1], load)
        )
        loads = loads or _compared_before(facts, store, names, compared)
        if loads:
            found[store] = loads
    return found


def _compared_before(
    facts: KernelFacts,
    store: MemoryAccess,
    names: ValueNames,
    compared: dict[ControlEdge, _Comparisons],
) -> frozenset[MemoryAccess]:
    """The loads of a place that what is stored there was just compared with.

    It is common to a warp, or found in memory: nobody else comes to a thread's own place. Who
    stores by an atomic object knows that others come, and may go on until nothing changes.
    """
    assert store.block is not None
    if is_strong(store):
        return frozenset()
    found: set[MemoryAccess] = set()
    for edge in facts.flow.control_edges[store.block]:  # those further up decide about more
        if edge not in compared:
            compared[edge] = tuple(_loads_compared(edge))
        for load, other in compared[edge]:
            kept = names.of(load.address) == names.of(store.address)
            if kept and names.of(other) == names.of(unconverted(store.operands[1])):
                found.add(load)
    own = found and facts.launches[0].uniformity.of(store.address) > Uniformity.WARP
    if own and not is_found_in_memory(facts, store.address):
        return frozenset()
    return frozenset(found)


def _loads_compared(edge: ControlEdge) -> Iterator[tuple[MemoryAccess, Value]]:
    """The loads that decide about an edge, each with what it is larger or smaller than."""
    for part in filter(orders, parts_of(edge)):
        assert isinstance(part, Compare)
        first, second = map(unconverted, part.operands)
        for load, other in ((first, second), (second, first)):
            if isinstance(load, MemoryAccess) and load.kind is AccessKind.LOAD:
                yield load, other


def is_update_of(
    known: Mapping[MemoryAccess, frozenset[MemoryAccess]],
    first: MemoryAccess,
    second: MemoryAccess,
) -> bool:
    """Whether two accesses are the load and the store, or twice the store, of one update."""
    return (
        (first is second and first in known)
        or second in known.get(first, ())
        or first in known.get(second, ())
    )


def is_read_before_barrier(facts: KernelFacts, store: MemoryAccess) -> bool:
    """Whether all threads of a block have read, when one of them writes back what it made of it."""
    loads = facts.updates.get(store, frozenset())
    return bool(loads) and all(
        stands_on_all(facts.flow, load, store, _waits_for_all) for load in loads
    )


def _waits_for_all(operation: Operation) -> bool:
    return isinstance(operation, Barrier) and operation.kind in WHOLE


def scattered_updates(facts: KernelFacts) -> Iterator[ScatteredUpdate]:
    """Updates by several threads at an index that comes from memory."""
    seen: set[MemoryAccess] = set()
    for each in facts.block_races:
        known = facts.updates
        for run in each.runs.courses[:1]:
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
    own = any(_is_load(a, loads) and uniformity.of(b) > Uniformity.GRID for a, b in _pairs(value))
    return own and _only_counts(races.launch.facts, store, loads)


def _is_of_warp(races: BlockRaces, store: MemoryAccess, threads: int) -> bool:
    """Whether several lanes of a warp store at one place what each of them has."""
    uniformity = races.launch.uniformity
    warps = -(-races.launch.launch.threads // WARP)
    value = uniformity.of(unconverted(store.operands[1]))
    return threads > warps and uniformity.of(store.address) <= Uniformity.WARP < value


def _only_counts(facts: KernelFacts, store: MemoryAccess, loads: frozenset[MemoryAccess]) -> bool:
    """Whether nobody takes the count for anything else, or sets it: it belongs to no thread."""
    value = unconverted(store.operands[1])
    made = {store.operands[1], value, *loads}
    for operation in facts.kernel.operations():
        if operation in made or operation is store:
            continue
        if not made.isdisjoint(operation.operands) and unconverted(operation) not in loads:
            return False
    names = ValueNames()
    place = names.of(store.address)
    return not any(
        other is not store and other.kind is AccessKind.STORE and names.of(other.address) == place
        for other in facts.accesses
    )


def is_arranged(
    facts: KernelFacts,
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
        for each in computed_from(edge.branch.terminator.operands[0])
        if isinstance(each, MemoryAccess) and each is not store
    ]
    return any(
        each.writes or (points_to.of(each.address) - {item}) & written - {item} for each in asked
    )


def repeats(
    store: MemoryAccess, known: Updates, uniformity: UniformityAnalysis, level: Uniformity
) -> bool:
    """Whether all threads make the same update, which changes nothing when it is made again."""
    loads = known.get(store, frozenset())
    value = unconverted(store.operands[1])
    if loads and loads.isdisjoint(loads_of(value)):  # kept by a comparison, as it is
        return _is_common(value, uniformity, level)
    if not isinstance(value, Operation):
        return False
    if value.opcode is Opcode.SELECT:
        chosen = _chosen(value)
    else:
        chosen = _pairs(value) if value.opcode in _ONCE else ()
    return any(_is_load(a, loads) and uniformity.of(b) <= level for a, b in chosen)


def _is_common(value: Value, uniformity: UniformityAnalysis, level: Uniformity) -> bool:
    """Whether all threads of a level compute a value alike, from what they find at one place."""
    for each in computed_from(value):
        if isinstance(each, MemoryAccess):
            common = each.kind is AccessKind.LOAD and not each.volatile
        elif isinstance(each, ObjectAddress):
            common = _OWNED.get(each.object.space, Uniformity.GRID) <= level
        elif isinstance(each, Operation) and not isinstance(each, Phi):
            common = each.opcode not in EFFECTS or uniformity.of(each) <= level
        else:  # arithmetic is as common as what it begins with
            common = uniformity.of(each) <= level
        if not common:
            return False
    return True


def adds_constant(store: MemoryAccess, loads: frozenset[MemoryAccess]) -> bool:
    """Whether an update adds or subtracts a number that is the same for everybody."""
    value = unconverted(store.operands[1])
    if not isinstance(value, Operation) or value.opcode not in (Opcode.ADD, Opcode.SUB):
        return False
    return any(_is_load(a, loads) and isinstance(b, Constant) for a, b in _pairs(value))


def compares_with(condition: Value, loads: frozenset[MemoryAccess]) -> bool:
    """Whether a condition compares what an update goes on from: whether it is worth while."""
    if not isinstance(condition, Compare):
        return False
    read = [each for each in map(unconverted, condition.operands) if isinstance(each, MemoryAccess)]
    return any(alike(each.address, load.address) for each in read for load in loads)


def _pairs(value: Operation) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    first, second = value.operands
    return (first, second), (second, first)


def _chosen(value: Operation) -> tuple[tuple[Value, Value], ...]:
    """The two that the lesser or the greater is chosen of: `a < b ? a : b`."""
    condition, first, second = value.operands
    if not isinstance(condition, Compare) or not orders(condition):
        return ()
    names = ValueNames()
    compared = {names.of(unconverted(each)) for each in condition.operands}
    arms = {names.of(unconverted(each)) for each in (first, second)}
    return ((first, second), (second, first)) if arms == compared else ()


def _is_load(value: Value, loads: frozenset[MemoryAccess]) -> bool:
    return unconverted(value) in loads
