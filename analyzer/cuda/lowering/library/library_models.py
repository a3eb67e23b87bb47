"""Models of library calls: CUB collectives, wmma, copies of memory, group algorithms.

In: a function or method name with the places of its arguments. Out: the value, or None when the
library is not modelled. What is modelled is what the analyses need: which threads wait for whom,
what memory is touched, which variables change. Values that a model does not compute are unknown and
may differ between threads. The tables follow the CUB documentation (block- and warp-wide
collectives) and the CUDA C++ Programming Guide ("Warp Matrix Functions"); asynchronous copies have
a module of their own (`async_copies.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.asynchronous import SizedAccess
from ....ir.memory import MemoryObject, Space
from ....ir.operation_kinds import AccessForm, Function, WarpKind
from ....ir.operations import (
    AccessKind,
    Barrier,
    BarrierKind,
    MemoryAccess,
    Opcode,
    WarpOperation,
)
from ....ir.values import ObjectAddress, whole_number
from ...names.cuda_functions import SURFACE_WRITE
from ..model import ctypes
from ..model.ctypes import CType, Form
from ..model.scope import MemoryPlace, Typed
from ..types import atomic_types
from ..types.library_types import COLLECTIVES, is_collective, is_group, is_of_library
from . import (
    async_copies,
    atomic_objects,
    bulk_copies,
    cooperative_groups,
    matrix_fragments,
    random_numbers,
)

if TYPE_CHECKING:
    from ....ir.values import Value
    from ..model.scope import Place
    from ..state.context import Context
_FUNCTORS = frozenset(
    ("plus", "multiplies", "less", "greater", "minimum", "maximum", "bit_and", "bit_or", "bit_xor")
)
_FUNCTOR_NAMESPACES = frozenset(
    ("cg", "cooperative_groups", "thrust", "std", "cuda", "cuda::std", "cub", "hipcub")
)
_CUB_FUNCTORS = frozenset(
    ("Sum", "Difference", "Division", "Max", "Min", "ArgMax", "ArgMin", "Equality", "Inequality")
)
_PIECES = 32  # accesses of one copy
Pieces = list[tuple[int, int | None]]


def shared_memory(context: Context, type: CType) -> Typed | None:
    """What a `SharedMemory<T>` of NVIDIA's samples (sharedmem.cuh) leads to: `extern __shared__`.

    Only where its definition is not known: it is there for each T alone, under another name.
    """
    if type.form is not Form.UNKNOWN or type.name != "SharedMemory":
        return None
    object = context.dynamic_shared
    if object is None:
        span = context.builder.location.span
        object = MemoryObject(
            "SharedMemory", Space.SHARED, ir.UNKNOWN, None, span=span, dynamic=True
        )
        context.dynamic_shared = object
        context.new_object(object, "declared extern __shared__: sized by the launch", type)
    return Typed(ObjectAddress(ir.POINTER, object), type)


def method(context: Context, base: Place, name: str, places: list[Place]) -> Typed | None:
    """A method of a collective, a `cuda::pipeline`, a `cuda::barrier`, a `SharedMemory`."""
    type = base.type
    if atomic_types.is_atomic(type):
        return atomic_objects.method(context, base, name, places)
    if is_collective(type):
        storage = context.storages.get(context.builder.resolve(context.read(base).value))
        return _collective(context, type.name, name, places, storage)
    if name == "getPointer" and not places:
        return shared_memory(context, type)
    if is_of_library(type, "pipeline"):
        return async_copies.pipeline_method(context, base, name)
    if is_of_library(type, "barrier"):
        return async_copies.barrier_method(context, base, name, places)
    return None


#: Their value is their first argument's: what follows is how it is aligned, or how often it is met.
_SAID_OF_A_VALUE = (
    "__builtin_assume_aligned",
    "__builtin_expect",
    "__builtin_expect_with_probability",
)


def function(
    context: Context, name: str, qualified: str, places: list[Place], explicit: list[Any]
) -> Typed | None:
    """The value of a call of a modelled library's free function."""
    namespace = qualified.rpartition("::")[0]
    if name == "atomic_thread_fence":
        return atomic_objects.fence(context, name, places)
    matrix = matrix_fragments.function(context, name, places)
    if matrix is not None:
        return matrix
    if name in ("memcpy", "memmove", "__builtin_memcpy") and len(places) == 3:
        return _copy(context, places)
    if name in ("memset", "__builtin_memset") and len(places) == 3:
        return _fill(context, places)
    if name in _SAID_OF_A_VALUE and places:
        return context.read(places[0])
    if name.startswith("curand"):
        return random_numbers.draw(context, name, places)
    functors = _CUB_FUNCTORS if namespace in ("cub", "hipcub") else _FUNCTORS
    if name in functors and namespace in _FUNCTOR_NAMESPACES:
        return context.unknown(CType(Form.CLASS, name), "a function object", per_thread=False)
    if name == "init" and len(places) > 1:
        return async_copies.initialise(context, places)
    if SURFACE_WRITE.match(name):
        context.pure(Function.SHOWN, [context.read(place).value for place in places], ctypes.INT)
        return context.nothing()
    bulk = bulk_copies.function(context, name, places, explicit)
    if bulk is not None:
        return bulk
    grouped = bool(places) and is_group(places[0].type)
    if name in ("reduce", "inclusive_scan", "exclusive_scan") and grouped:
        return _reduce(
            context, places, WarpKind.REDUCE if name == "reduce" else WarpKind.COLLECTIVE
        )
    if grouped or namespace.rpartition("::")[2] in ("cuda", "cg", "cooperative_groups"):
        of_groups = grouped and not namespace.endswith("cuda")
        return async_copies.function(context, name, places, explicit, of_groups=of_groups)
    return None


