"""Whether an array that is declared in a kernel will live in registers or in local memory.

In: the facts of a kernel and one of its local objects. Out: where it ends up, how it is indexed,
and why, in words. Registers cannot be indexed, so an array is kept in them when every index is a
constant once the loops are unrolled, or when it is so small that the compiler selects among its
elements instead. How small was measured (hardware/local_arrays.toml); between the measured sizes
the answer is "unknown". PTX is judged the same way, since ptxas does the last part of the work, but
for its loops: those that nvcc left are not taken for unrolled.

Not handled: registers that run out (spills go to local memory whatever the indices), loops that the
compiler leaves as they are though their length is known, objects that hold several arrays in PTX,
what becomes of objects whose addresses an array in registers holds: the answer is "unknown".
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

from ...hardware.local_arrays import Pattern, Residence, patterns, way
from ...ir.memory import Space
from ...ir.operations import Call, MemoryAccess, OpaqueOperation, WarpOperation
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.memory import MemoryObject
    from ...ir.operations import Operation
    from ...source.text import Span
    from ..dataflow.compile_time import Cause
    from ..dataflow.control_flow import Loop
    from .facts import PointerFacts

#: Iterations of one loop up to which indices made of its counter have been seen to become
#: constants.
UNROLLED_ROUNDS = 128
STATIC = "static"  # the pattern of arrays whose every index is a constant after unrolling
_FOLLOWED = (Call, MemoryAccess, OpaqueOperation, WarpOperation)


@dataclass(frozen=True, slots=True)
class LocalArray:
    """Whether an array of a thread will live in registers or in local memory; `pattern` names the
    row of measurements, "" where none applies.
    """

    residence: Residence
    pattern: str
    elements: int | None
    why: str
    span: Span | None = None  # what decides: the index, the call, the loop


@dataclass(slots=True)
class _Uses:
    """How an array is used, counted over unrolled loops."""

    widths: set[int | None] = field(default_factory=set)
    loops: dict[Loop, None] = field(default_factory=dict)  # whose counters are constant indices
    dynamic: list[tuple[MemoryAccess, Cause]] = field(default_factory=list)
    reads: int = 0  # at indices that are not constant
    writes: int = 0
    in_loop: bool = False  # some of these in a loop whose length is not known
    kept: list[Loop] = field(default_factory=list)  # loops that a pragma keeps
    counted: bool = True  # all of these by the counter of such a loop
    table: bool = True  # everything stored in it is known when compiling
    volatile: bool = False


def judge(
    facts: PointerFacts, item: MemoryObject, held: frozenset[MemoryObject] = frozenset()
) -> LocalArray:
    """Whether an array of a thread will live in registers or in local memory; it is asked for those
    `held` by it already.
    """
    escape = next(_escapes(facts, item, held), None)
    if escape is not None:
        return escape
    uses = _uses(facts, item)
    if not uses.widths:
        return LocalArray(Residence.REGISTERS, "", None, "its address is not needed")
    width = next(iter(uses.widths)) if len(uses.widths) == 1 else None
    if facts.kernel.language == "cuda" and width != item.element.width:
        width = None  # members of classes; PTX declares bytes, whatever they hold
    if not uses.dynamic and not uses.kept:
        words = None if item.size is None else math.ceil(item.size / min(width or 4, 4))
        return _static(facts, uses, words)
    return _dynamic(item, uses, width)


# ---- addresses that get away ---------------------------------------------------------------------


def _escapes(
    facts: PointerFacts, item: MemoryObject, held: frozenset[MemoryObject]
) -> Iterator[LocalArray]:
    """The reasons for which an object needs an address, first one first."""
    if item.qualifier:
        text = f"`{item.qualifier}` before its declaration is not defined here"
        yield LocalArray(Residence.UNKNOWN, "", None, text, item.span)
    for operation, place in facts.uses_of_objects.get(item, ()):
        if not isinstance(operation, _FOLLOWED):
            continue
        span = operation.location.span
        line = f"line {span.line}"
        if isinstance(operation, Call):
            text = f"its address is passed to `{operation.callee}` ({line}): {operation.reason}"
            yield LocalArray(Residence.UNKNOWN, "", None, text, span)
        elif not isinstance(operation, MemoryAccess):
            text = f"its address escapes ({line})"
            yield LocalArray(Residence.UNKNOWN, "", None, text, span)
        elif place:
            kept = _is_kept_by_registers(facts, operation, held | {item})
            text = f"its address is stored in {'another array' if kept else 'memory'} ({line})"
            residence = Residence.UNKNOWN if kept else Residence.LOCAL
            yield LocalArray(residence, "passed-on", None, text, span)
        elif _may_point_elsewhere(facts, operation):
            text = f"it is accessed through a pointer that may point elsewhere ({line})"
            yield LocalArray(Residence.LOCAL, "passed-on", None, text, span)
        elif _elsewhere_in_ptx(facts, item, operation):
            text = f"its address is passed to a .func ({line})"
            yield LocalArray(Residence.UNKNOWN, "", None, text, span)
        elif _kept_apart(facts, item, operation):
            text = f"its address is passed to a function declared __noinline__ ({line})"
            yield LocalArray(Residence.LOCAL, "passed-on", None, text, span)
    for unread in facts.kernel.unread:
        if item.name in unread.names:
            where = f"(line {unread.span.line})"
            text = f"it is used in a statement that could not be parsed {where}"
            yield LocalArray(Residence.UNKNOWN, "", None, text, unread.span)


def _may_point_elsewhere(facts: PointerFacts, access: MemoryAccess) -> bool:
    """Whether the object of an access is not settled when compiling: a template argument that is
    not known here is known then, and so is what an `if constexpr` on it selects.
    """
    several = len(facts.points_to.of(access.address)) > 1
    return several and facts.compile_time.cause(access.address) is not None


def _is_kept_by_registers(
    facts: PointerFacts, store: MemoryAccess, held: frozenset[MemoryObject]
) -> bool:
    """Whether a pointer is stored where it need not be in memory: `T *all[] = {&a, &b};`."""
    return all(
        item is not None
        and item.space is Space.LOCAL
        and item not in held
        and judge(facts, item, held).residence is not Residence.LOCAL
        for item in facts.points_to.of(store.address)
    )


def _elsewhere_in_ptx(facts: PointerFacts, item: MemoryObject, access: Operation) -> bool:
    """Whether a kernel's own object is used in a `.func`, which ptxas may not inline."""
    body = facts.kernel.body_span
    own = item.span is not None and body.covers(item.span)
    return facts.kernel.language == "ptx" and own and not body.covers(access.location.span)


