"""Whether it matters that an expression is evaluated only where a condition says so.

In: an expression in the scope of a kernel. Out: True where it has effects, or reads memory that
threads share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir.memory import Space
from ....ir.values import ObjectAddress
from ...syntax import nodes
from ..model.ctypes import Form
from ..model.scope import MemoryPlace
from ..program.effects import has_effects

if TYPE_CHECKING:
    from ..state.context import Context

_SHARED = frozenset({Space.SHARED, Space.GLOBAL})


def is_guarded(context: Context, node: Any) -> bool:
    """Whether it matters that an expression is evaluated only where a condition says so."""
    if has_effects(node):
        return True
    return any(_is_load(context, name) for name in nodes.identifiers(node))


def _is_load(context: Context, name: str) -> bool:
    """Whether a name is a variable in memory that threads share; an array's is its address."""
    place = context.scope.find(name)
    if not isinstance(place, MemoryPlace) or place.type.form is Form.ARRAY:
        return False
    address = place.address
    return isinstance(address, ObjectAddress) and address.object.space in _SHARED
