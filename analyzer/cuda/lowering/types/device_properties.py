"""Members of a `cudaDeviceProp` that host code asks for and that are the same on every GPU.

In: an expression such as `properties.maxGridSize[0]`, the scope around it, and how a number is
found. Out: the number; None of others, such as the count of multiprocessors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....source.numbers import whole
from ...names.runtime import DEVICE_PROPERTIES
from ...syntax import nodes
from ...syntax.nodes.c_ast import c_ast

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.scope import Scope
    from .constant_arithmetic import Number


def device_property(
    node: Any, scope: Scope, number: Callable[[Any], Number | None]
) -> Number | None:
    """The number that a member of the properties of a device is on each of them."""
    index = None
    if isinstance(node, c_ast.ArrayRef):
        node, index = node.name, whole(number(node.subscript))
    if not isinstance(node, c_ast.StructRef) or not isinstance(node.name, c_ast.ID):
        return None
    type = getattr(scope.find(node.name.name), "type", None)
    if type is None or type.name not in ("cudaDeviceProp", "struct cudaDeviceProp"):
        return None
    return DEVICE_PROPERTIES.get((nodes.member_name(node), index))
