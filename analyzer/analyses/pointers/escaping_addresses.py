"""Addresses that are kept longer than what lies there.

In: a kernel's facts. Out: stores to global memory of the address of a variable in shared memory,
which lives as long as its block, or in local memory, which lives as long as its thread; accesses to
a variable of a function that has returned. Not handled: addresses in members of classes that are
stored as a whole, addresses as integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import AccessKind, Jump
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import FunctionInfo
    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ...source.location import Location
    from ...source.text import Span
    from .facts import PointerFacts

_POINTER_BITS = 64
_SHORT_LIVED = frozenset({Space.SHARED, Space.LOCAL})


@dataclass(frozen=True, slots=True)
class EscapingAddress:
    """A store of the address of an object that does not live as long as the memory it is
    kept in.
    """

    store: MemoryAccess
    item: MemoryObject


@dataclass(frozen=True, slots=True)
class DanglingAccess:
    """An access to a local variable after the function that declares it has returned."""

    access: MemoryAccess
    item: MemoryObject
    function: FunctionInfo
    returned: Span | None  # the statement that ends the call


def escaping_addresses(facts: PointerFacts) -> Iterator[EscapingAddress]:
    """Stores of addresses in shared or local memory to global memory."""
    points_to = facts.points_to
    for access in facts.accesses:
        if access.kind is not AccessKind.STORE or points_to.spaces(access) != {Space.GLOBAL}:
            continue
        for value in access.operands[1:]:
            if (value.type.bits or 0) < _POINTER_BITS:
                continue  # an address within shared memory, as a number
            targets = points_to.of(value)
            items = [each for each in targets if each is not None]
            if (
                items
                and len(items) == len(targets)
                and all(each.space in _SHORT_LIVED for each in items)
            ):
                yield EscapingAddress(access, items[0])


def dangling_accesses(facts: PointerFacts) -> Iterator[DanglingAccess]:
    """The first access to each local variable from outside of the call that declares it."""
    reported: set[Span] = set()
    for access in facts.accesses:
        item = facts.points_to.object_of(access)
        if item is None or item.space is not Space.LOCAL or item.span is None:
            continue
        home = _innermost(facts, item.span)
        if home is None or item.span in reported or _is_within(access.location, home):
            continue
        if home.span.covers(item.span):
            continue  # a parameter, which the caller writes
        reported.add(item.span)
        yield DanglingAccess(access, item, home, _return_of(facts, home))


def _innermost(facts: PointerFacts, span: Span) -> FunctionInfo | None:
    """The device function whose body declares something; None in a kernel."""
    around = [each for each in facts.module.functions if each.body_span.covers(span)]
    if not around or facts.kernel.body_span.covers(span):
        return None
    return min(around, key=lambda each: each.body_span.end - each.body_span.start)


def _is_within(location: Location, function: FunctionInfo) -> bool:
    places = (location, *location.call_chain())
    return any(function.body_span.covers(each.span) for each in places)


def _return_of(facts: PointerFacts, function: FunctionInfo) -> Span | None:
    """The first jump out of the function's body to what follows a call of it."""
    for block in facts.flow.blocks:
        last = block.operations[-1]
        leaves = any(
            not _is_within(following.location, function)
            for target in block.successors
            for following in target.operations[:1]
        )
        if isinstance(last, Jump) and leaves and function.body_span.covers(last.location.span):
            return last.location.span
    return None
