"""Structures of which an access uses a part: others use them whole, and only a layout would help.

In: an access to global memory whose lanes touch neighbouring structures, of which nothing close by
uses the rest, and what it would save. Out: whether the kernel elsewhere, or another of the file,
uses whole structures of that type, as positions and masses in one `float4` are, while another
layout would save less than half of the kernel's time; or saves less than a quarter: data of a whole
program are not laid out anew for that. Rows of a few elements that constants name, `p[i][2]`, are
structures, too. Structures of one type are taken to lie in arrays that are used alike. Not handled:
structures of which many kernels use one part each.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...pointers.touched_structures import structure_of
from ..question.doubt import Doubt, Effect

if TYPE_CHECKING:
    from ....ir.types import Type
    from ...memory_traffic.global_accesses import GlobalAccess
    from .candidates import LayoutCandidate

_WORTH_IT = 0.5  # of the kernel's time
_LITTLE = 0.25  # of it: whatever others do
_WHOLE = 0.5  # of a structure: the rest is padding, or rarely used


def _serves_others(candidate: LayoutCandidate) -> bool:
    structure = _structure(candidate.access)
    if structure is None or candidate.saved >= _WORTH_IT:
        return False
    if candidate.saved < _LITTLE:
        return True
    facts = candidate.facts
    whole = max(_WHOLE * (structure.width or 0), candidate.access.width + 1)
    if facts.touched_structures.get(structure, 0) >= whole:
        return True
    return facts.touched_elsewhere.get(structure, 0) >= whole


def _structure(access: GlobalAccess) -> Type | None:
    """The type of the structures of which neighbouring lanes access neighbouring ones: where its
    size is not known, ones that are evenly apart.
    """
    element = structure_of(access.access, access.object)
    active = [(lane, at) for lane, at in enumerate(access.worst.offsets) if at is not None]
    steps = {(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(active)}
    if element is None:
        return access.access.structure if len(steps) == 1 else None
    return element if steps <= {element.width} else None


DOUBT = Doubt(
    "layout-serves-others",
    Effect.POSSIBLE,
    "only another layout helps, which saves little, or these structures are used whole elsewhere",
    _serves_others,
)
