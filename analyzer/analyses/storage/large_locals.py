"""What each thread keeps in local memory, by its size: arrays, and structures with arrays in them.

In: the facts of a kernel and a least number of bytes. Out: each variable that is so large and is
sure to live in local memory, with the reason. A structure that the IR holds as a value is decided
by its size alone: with an index that is not a constant, registers would have to hold all of it, and
a thread has 255 of them. Not handled: structures whose arrays are indexed by constants only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...hardware.local_arrays import Residence
from ...ir.memory import Space
from ...source.records import dataclass
from ..pointers.local_arrays import LocalArray, judge
from ..pointers.member_arrays import MemberArrays
from ..pointers.pointees import Pointees

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...source.text import Span
    from ..races.facts import RaceFacts

REGISTERS = 255 * 4  # bytes: the most that a thread can have


@dataclass(frozen=True, slots=True)
class LargeLocal:
    """A variable of a thread that lives in local memory, and why."""

    name: str
    span: Span | None
    size: int
    fate: LocalArray


def large_locals(facts: RaceFacts, least: int) -> Iterator[LargeLocal]:
    """The variables in local memory of so many bytes and more, arrays first."""
    for item in facts.kernel.objects:
        if item.space is Space.LOCAL and item.size is not None and item.size >= least:
            fate = judge(facts, item)
            if fate.residence is Residence.LOCAL:
                yield LargeLocal(item.name, item.span, item.size, fate)
    held = [
        variable
        for variable in facts.kernel.variables
        if variable.space is Space.REGISTER and (variable.size or 0) >= least
    ]
    pointees, members = Pointees(facts) if held else None, MemberArrays(facts) if held else None
    for variable in held:
        assert pointees is not None
        assert members is not None
        index = members.index_into(variable, pointees.values(variable))
        if index is not None and variable.size is not None:
            fate = of_value(index, variable.size)
            if fate.residence is Residence.LOCAL:
                yield LargeLocal(variable.name, variable.span, variable.size, fate)


def of_value(index: str, size: int | None) -> LocalArray:
    """Whether a structure with an array that has this dynamic index lives in local memory, as far
    as is known.
    """
    if size is not None and size > REGISTERS:
        why = f"{index}; its {size} bytes are more than a thread has in registers"
        return LocalArray(Residence.LOCAL, "", None, why)
    why = f"{index}; the compiler's choice for this access pattern was not measured"
    return LocalArray(Residence.UNKNOWN, "", None, why)
