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
    unconverted,
)
from ...ir.values import Constant, ObjectAddress, Unknown
from ..dataflow.joined_conditions import parts_of
from ..dataflow.paths import all_pass_through
from ..dataflow.slices import backward_slice
from ..dataflow.value_numbering import ValueNumbering, alike
from ..pointers.indirect_addresses import is_found_in_memory
from ..pointers.memory_model import is_strong
from ..pointers.provenance import LoadedParts, loads_of, orders
from ..warp_evaluation.uniformity import Uniformity

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from ...ir.block import Block
    from ...ir.values import Value
    from ..dataflow.control_flow import ControlEdge, ControlFlow
    from ..warp_evaluation.uniformity import UniformityAnalysis
    from .facts import ConflictFacts


#: What each thread and each block has for itself, under one name.
_OWNED = {Space.LOCAL: Uniformity.VARYING, Space.SHARED: Uniformity.BLOCK}
_OWN = EFFECTS | {Opcode.PHI}  # what they give is not of their operands alone
_SUMS = frozenset({Opcode.ADD, Opcode.SUB})
_SCALES = frozenset({Opcode.MUL, Opcode.DIV, Opcode.REM, Opcode.SHL, Opcode.SHR})
_ONCE = frozenset({Opcode.AND, Opcode.OR, Opcode.MIN, Opcode.MAX})
Updates = dict[MemoryAccess, frozenset[MemoryAccess]]
_Comparisons = tuple[tuple[MemoryAccess, "Value"], ...]


def updates(facts: ConflictFacts) -> Updates:
    """By each store of an update in place (`a[i] += x`) the loads of the same place that it writes
    back.
    """
    names, parts = ValueNumbering(), LoadedParts()
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
    facts: ConflictFacts,
    store: MemoryAccess,
    names: ValueNumbering,
    compared: dict[ControlEdge, _Comparisons],
) -> frozenset[MemoryAccess]:
    """The loads of a place that what is stored there was just compared with.

    It is common to a warp, or found in memory: nobody else comes to a thread's own place. Who
    stores by an atomic object knows that others come, and may go on until nothing changes.
    """
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
    """Whether two conflicting accesses are the load and the store, or twice the store, of one
    update in place.
    """
    return (
        (first is second and first in known)
        or second in known.get(first, ())
        or first in known.get(second, ())
    )


def scales(store: MemoryAccess, known: Updates) -> bool:
    """Whether an update in place multiplies, divides or shifts what is there: what no atomic
    operation does, and nobody does to one element once for each block.
    """
    value = unconverted(store.operands[1])
    if not isinstance(value, Operation) or value.opcode not in _SCALES:
        return False
    return any(is_load(each, known.get(store, frozenset())) for each in value.operands)


def is_read_before_barrier(facts: ConflictFacts, store: MemoryAccess) -> bool:
    """Whether all threads of a block have read what an update goes on from, when one of them
    stores.
    """
    loads = facts.updates.get(store, frozenset())
    return bool(loads) and all(
        all_pass_through(facts.flow, load, store, _waits_for_all) for load in loads
    )


def _waits_for_all(operation: Operation) -> bool:
    return isinstance(operation, Barrier) and operation.kind in WHOLE


def repeats(
    store: MemoryAccess, known: Updates, uniformity: UniformityAnalysis, level: Uniformity
) -> bool:
    """Whether all threads make the same update in place, which changes nothing when it is made
    again.
    """
    loads = known.get(store, frozenset())
    value = unconverted(store.operands[1])
    if loads and loads.isdisjoint(loads_of(value)):  # kept by a comparison, as it is
        return _is_common(value, uniformity, level)
    if not isinstance(value, Operation):
        return False
    if value.opcode is Opcode.SELECT:
        chosen = _chosen(value)
    else:
        chosen = pairs(value) if value.opcode in _ONCE else ()
    return any(is_load(a, loads) and uniformity.of(b) <= level for a, b in chosen)


def is_in_step(store: MemoryAccess, known: Updates, uniformity: UniformityAnalysis) -> bool:
    """Whether lanes that run in step update by one value, made alike of what all find at one place:
    as good as one of them alone. Who counts, by adding what is not read from anywhere, means each.
    """
    loads, value = known.get(store, frozenset()), unconverted(store.operands[1])
    addends = pairs(value) if isinstance(value, Operation) and value.opcode in _SUMS else ()
    counts = any(is_load(a, loads) and not list(loads_of(b)) for a, b in addends)
    return not counts and _is_common(value, uniformity, Uniformity.WARP)