# ---- memcpy, memset -----------------------------------------------------------------------------


def _pieces(size: Typed, *pointers: Typed) -> Pieces:
    """Where each access of a copy begins, and its bytes; one of unknown size where that is open.

    What no single access can move goes by the alignment that the pointers promise.
    """
    number = whole_number(size.value)
    if number is None or number in (1, 2, 4, 8, 16):
        return [(0, number)]
    elements = [pointer.type.element for pointer in pointers]
    aligned = [1 if each is None else each.alignment or 0 for each in elements]
    step = min(aligned)
    if step == 0 or not 0 < number <= _PIECES * step:
        return [(0, None)]
    return [(start, min(step, number - start)) for start in range(0, number, step)]


def _at(context: Context, pointer: Typed, offset: int) -> Value:
    if not offset:
        return pointer.value
    distance = context.builder.constant(offset, ir.INT64)
    return context.builder.compute(Opcode.ADD, ir.POINTER, pointer.value, distance)


def _extent(pointer: Typed, size: Typed, pieces: Pieces) -> tuple[Value, ir.Type] | None:
    """How many bytes are moved where that is computed, or too many for pieces, and what they are
    made of, if that is known: whose elements have a size.
    """
    element = pointer.type.element
    in_pieces = all(width is not None for _, width in pieces)
    if in_pieces or element is None or (element.size or 1) == 1:
        return None
    return size.value, element.ir()


def _move(
    context: Context,
    kind: AccessKind,
    address: Value,
    width: int | None,
    *stored: Value,
    extent: tuple[Value, ir.Type] | None = None,
) -> Value:
    held = ir.Type(ir.Kind.AGGREGATE, None if width is None else width * 8, name="bytes")
    type = held if kind is AccessKind.LOAD else ir.VOID
    operands, where = [address, *stored], context.builder.location
    form, name = AccessForm.BYTES, where.span.excerpt
    if extent is not None:
        count, element = extent
        return context.builder.emit(
            SizedAccess(
                kind, type, operands, where, extent=count, element=element, form=form, name=name
            )
        )
    return context.builder.emit(
        MemoryAccess(kind, type, operands, where, width=width, element=held, form=form, name=name)
    )


def _copy(context: Context, places: list[Place]) -> Typed:
    target, source, size = (context.read(place) for place in places)
    pieces = _pieces(size, target, source)
    read, written = _extent(source, size, pieces), _extent(target, size, pieces)
    for offset, width in pieces:
        value = _move(context, AccessKind.LOAD, _at(context, source, offset), width, extent=read)
        to = _at(context, target, offset)
        _move(context, AccessKind.STORE, to, width, value, extent=written)
    return target


def _fill(context: Context, places: list[Place]) -> Typed:
    target, value, size = (context.read(place) for place in places)
    pieces = _pieces(size, target)
    extent = _extent(target, size, pieces)
    for offset, width in pieces:
        to = _at(context, target, offset)
        _move(context, AccessKind.STORE, to, width, value.value, extent=extent)
    return target


# ---- CUB ----------------------------------------------------------------------------------------


def _collective(
    context: Context, type: str, name: str, places: list[Place], storage: Value | None
) -> Typed:
    inputs = [context.read(place).value for place in places]
    location = context.builder.location
    if COLLECTIVES[type] is BarrierKind.BLOCK:
        if places and places[0].type.is_scalar:
            context.pure(Function.EXCHANGED, inputs[:1], ctypes.INT)
        operands = [] if storage is None else [storage]
        kind, called = BarrierKind.BLOCK, f"cub::{type}::{name}()"
        context.builder.emit(Barrier(kind, called, location, operands=operands, library=True))
    else:
        context.builder.emit(
            WarpOperation(WarpKind.COLLECTIVE, ir.VOID, inputs, location, name=f"cub.{type}.{name}")
        )
    changed = places[1:] if type.endswith("Scan") else places  # others write where they read, too
    for place in changed if "Reduce" not in type else ():
        matrix_fragments.change(context, place, f"cub::{type}::{name}")
        if isinstance(place, MemoryPlace) and place.type.form is Form.ARRAY:
            changed_by = context.unknown(ctypes.unknown("items"), f"what cub::{type} stores")
            _move(context, AccessKind.STORE, place.address, None, changed_by.value)
    if type.endswith("Scan") and len(places) > 1:
        scanned = places[1]  # an element of an array: what stands behind it may be taken by value
        if isinstance(scanned, MemoryPlace) and scanned.type.is_scalar:
            context.write(scanned, context.unknown(scanned.type, f"the result of cub::{type}"))
    result = places[0].type if places and places[0].type.is_scalar else ctypes.unknown("auto")
    return context.unknown(result, f"the result of cub::{type}::{name}")


# ---- groups -------------------------------------------------------------------------------------


def _reduce(context: Context, places: list[Place], kind: WarpKind) -> Typed | None:
    """`cg::reduce(tile, value, function)` and scans."""
    group = places[0].type
    if len(places) < 2 or group.name not in ("thread_block_tile", "coalesced_group"):
        return None
    value = context.read(places[1])
    mask = cooperative_groups.members(context, group)
    where = context.builder.location
    operation = WarpOperation(kind, value.type.ir(), [value.value], where, mask)
    return Typed(context.builder.emit(operation), value.type)
