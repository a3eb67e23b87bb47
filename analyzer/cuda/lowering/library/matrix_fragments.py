"""The warp matrix functions `wmma::load_matrix_sync`, `store_matrix_sync`, `mma_sync`.

In: the places of a call's arguments. Out: accesses to tiles, whose lines are known where the shape
of the fragment, the layout and the distance of the lines are constants; products of matrices; new
values of fragments. Follows the CUDA C++ Programming Guide, "Warp Matrix Functions".
Not handled: elements smaller than a byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.operation_kinds import AccessKind, Function
from ....ir.operations import MemoryAccess
from ....ir.tiles import Lines, TileAccess
from ....ir.values import whole_number
from ..model import ctypes
from ..model.scope import (
    ClassPlace,
    FieldPlace,
    LibraryClass,
    MemoryPlace,
    PartPlace,
    Typed,
    VariablePlace,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model.ctypes import CType
    from ..model.scope import Fragment, Place
    from ..state.context import Context

COLUMN_MAJOR = 1  # of `layout_t`


def function(context: Context, name: str, places: list[Place]) -> Typed | None:
    """The value of a call of a warp matrix function (`wmma`); None for any other."""
    handler = _FUNCTIONS.get(name)
    return None if handler is None or len(places) < 2 else handler(context, places)


def is_variable(place: Place) -> bool:
    """Whether a library call may change what a place holds without an access to memory."""
    return isinstance(place, VariablePlace | ClassPlace | FieldPlace | PartPlace)


def change(context: Context, place: Place, by: str) -> None:
    """Forget a variable in registers that a callee may have changed; constants and memory stay."""
    if is_variable(place):
        context.write(place, context.unknown(place.type, f"changed by {by}"))


def _load(context: Context, places: list[Place]) -> Typed:
    loaded = _access(context, AccessKind.TILE_LOAD, places[1], places[0], places[2:])
    if loaded.type is ir.VOID:
        change(context, places[0], "wmma::load_matrix_sync")
    else:
        context.write(places[0], Typed(loaded, places[0].type))
    return context.nothing()


def _store(context: Context, places: list[Place]) -> Typed:
    _access(context, AccessKind.TILE_STORE, places[0], places[1], places[2:])
    return context.nothing()


def _access(
    context: Context, kind: AccessKind, to: Place, fragment: Place, rest: list[Place]
) -> MemoryAccess:
    """A tile in memory; `rest` is the distance of its lines, in elements, and the layout."""
    pointer = context.read(to)
    element = pointer.type.element or ctypes.unknown("auto")
    stored = [context.read(fragment).value] if kind is AccessKind.TILE_STORE else []
    numbers = [whole_number(context.read(place).value) for place in rest]
    operands = [pointer.value, *stored]
    where, name = context.builder.location, context.builder.location.span.excerpt
    shape = _fragment(fragment.type)
    lines = None if shape is None else _lines(shape, element, [*numbers, None, None])
    result = _registers(shape) if kind is AccessKind.TILE_LOAD else ir.VOID
    made: MemoryAccess
    if shape is None or lines is None:
        made = MemoryAccess(kind, result, operands, where, element=element.ir(), name=name)
    else:
        words = f"{shape.use} {shape.rows}x{shape.columns} {lines.count}"
        made = TileAccess(
            kind, operands, where, lines, words, type=result, element=element.ir(), name=name
        )
    context.builder.emit(made)
    return made


def _registers(shape: Fragment | None) -> ir.Type:
    """What a load fills of a fragment, as far as that is known."""
    if shape is None or not shape.registers:
        return ir.VOID
    return ir.Type(ir.Kind.AGGREGATE, 32 * shape.registers, name="fragment")


def _fragment(type: CType) -> Fragment | None:
    origin = type.origin
    return origin.fragment if isinstance(origin, LibraryClass) else None


def _lines(shape: Fragment, element: CType, given: list[int | None]) -> Lines | None:
    """The lines of a tile: rows, or columns where those are contiguous."""
    pitch, layout = given[:2]
    by_rows = shape.row_major
    if by_rows is None:
        by_rows = None if layout is None else layout != COLUMN_MAJOR
    if by_rows is None or pitch is None or pitch <= 0 or not element.size:
        return None
    count, length = shape.rows, shape.columns
    if not by_rows:
        count, length = length, count
    return Lines(count, length * element.size, pitch * element.size)


def _multiply(context: Context, places: list[Place]) -> Typed:
    factors = [context.read(place).value for place in places[1:4]]
    if _is_written(places[0]):
        product = context.pure(Function.MATRIX_PRODUCT, factors, places[0].type)
        context.write(places[0], product)
    return context.nothing()


def _set(context: Context, places: list[Place]) -> Typed:
    if _is_written(places[0]):
        value = context.unknown(places[0].type, "changed by a wmma operation")
        context.write(places[0], value)
    return context.nothing()


def _is_written(place: Place) -> bool:
    """Whether a fragment is kept where it is written: in memory, if its size is known."""
    return is_variable(place) or (isinstance(place, MemoryPlace) and place.type.size is not None)


_FUNCTIONS: dict[str, Callable[[Context, list[Place]], Typed]] = {
    "load_matrix_sync": _load,
    "store_matrix_sync": _store,
    "fill_fragment": _set,
    "mma_sync": _multiply,
    "bmma_sync": _multiply,
}
