"""How members are aligned in classes that are packed.

In: what `#pragma pack` and attributes say of a class, and its members. Out: the alignment of each
member there, None where it is not known or compilers differ: nvcc lays classes out for the device
and leaves the host to its compiler. What both do was measured (`bench/layouts.py`): the pragma
limits the alignment of every type; an attribute takes it from members of all types but classes that
C does not have (with a base or a constructor), which keep theirs.

Not handled: bit-fields, members whose own alignment is beyond the pragma's, private members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...syntax import nodes
from ..model.ctypes import Form
from ..model.scope import ClassScope

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ..model.ctypes import CType


def packed_alignments(
    members: Iterable[tuple[str, CType, int | None]],
    stated: Iterable[Any],
    limits: Iterable[int],
    alone: Collection[int],
    bits: Collection[int],
) -> dict[int, int | None]:
    """The alignment of each member, by index, of a class that is packed; nothing of others.

    `stated` are the alignments in the class's head, `limits` those of the pragma among them,
    `alone` the members that an attribute of their own packs, `bits` the bit-fields.
    """
    limit = min(limits, default=None)
    whole = any(isinstance(each, nodes.Packing) and each.limit is None for each in stated)
    if limit is None and not whole and not alone:
        return {}
    found: dict[int, int | None] = {}
    for index, (_, type, own) in enumerate(members):
        packed = index in alone or (whole and is_plain(type))
        natural = type.alignment or 1
        limited = natural if limit is None else min(natural, limit)
        beyond = limit is not None and own is not None and own > limit
        if beyond or (index in bits and (packed or limited < natural)):
            found[index] = None
        elif packed:
            found[index] = own or 1
        else:
            found[index] = None if whole and limited > 1 else max(own or 1, limited)
    return found


def is_plain(type: CType) -> bool:
    """Whether C has such a type as well."""
    if type.form is Form.ARRAY and type.element is not None and type.origin is None:
        return is_plain(type.element)
    if type.form is not Form.CLASS or type.origin is None:
        return type.size is not None
    origin = type.origin
    if not isinstance(origin, ClassScope) or origin.bases or origin.definition.key == "class":
        return False
    own = origin.definition.members or ()
    functions = any(isinstance(member, nodes.Function) for member in own)
    return not functions and all(is_plain(member.type) for member in type.members)
