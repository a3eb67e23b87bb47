"""Which loads go by the read-only path of the texture cache: `ld.global.nc`.

In: a kernel's facts. Out: for each object in global memory that the kernel loads from, how: by an
instruction that asks for the path, by the compiler's choice, or plainly, and why. The compiler
chooses it for what a pointer parameter leads to where nothing in the kernel can write there: no
store goes through that pointer, and the parameter or every pointer that is stored through is
`__restrict__`. Measured with nvcc 13.0: `const` decides nothing, and `__restrict__` on either side
is enough. PTX says itself which path it takes. Not handled: pointers in members, whose
`__restrict__` is not kept, and volatile loads.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operation_kinds import AccessForm
from ...ir.operations import AccessKind
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from .facts import PointerFacts


class LoadPath(Enum):
    """Whether loads of an object go by the read-only path (`ld.global.nc`) and why, in words that
    follow its name.
    """

    ASKED = "loaded by instructions that ask for the read-only path"
    CHOSEN = "loads use the read-only path (ld.global.nc)"
    WRITTEN = "written by the kernel: no read-only path"
    PLAIN = "loaded by ld.global, which is not the read-only path"
    MAY_ALIAS = "loads do not use the read-only path: no `__restrict__`, a store may change it"
    UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class LoadedObject:
    """The object that a pointer parameter leads to, its plain loads, and the store that may change
    it.
    """

    item: MemoryObject
    path: LoadPath
    loads: tuple[MemoryAccess, ...]
    store: MemoryAccess | None = None


def loaded_objects(facts: PointerFacts) -> tuple[LoadedObject, ...]:
    """The objects of pointer parameters that the kernel loads from, and by which path, in program
    order.
    """
    loads: dict[MemoryObject, list[MemoryAccess]] = {}
    for access in facts.accesses:
        item = facts.points_to.object_of(access)
        if item is None or not item.pointee or access.volatile:
            continue
        if access.kind is AccessKind.LOAD:
            loads.setdefault(item, []).append(access)
    return tuple(_loaded(facts, item, found) for item, found in loads.items())


def _loaded(facts: PointerFacts, item: MemoryObject, loads: Iterable[MemoryAccess]) -> LoadedObject:
    plain = tuple(each for each in loads if each.form is AccessForm.PLAIN)
    if item.space is not Space.GLOBAL or facts.writers.get(None):
        return LoadedObject(item, LoadPath.UNKNOWN, plain)
    if facts.writers.get(item):
        return LoadedObject(item, LoadPath.WRITTEN, plain)
    if not plain:
        return LoadedObject(item, LoadPath.ASKED, plain)
    if facts.module.language == "ptx":
        return LoadedObject(item, LoadPath.PLAIN, plain)
    written = [each for each in facts.writers if each is not None and each.space is Space.GLOBAL]
    others = [access for each in written if not each.restrict for access in facts.writers[each]]
    if item.restrict or (written and not others):
        return LoadedObject(item, LoadPath.CHOSEN, plain)
    if not others:
        return LoadedObject(item, LoadPath.PLAIN, plain)
    return LoadedObject(item, LoadPath.MAY_ALIAS, plain, others[0])
