"""Variables that some paths leave unwritten, and shared memory that is only ever updated.

In: a kernel's facts. Out: a use of a variable that has no value where control comes by one path:
`int label; if (x > 1) label = 1; else if (x < -1) label = 2; out = label;`. In SSA that is a phi
with an operand that is undefined. It counts where data, or a thread's index, decides for that path
by an order (`<`, `>`), which leaves numbers over that no condition names, and where every thread
that comes to the phi comes to the use as well; not where no thread of a stated block takes it. An
equality counts where it alone decides, of what is loaded: several may be a `switch` over all cases.
Sizes of the host, the number of iterations of loops, and conditions that decide about the use again
are left out, and so are paths on which nobody comes to the use (`path_values.py`). Also out:
variables without a value that each first iteration of a loop uses (`float best; for (...) if (d <
best) best = d;`), and arrays in shared memory that are read, and written by nothing but atomic
updates, which begin with what was there before.
Not handled: members of classes, arrays of a thread, values that selects may choose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import (
    EQUALITIES,
    INEQUALITIES,
    AccessKind,
    Branch,
    Compare,
    MemoryAccess,
    Opcode,
    Phi,
)
from ...ir.values import Special, SpecialRegister
from ...source.records import dataclass
from ..dataflow.control_flow import ControlEdge
from ..dataflow.path_values import PathValues
from ..dataflow.reachability import reachable
from ..dataflow.slices import backward_slice, loads_in
from ..pointers.memory_model import ATOMIC
from ..warp_evaluation.never_reached import is_never_taken
from .unwritten import (
    decisive,
    escaped,
    given_away,
    is_left_out,
    may_have_written,
    passes_on,
    undefined_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.block import Block
    from ...ir.memory import MemoryObject
    from ...ir.operations import Operation
    from ...ir.values import Value
    from ..dataflow.control_flow import Loop
    from ..races.facts import RaceFacts

_DEPTH = 6  # phis of phis
_THREAD = frozenset({Special.THREAD_X, Special.THREAD_Y, Special.THREAD_Z, Special.LANE})


@dataclass(frozen=True, slots=True)
class PartlyUnwritten:
    """A use of a variable that may have no value, and the branch that leaves it unwritten."""

    use: Operation
    name: str
    branch: Block


@dataclass(frozen=True, slots=True)
class FirstUnwritten:
    """A use in a loop of a variable that has no value in the first iteration."""

    use: Operation
    name: str
    loop: Block  # its header


@dataclass(frozen=True, slots=True)
class OnlyUpdated:
    """The first read, or update, of a shared array that nothing initialises."""

    access: MemoryAccess
    item: MemoryObject


def partly_unwritten(facts: RaceFacts) -> Iterator[PartlyUnwritten]:
    """The first use of each variable that a path leaves without a value."""
    if may_have_written(facts) or facts.kernel.language != "cuda":
        return
    reported: set[str] = set()
    for phi in facts.every(Phi):
        if phi.block in facts.flow.latches:
            continue
        found = _leaving_unwritten(facts, phi)
        if found is None or found[0] in reported:
            continue
        name, branch = found
        use = next(_uses(facts, phi), None)
        if use is not None and not is_left_out(facts, use):
            reported.add(name)
            yield PartlyUnwritten(use, name, branch)


def _leaving_unwritten(facts: RaceFacts, phi: Phi) -> tuple[str, Block] | None:
    """The variable without a value on one path to a phi, and the branch that decides for it."""
    about_phi = set(_decisions(facts, phi.block))
    tangled = {block for each in facts.flow.irreducible_regions for block in each}
    for name, arrivals in _undefined_paths(facts, phi, _DEPTH):
        block, before = next(reversed(arrivals.items()))
        decided = list(_deciding(facts, before, block))
        edges = [each for each in decided if each not in about_phi]
        if _is_excluded(facts, decided, arrivals, tangled):
            continue
        alone = len(edges) == 1 and block is phi.block
        if not edges or not all(_leaves_some_over(facts, each, alone=alone) for each in edges):
            continue
        if not any(_is_never_taken(facts, each) for each in edges):
            return name, edges[0].branch
    return None


def _is_excluded(
    facts: RaceFacts,
    decided: list[ControlEdge],
    arrivals: dict[Block, Block],
    tangled: set[Block],
) -> bool:
    """Whether a path that took some decisions cannot go on by the edges known of it: they, or what
    decides for them, contradict what was decided, or each other; one may contradict all the others
    together, as `!(a <= i && i < b)` does where neither `i < a` nor `i >= b` holds.
    """
    ways = (_deciding(facts, before, block) for block, before in arrivals.items())
    later = dict.fromkeys(edge for edges in ways for edge in edges if edge not in decided)
    known = {block: before for block, before in arrivals.items() if block not in tangled}
    if any(map(PathValues(decided, known).excludes, later)):
        return True
    edges = [*decided, *later]
    if PathValues(edges, known).is_impossible:
        return True
    others = ((each, [other for other in edges if other is not each]) for each in later)
    return any(PathValues(rest, known).excludes(each) for each, rest in others)


def _is_never_taken(facts: RaceFacts, edge: ControlEdge) -> bool:
    """Whether no thread of a block that somebody states goes that way: `if (warp < 32)`."""
    return all(
        each.launch.trusted and not each.launch.guessed and is_never_taken(each, edge)
        for each in facts.launches
    )


def unwritten_at_first(facts: RaceFacts) -> Iterator[FirstUnwritten]:
    """The first use of each variable that gets its first value behind it in the same loop."""
    if may_have_written(facts) or facts.kernel.language != "cuda":
        return
    reported: set[str] = set()
    for loop in facts.flow.loops:
        for phi in loop.header.phis:
            name = _name_before(phi, loop)
            if not name or name in reported or name in set(given_away(facts, {phi: name})):
                continue
            use = next(_uses_at_first(facts, phi, loop), None)
            if use is not None and not is_left_out(facts, use):
                reported.add(name)
                yield FirstUnwritten(use, name, loop.header)


def _name_before(phi: Phi, loop: Loop) -> str:
    """The variable that a loop begins without a value for, if it gets one in the loop."""
    pairs = list(zip(phi.block.predecessors, phi.operands, strict=True))
    names = {undefined_name(value) for before, value in pairs if before not in loop.blocks}
    written = any(
        not undefined_name(value) and value is not phi
        for before, value in pairs
        if before in loop.blocks
    )
    return names.pop() if len(names) == 1 and written else ""


def _uses_at_first(facts: RaceFacts, phi: Phi, loop: Loop) -> Iterator[Operation]:
    """What makes a difference of a header's phi in each iteration, the first one as well."""
    made = _made_of(facts, phi)
    for operation in facts.kernel.operations():
        if operation.block not in loop.blocks or made.isdisjoint(decisive(facts, operation)):
            continue
        edges = facts.flow.controlling_edges(operation.block)
        if all(each.branch not in loop.blocks or each.branch in loop.exits for each in edges):
            yield operation


