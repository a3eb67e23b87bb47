"""`cudaLaunchConfig_t`: the grid, block and shared memory that host code puts into a variable.

In: its initialiser, and assignments to its members. Out: a `KnownParts` under flat names
(`gridDim.x`, `dynamicSmemBytes`); what is not known is None. Of `attrs` it is only known that there
are none; `stream` and `numAttrs` are passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....source.numbers import whole
from ...syntax.nodes.c_ast import c_ast
from .values import AXES, known_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ....ir.kernel import PartialDimensions
    from ...lowering.model.ctypes import CType
    from ...lowering.model.scope import KnownParts, Scope
    from ...lowering.types.constant_arithmetic import Number
    from .values import HostValues

_TYPES = frozenset({"cudaLaunchConfig_t", "cudaLaunchConfig_st"})
_GRID, _BLOCK, _SHARED, _ATTRIBUTES = "gridDim", "blockDim", "dynamicSmemBytes", "attrs"
_MEMBERS = (_GRID, _BLOCK, _SHARED)
_AXES = [f"{member}.{axis}" for member in (_GRID, _BLOCK) for axis in AXES]
_NAMES = [*_AXES, _SHARED, _ATTRIBUTES]


def is_configuration(type: CType) -> bool:
    """Whether a host variable of this type says how a kernel is launched: `cudaLaunchConfig_t`."""
    return type.name in _TYPES


def configuration(type: CType, init: Any, values: HostValues, scope: Scope) -> KnownParts:
    """A `cudaLaunchConfig_t` declared: `{}`, `{0}`, `{grid, block, shared}`, `{.gridDim = 4}`."""
    known = known_parts(dict.fromkeys(_NAMES), type)
    items = list(init.exprs or ()) if isinstance(init, c_ast.InitList) else []
    if isinstance(init, c_ast.InitList):
        listed = None if len(items) > len(_MEMBERS) else 0
        known = known_parts({**known.parts, _SHARED: 0, _ATTRIBUTES: listed}, type)
    named = [item for item in items if isinstance(item, c_ast.NamedInitializer)]
    for item in named:
        if item.name:
            known = with_member(known, getattr(item.name[0], "name", ""), item.expr, values, scope)
    if not named and len(items) > 1:
        for member, item in zip(_MEMBERS, items, strict=False):
            known = with_member(known, member, item, values, scope)
    return known


def with_member(
    known: KnownParts, path: str, value: Any, values: HostValues, scope: Scope
) -> KnownParts:
    """A `cudaLaunchConfig_t` or the like of host code after `path = value`; None is not known."""
    written: Iterable[tuple[str, Number | None]] = ()
    if f"{path}.{AXES[0]}" in known.parts:
        triple = values.triple(value, scope) if value is not None else (None, None, None)
        written = ((f"{path}.{axis}", n) for axis, n in zip(AXES, triple, strict=True))
    elif path in known.parts:
        written = ((path, None if value is None else values.number(value, scope)),)
    return known_parts({**known.parts, **dict(written)}, known.type)


def shape(known: KnownParts) -> tuple[PartialDimensions, PartialDimensions, int | None]:
    """Grid, block and bytes of dynamic shared memory that a `cudaLaunchConfig_t` holds."""
    numbers = [whole(known.parts[name]) for name in (*_AXES, _SHARED)]
    return (numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5]), numbers[6]


def may_be_cooperative(known: KnownParts) -> bool:
    """Whether a `cudaLaunchConfig_t` may ask, by attributes, for all blocks to be resident at once:
    they are not read.
    """
    return known.parts[_ATTRIBUTES] != 0
