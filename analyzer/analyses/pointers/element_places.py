"""Which elements of a thread's own array an access comes to, where loops count them.

In: the facts of a kernel, an access whose address is a constant once loops are unrolled. Out: the
bytes from the start of its object, over all iterations of the loops whose counters its index is
made of; None where one of them is not known. Not handled: conditions around the access, which may
leave some of them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ..dataflow.control_flow import Loop
    from .facts import PointerFacts

_MOST_PLACES = 4_096


def counting_loops(facts: PointerFacts, access: MemoryAccess) -> tuple[Loop, ...]:
    """The loops whose counters make the index of an access to a thread's own array, outermost
    first.
    """
    counting = facts.compile_time.counters(access.address)
    return tuple(each for each in facts.flow.loop_nest(access.block)[::-1] if each in counting)


def places_of(facts: PointerFacts, access: MemoryAccess) -> frozenset[int] | None:
    """Which bytes of a thread's own array an access may begin at, where loops count its
    elements.
    """
    known = facts.compile_time
    if known.cause(access.address) is not None:
        return None
    iterations = known.each_iteration(counting_loops(facts, access), _MOST_PLACES)
    places = known.offsets(access.address, iterations)
    found = frozenset(each for each in places if each is not None)
    return found if iterations and None not in places else None