def _kept_apart(facts: PointerFacts, item: MemoryObject, access: Operation) -> bool:
    """Whether an access stands in a function that the compiler must not inline."""
    if access.location.inlined_at is None:
        return False
    span = access.location.span
    return any(
        body.covers(span) and not (item.span is not None and body.covers(item.span))
        for body in facts.module.kept_apart
    )


# ---- indices -------------------------------------------------------------------------------------


def _uses(facts: PointerFacts, item: MemoryObject) -> _Uses:
    uses = _Uses()
    known = facts.compile_time
    for access, place in facts.uses_of_objects.get(item, ()):
        if place or not isinstance(access, MemoryAccess):
            continue
        uses.widths.add(access.width)
        uses.volatile |= access.volatile
        if access.writes:
            uses.table &= all(known.cause(value) is None for value in access.operands[1:])
        cause = known.cause(access.address)
        nest = facts.flow.loop_nest(access.block)
        if cause is None:
            for loop in known.counters(access.address):
                if _is_kept(facts, loop):
                    uses.kept.append(loop)
                uses.loops[loop] = None
            continue
        uses.dynamic.append((access, cause))
        iterations = [known.at_most(loop) for loop in nest if not _is_kept(facts, loop)]
        uses.in_loop |= None in iterations or len(iterations) < len(nest)
        # nvcc has cut the loops that it left in PTX into pieces whose counters look otherwise.
        uses.counted &= cause.counter or facts.kernel.language == "ptx"
        times = math.prod(count for count in iterations if count is not None)
        uses.reads += times * access.reads
        uses.writes += times * access.writes
    return uses


