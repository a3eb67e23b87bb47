"""Where each variable of a kernel lives, as the CUDA manuals tabulate it.

In: the facts of a kernel. Out: one report per variable: its memory, why it is there, its size, what
it may point to, and the row of that memory for the architecture: on or off chip, cached, who may
access it, scope, lifetime (hardware/memory_spaces.toml; CUDA C++ Best Practices Guide, "Device
Memory Spaces"). Arrays and variables with an address are declared in local memory but may end up in
registers: local_arrays.py decides, and where it cannot, the memory is "local or register" with the
properties of local memory. Not handled: registers that run out and are spilled.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...hardware.local_arrays import Residence
from ...hardware.memory_spaces import memory_space
from ...ir.host import HostAccess
from ...ir.host import Residence as HostResidence
from ...ir.memory import Space
from ...source.records import dataclass
from ..pointers.local_arrays import judge
from ..pointers.member_arrays import MemberArrays
from ..pointers.pointees import Pointees
from ..pointers.read_only_path import loaded_objects
from .large_locals import of_value

if TYPE_CHECKING:
    from ...hardware.memory_spaces import MemorySpace
    from ...ir.memory import Variable
    from ...source.text import Span
    from ..pointers.local_arrays import LocalArray
    from ..pointers.pointees import Pointee
    from ..races.facts import RaceFacts

_REFERENCES = {"texref": Space.TEXTURE, "samplerref": Space.TEXTURE, "surfref": Space.SURFACE}


@dataclass(frozen=True, slots=True)
class VariableReport:
    """The memory space of one variable, as a row of a table: where it lives, who reaches it, how
    long.
    """

    name: str
    type: str
    space: str  # a memory of hardware/memory_spaces.toml, or "local or register"
    located: str
    cached: str
    access: str  # by the kernel
    host_access: str
    scope: str
    lifetime: str
    bytes: int | None
    per: str  # what `bytes` counts for: "thread", "block", "grid"
    why: str
    span: Span | None
    points_to: tuple[Pointee, ...] | None = None  # None for what is no pointer
    array: LocalArray | None = None  # for what was declared with an address of its own


def describe(facts: RaceFacts) -> tuple[VariableReport, ...]:
    """In which memory space each variable of a kernel is, in order of declaration."""
    kernel, pointees, members = facts.kernel, Pointees(facts), MemberArrays(facts)
    loaded = {each.item: each.path.value for each in loaded_objects(facts)}
    paths = {
        each.span: loaded[each.pointee] for each in kernel.parameters if each.pointee in loaded
    }
    found = []
    for variable in kernel.variables:
        report = _report(facts, variable, pointees, members)
        setting = _set_by(facts, variable)
        report = replace(report, why=f"{report.why}; {setting}") if setting else report
        path = paths.get(variable.span)
        found.append(replace(report, why=f"{report.why}; {path}") if path else report)
    return tuple(found)


def _report(
    facts: RaceFacts, variable: Variable, pointees: Pointees, members: MemberArrays
) -> VariableReport:
    array = None
    name, why = _space(variable), variable.reason
    if variable.space is Space.LOCAL and variable.object is not None:
        array = judge(facts, variable.object)
    elif variable.space is Space.REGISTER:
        index = members.index_into(variable, pointees.values(variable))
        if index is not None:
            array = of_value(index, variable.size)
    if array is not None:
        name, why = _residence(array)
    row = memory_space(name, facts.options.arch)
    if array is not None and array.residence is Residence.UNKNOWN:
        name = "local or register"
    size, why = _size(facts, variable, why)
    points_to = pointees.of(variable)
    if points_to is not None and variable.space is Space.CONSTANT:
        why += "; only the pointer is constant, and the host sets what it points to"
    return VariableReport(
        variable.name,
        variable.type,
        name,
        row.located,
        row.cached,
        row.access,
        row.host_access,
        row.scope,
        row.lifetime,
        size,
        row.per,
        why if row.available else f"{why}; {_lacking(row, facts)}",
        variable.span,
        points_to,
        array,
    )


def _space(variable: Variable) -> str:
    item = variable.object
    if item is not None and item.managed:
        return "managed"
    if item is not None and item.element.name in _REFERENCES:
        return _REFERENCES[item.element.name].value
    return variable.space.value


def _set_by(facts: RaceFacts, variable: Variable) -> str:
    """Who gives a variable in constant memory its values; nothing for what is no such variable."""
    item = variable.object
    if item is None or item.space is not Space.CONSTANT or item.constant or item.linkage:
        return ""
    if item.initialised:
        return "its values stand where it is declared"
    for event in facts.module.host:
        for argument in () if isinstance(event, HostAccess) else event.arguments:
            named = argument.pointer is not None and argument.pointer.allocation
            if named and named.residence is HostResidence.SYMBOL and named.name == item.name:
                return f"set on line {event.span.line}"
    return "nothing in this file sets it"


def _residence(array: LocalArray) -> tuple[str, str]:
    """The memory whose properties hold, and why; local memory when it is not known."""
    if array.residence is Residence.REGISTERS:
        return "register", array.why
    return "local", array.why


def _size(facts: RaceFacts, variable: Variable, why: str) -> tuple[int | None, str]:
    """The size, which for dynamic shared memory is the launch's, and why."""
    item = variable.object
    if item is None or not item.dynamic:
        return variable.size, why
    sizes = {launch.launch.dynamic_shared for launch in facts.launches}
    if len(sizes) == 1 and None not in sizes:
        (size,) = sizes
        return size, f"{why} ({facts.launches[0].launch.origin})"
    return variable.size, why


def _lacking(row: MemorySpace, facts: RaceFacts) -> str:
    return f"{facts.architecture.name} has no {row.name} memory"