def _is_common(value: Value, uniformity: UniformityAnalysis, level: Uniformity) -> bool:
    """Whether all threads of a level compute a value alike, from what they find at one place."""
    for each in backward_slice(value, through=lambda part: uniformity.of(part) > level):
        if isinstance(each, ObjectAddress):
            common = _OWNED.get(each.object.space, Uniformity.GRID) <= level
        elif uniformity.of(each) <= level:
            common = True
        elif isinstance(each, MemoryAccess):
            common = each.kind is AccessKind.LOAD and not each.volatile
        else:  # arithmetic is as common as what it begins with
            common = isinstance(each, Operation) and each.opcode not in _OWN
        if not common:
            return False
    return True


def is_made_by_all(
    store: MemoryAccess, flow: ControlFlow, uniformity: UniformityAnalysis, *, let_in: bool = False
) -> bool:
    """Whether all threads of a block come to an update of one place with one value, as if each were
    the only one; `let_in`: all that conditions on indices let in, whatever their data are.
    """
    level = Uniformity.BLOCK
    if store.kind is not AccessKind.STORE or uniformity.of(store.address) > level:
        return False
    branches = {edge.branch for edge in flow.controlling_edges(store.block)}
    parting = [each for each in branches if uniformity.of_branch(each) > level]
    if any(not let_in or _asks_data(each) for each in parting):
        return False
    return _is_common(store.operands[1], uniformity, level)


def _asks_data(decision: Block) -> bool:
    """Whether what is decided at the end of a block may depend on more than indices and sizes."""
    return any(
        isinstance(each, Unknown) or (isinstance(each, Operation) and each.opcode in _OWN)
        for each in backward_slice(*decision.terminator.operands)
    )


def sums_onto(store: MemoryAccess, known: Updates) -> bool:
    """Whether an update in place adds to what is there, or takes from it, what does not depend on
    it: what `atomicAdd` does.
    """
    loads, value = known.get(store, frozenset()), unconverted(store.operands[1])
    while isinstance(value, Operation) and value.opcode in _SUMS:
        ways = pairs(value)[: 1 if value.opcode is Opcode.SUB else 2]
        base = (a for a, b in ways if loads.isdisjoint(backward_slice(b)))
        if (found := next(base, None)) is None or loads.isdisjoint(backward_slice(found)):
            return False
        value = unconverted(found)
    return value in loads


def adds_constant(store: MemoryAccess, loads: frozenset[MemoryAccess]) -> bool:
    """Whether an update in place adds or subtracts a number that is the same for everybody."""
    value = unconverted(store.operands[1])
    if not isinstance(value, Operation) or value.opcode not in _SUMS:
        return False
    return any(is_load(a, loads) and isinstance(b, Constant) for a, b in pairs(value))


def compares_with(condition: Value, loads: frozenset[MemoryAccess]) -> bool:
    """Whether a condition compares what an update in place goes on from: whether it is
    worth while.
    """
    if not isinstance(condition, Compare):
        return False
    read = [each for each in map(unconverted, condition.operands) if isinstance(each, MemoryAccess)]
    return any(alike(each.address, load.address) for each in read for load in loads)


def pairs(value: Operation) -> tuple[tuple[Value, Value], tuple[Value, Value]]:
    """Both operands of an update's operation, each with the other one."""
    first, second = value.operands
    return (first, second), (second, first)


def _chosen(value: Operation) -> tuple[tuple[Value, Value], ...]:
    """The two that the lesser or the greater is chosen of: `a < b ? a : b`."""
    condition, first, second = value.operands
    if not isinstance(condition, Compare) or not orders(condition):
        return ()
    names = ValueNumbering()
    compared = {names.of(unconverted(each)) for each in condition.operands}
    arms = {names.of(unconverted(each)) for each in (first, second)}
    return ((first, second), (second, first)) if arms == compared else ()


def is_load(value: Value, loads: frozenset[MemoryAccess]) -> bool:
    """Whether a value is what one of an update's loads found, perhaps converted."""
    return unconverted(value) in loads