def _is_kept(facts: PointerFacts, loop: Loop) -> bool:
    """Whether a pragma keeps a loop from being unrolled as a whole."""
    factor = facts.kernel.unrolling.get(loop.header)
    if not factor:
        return False
    iterations = facts.compile_time.at_most(loop)
    return iterations is None or factor < iterations


def _static(facts: PointerFacts, uses: _Uses, elements: int | None) -> LocalArray:
    """Every index is a constant once the loops are unrolled."""
    row = patterns()[STATIC]
    if not uses.loops:
        why = "every access has a constant index"
    else:
        lines = ", ".join(sorted({_line_of(loop) for loop in uses.loops}, key=int))
        word = "line" if "," not in lines else "lines"
        why = f"every index is constant once the loops over it are unrolled ({word} {lines})"
    iterations = [facts.compile_time.at_most(loop) for loop in uses.loops]
    left = facts.kernel.language == "ptx" and iterations  # loops that nvcc has not unrolled already
    if left or any(count is None or count > UNROLLED_ROUNDS for count in iterations):
        why = (
            "in registers only if every loop over it is unrolled, which makes every index constant"
        )
    elif elements is None:
        why += "; in registers unless it is too large: its size is unknown"
    elif elements > row.registers_up_to:
        why += f"; in registers only if {elements} registers are available"
    else:
        return LocalArray(Residence.REGISTERS, row.name, elements, why)
    return LocalArray(Residence.UNKNOWN, row.name, elements, why)


def _dynamic(item: MemoryObject, uses: _Uses, width: int | None) -> LocalArray:
    """Some index is not a constant: what decides is how often, and how many elements there are."""
    elements = math.ceil(item.size / width) if item.size is not None and width else None
    name = _pattern(uses, width)
    row = patterns().get(name)
    if uses.dynamic:
        access, cause = uses.dynamic[0]
        span = access.location.span
        index = f"an index depends on {cause.text} (line {span.line})"
    else:
        span = uses.kept[0].header.terminator.location.span
        index = f"a pragma prevents unrolling of the loop over it (line {span.line})"
    if row is None or elements is None:
        reason = (
            "its size is unknown"
            if item.size is None
            else "the compiler's choice for this access pattern was not measured"
        )
        return LocalArray(Residence.UNKNOWN, name, elements, f"{index}; {reason}", span)
    residence = row.residence(elements)
    return LocalArray(residence, name, elements, f"{index}; {_limits(row, elements)}", span)


def _limits(row: Pattern, elements: int) -> str:
    seen = (
        f"in registers up to {row.registers_up_to}" if row.registers_up_to else "never in registers"
    )
    local = f", in local memory from {row.local_from}" if row.local_from else ""
    return f"{elements} elements {row.text}: measured {seen}{local}"


def _pattern(uses: _Uses, width: int | None) -> str:
    """The row of measurements for what was counted; the name of none where nothing was measured."""
    if not uses.dynamic:
        return "kept-loop"
    if width is None:
        return ""
    if width in (1, 8):
        return f"{width}-byte"
    name = way(uses.reads, uses.writes, in_loop=uses.in_loop, counted=uses.counted)
    if width != 4:
        return f"{width}-byte-{name}"
    special = f"volatile-{name}" if uses.volatile else f"table-{name}" if uses.table else name
    return special if special in patterns() else name


def _line_of(loop: Loop) -> str:
    return str(loop.header.terminator.location.span.line)