def _undefined_paths(
    facts: RaceFacts, phi: Phi, depth: int
) -> Iterator[tuple[str, dict[Block, Block]]]:
    """The edges by which nothing comes to a phi, perhaps by another one: `if ... else if ...`. Each
    as where the path comes from to each of these phis, the last one first.
    """
    for before, value in zip(phi.block.predecessors, phi.operands, strict=True):
        name = undefined_name(value)
        if name:
            yield name, {phi.block: before}
        elif isinstance(value, Phi) and depth and value.block not in facts.flow.latches:
            for inner, arrivals in _undefined_paths(facts, value, depth - 1):
                yield inner, {phi.block: before, **arrivals}


def _deciding(facts: RaceFacts, before: Block, block: Block) -> Iterator[ControlEdge]:
    """The decisions for the path that comes from one predecessor, the last one first."""
    if len(before.successors) > 1:
        yield ControlEdge(before, block)
    yield from _decisions(facts, before)


def _decisions(facts: RaceFacts, block: Block) -> list[ControlEdge]:
    """The decisions for a block that are made in the same iteration of its loops, nearest first:
    what a `break` after it decides is about the next one.
    """
    edges = facts.flow.forward_edges
    blocks = reachable([block], lambda each: [edge.branch for edge in edges[each]])
    return list(dict.fromkeys(edge for each in blocks for edge in edges[each]))


def _leaves_some_over(facts: RaceFacts, edge: ControlEdge, *, alone: bool) -> bool:
    """Whether a decision is an order between what data or a thread's index has a part in, or, where
    no other one decides, that what is loaded is not a certain value.
    """
    if edge.branch in {block for loop in facts.flow.loops for block in loop.exits}:
        return False
    last = edge.branch.terminator
    condition = last.operands[0] if last.operands else None
    if not isinstance(last, Branch) or not isinstance(condition, Compare):
        return False
    if condition.opcode in EQUALITIES:
        differs = (edge.target is last.then) is (condition.opcode is Opcode.NE)
        return alone and differs and bool(loads_in(condition))
    return condition.opcode in INEQUALITIES and any(map(_varies, backward_slice(condition)))


def _varies(value: Value) -> bool:
    if isinstance(value, SpecialRegister):
        return value.register in _THREAD
    return isinstance(value, MemoryAccess) and value.kind is AccessKind.LOAD


def _uses(facts: RaceFacts, phi: Phi) -> Iterator[Operation]:
    """What makes a difference of a phi, by itself or through arithmetic, wherever the phi is."""
    about_phi = set(_decisions(facts, phi.block))
    made = _made_of(facts, phi)
    for operation in facts.kernel.operations():
        if made.isdisjoint(decisive(facts, operation)):
            continue
        if about_phi.issuperset(_decisions(facts, operation.block)):
            yield operation


def _made_of(facts: RaceFacts, value: Value) -> set[Value]:
    """A value, and what arithmetic makes of it without another phi."""

    def made(part: Value) -> Iterator[Value]:
        for user in facts.users.get(part, ()):
            chosen = user.opcode is Opcode.SELECT and user.operands[0] is part
            if chosen or (passes_on(user) and not isinstance(user, Phi)):
                yield user

    return set(reachable([value], made))


def only_updated(facts: RaceFacts) -> Iterator[OnlyUpdated]:
    """Shared arrays that are read, and written by atomic updates alone."""
    if facts.kernel.status != "full":
        return
    given_away = escaped(facts, updates=False)
    if None in given_away:
        return
    reported: set[MemoryObject] = set()
    for access in sorted(facts.accesses, key=lambda each: each.kind is not AccessKind.LOAD):
        item = facts.points_to.object_of(access)
        if item is None or item.space is not Space.SHARED or item in given_away | reported:
            continue
        if item.is_known_elsewhere or item.dynamic or not _is_updated(facts, item):
            continue
        if access.kind is AccessKind.LOAD or access.kind is AccessKind.ATOMIC:
            reported.add(item)
            yield OnlyUpdated(access, item)


def _is_updated(facts: RaceFacts, item: MemoryObject) -> bool:
    return any(
        each.kind in ATOMIC and facts.points_to.object_of(each) is item for each in facts.accesses
    )
