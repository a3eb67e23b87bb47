"""Structures of which an access uses a part: others use them whole, and only a layout would help.

In: an access to global memory whose lanes touch neighbouring structures, of which nothing close by
uses the rest, and what it would save. Out: whether the kernel elsewhere, or another of the file,
uses whole structures of that type, as positions and masses in one `float4` are, while another
layout would save less than half of the kernel's time. Structures of one type are taken to lie in
arrays that are used alike. Not handled: structures of which many kernels use one part each; files
with more than `_MOST` kernels are looked at in part.
"""

from __future__ import annotations

from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

from ....ir.operations import Opcode, Operation
from ....ir.types import Kind
from ....ir.values import Constant
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.operations import MemoryAccess
    from ....ir.types import Type
    from ...memory_traffic.facts import TrafficFacts
    from ...memory_traffic.global_accesses import GlobalAccess
    from .candidates import LayoutCandidate

_WORTH_IT = 0.5  # of the kernel's time
_WHOLE = 0.5  # of a structure: the rest is padding, or rarely used
_MOST = 16  # kernels of the file


def _serves_others(candidate: LayoutCandidate) -> bool:
    structure = _structure(candidate.access)
    if structure is None or candidate.saved >= _WORTH_IT:
        return False
    facts, part = candidate.facts, candidate.access.width
    others = (each for each in facts.module.kernels if each is not facts.kernel)
    kernels = chain([facts], map(facts.of_kernel, islice(others, _MOST)))
    return any(_uses_whole(each, structure, part) for each in kernels)


def _structure(access: GlobalAccess) -> Type | None:
    """The type of the structures of which neighbouring lanes access neighbouring ones."""
    element = access.object.element if access.object is not None else None
    if element is None or element.kind is not Kind.AGGREGATE or not element.width:
        return None
    active = [(lane, at) for lane, at in enumerate(access.worst.offsets) if at is not None]
    steps = {(b[1] - a[1], (b[0] - a[0]) * element.width) for a, b in pairwise(active)}
    return element if all(moved == wanted for moved, wanted in steps) else None


def _uses_whole(facts: TrafficFacts, structure: Type, part: int) -> bool:
    """Whether a kernel's accesses to such structures touch most bytes of one, and not only such a
    part.
    """
    size = structure.width or 0
    touched: set[int] = set()
    for access in facts.accesses:
        item = facts.points_to.object_of(access)
        if item is not None and item.element == structure:
            start = _member(access) % size
            touched.update(range(start, min(size, start + (access.width or 0))))
    return len(touched) >= max(_WHOLE * size, part + 1)


def _member(access: MemoryAccess) -> int:
    """Where in its structure an access begins: what is added to the address last."""
    address = access.address
    if isinstance(address, Operation) and address.opcode is Opcode.ADD:
        offset = address.operands[1]
        if isinstance(offset, Constant) and isinstance(offset.value, int):
            return offset.value
    return 0


DOUBT = Doubt(
    "layout-serves-others",
    Effect.POSSIBLE,
    "these structures are used whole elsewhere; only another layout helps, and it saves little",
    _serves_others,
)
