"""Models of library calls: CUB collectives, wmma, asynchronous copies, group algorithms.

In: a function or method name with the places of its arguments. Out: the value, or None when the
library is not modelled. What is modelled is what the analyses need: which threads wait for whom,
what memory is touched, which variables change. Values that a model does not compute are unknown and
may differ between threads. The tables follow the CUB documentation (block- and warp-wide
collectives), the CUDA C++ Programming Guide ("Warp Matrix Functions", "Asynchronous Data Copies")
and libcu++ (cuda::barrier, cuda::pipeline).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....ir import types as ir
from ....ir.memory import MemoryObject, Space
from ....ir.operation_kinds import AccessForm, Function, MbarrierAction, WarpKind
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
from ..model.scope import ClassPlace, FieldPlace, MemoryPlace, PartPlace, Typed, VariablePlace
from ..types import atomic_types
from ..types.library_types import COLLECTIVES, is_collective, is_group, is_of_library
from . import atomic_objects, random_numbers
from .intrinsics import async_copy, commit

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....ir.values import Value
    from ..model.scope import Place
    from ..state.context import Context
_FUNCTORS = frozenset(
    ("plus", "multiplies", "less", "greater", "minimum", "maximum", "bit_and", "bit_or", "bit_xor")
)
_PIECES = 32  # accesses of one copy
_PIPELINE_WAITS = frozenset(("consumer_wait", "producer_acquire"))
_PIPELINE_STEPS = frozenset(("consumer_release", "quit"))
_ARRIVALS = frozenset(("arrive", "arrive_and_drop", "arrive_and_wait", "wait", "wait_parity"))


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
        return _collective(context, type.name, name, places)
    if name == "getPointer" and not places:
        return shared_memory(context, type)
    if is_of_library(type, "pipeline"):
        if name in _PIPELINE_WAITS:
            _wait(context, f"pipeline.{name}()")
            return context.nothing()
        if name == "producer_commit":
            return commit(context, f"pipeline.{name}", [])
        return context.nothing() if name in _PIPELINE_STEPS else None
    if is_of_library(type, "barrier") and name in _ARRIVALS:
        waits = name.endswith(("wait", "wait_parity"))
        barrier = Barrier(
            BarrierKind.MBARRIER,
            f"barrier.{name}()",
            context.builder.location,
            operands=[base.address] if isinstance(base, MemoryPlace) else [],
            arrive=name.startswith("arrive"),
            wait=waits,
            mbarrier=MbarrierAction.ARRIVE if name.startswith("arrive") else MbarrierAction.WAIT,
        )
        context.builder.emit(barrier)
        return context.unknown(ctypes.ULONG, "a barrier token")
    return None


#: Their value is their first argument's: what follows is how it is aligned, or how often it is met.
_SAID_OF_A_VALUE = (
    "__builtin_assume_aligned",
    "__builtin_expect",
    "__builtin_expect_with_probability",
)


def function(context: Context, name: str, qualified: str, places: list[Place]) -> Typed | None:
    """A free function of a modelled library."""
    namespace = qualified.rpartition("::")[0]
    if name == "atomic_thread_fence":
        return atomic_objects.fence(context, name, places)
    if name in _WMMA:
        return None if len(places) < 2 else _WMMA[name](context, places)
    if name in ("memcpy", "memmove", "__builtin_memcpy") and len(places) == 3:
        return _copy(context, places)
    if name in ("memset", "__builtin_memset") and len(places) == 3:
        return _fill(context, places)
    if name in _SAID_OF_A_VALUE and places:
        return context.read(places[0])
    if name.startswith("curand"):
        return random_numbers.draw(context, name, places)
    if name in _FUNCTORS and namespace in (
        "cg",
        "cooperative_groups",
        "thrust",
        "std",
        "cuda::std",
    ):
        return context.unknown(CType(Form.CLASS, name), "a function object", per_thread=False)
    if name == "init" and len(places) > 1:
        return _initialise(context, places)
    if SURFACE_WRITE.match(name):
        context.pure(Function.SHOWN, [context.read(place).value for place in places], ctypes.INT)
        return context.nothing()
    if name in ("memcpy_async", "wait", "wait_prior", "reduce", "invoke_one") and (
        (places and is_group(places[0].type)) or namespace in ("cuda", "cg", "cooperative_groups")
    ):
        return _group_algorithm(context, name, places)
    return None


# ---- memcpy, memset -----------------------------------------------------------------------------


def _pieces(size: Typed, *pointers: Typed) -> list[tuple[int, int | None]]:
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


def _move(
    context: Context, kind: AccessKind, address: Value, width: int | None, *stored: Value
) -> Value:
    held = ir.Type(ir.Kind.AGGREGATE, None if width is None else width * 8, name="bytes")
    access = MemoryAccess(
        kind,
        held if kind is AccessKind.LOAD else ir.VOID,
        [address, *stored],
        context.builder.location,
        width=width,
        element=held,
        form=AccessForm.BYTES,
        name=context.builder.location.span.text[:80],
    )
    return context.builder.emit(access)


def _copy(context: Context, places: list[Place]) -> Typed:
    target, source, size = (context.read(place) for place in places)
    for offset, width in _pieces(size, target, source):
        value = _move(context, AccessKind.LOAD, _at(context, source, offset), width)
        _move(context, AccessKind.STORE, _at(context, target, offset), width, value)
    return target


def _fill(context: Context, places: list[Place]) -> Typed:
    target, value, size = (context.read(place) for place in places)
    for offset, width in _pieces(size, target):
        _move(context, AccessKind.STORE, _at(context, target, offset), width, value.value)
    return target


# ---- CUB ----------------------------------------------------------------------------------------


def _collective(context: Context, type: str, name: str, places: list[Place]) -> Typed:
    inputs = [context.read(place).value for place in places]
    location = context.builder.location
    if COLLECTIVES[type] is BarrierKind.BLOCK:
        context.builder.emit(
            Barrier(BarrierKind.BLOCK, f"cub::{type}::{name}()", location, library=True)
        )
    else:
        context.builder.emit(
            WarpOperation(WarpKind.COLLECTIVE, ir.VOID, inputs, location, name=f"cub.{type}.{name}")
        )
    changed = places if type.endswith(("Sort", "Exchange", "Discontinuity")) else places[1:]
    for place in changed if "Reduce" not in type else ():
        _change(context, place, f"cub::{type}::{name}")
        if isinstance(place, MemoryPlace) and place.type.form is Form.ARRAY:
            changed_by = context.unknown(ctypes.unknown("items"), f"what cub::{type} stores")
            _move(context, AccessKind.STORE, place.address, None, changed_by.value)
    if type.endswith("Scan") and len(places) > 1:
        scanned = places[1]  # an element of an array: what stands behind it may be taken by value
        if isinstance(scanned, MemoryPlace) and scanned.type.is_scalar:
            context.write(scanned, context.unknown(scanned.type, f"the result of cub::{type}"))
    result = places[0].type if places and places[0].type.is_scalar else ctypes.unknown("auto")
    return context.unknown(result, f"the result of cub::{type}::{name}")


def _is_variable(place: Place) -> bool:
    return isinstance(place, VariablePlace | ClassPlace | FieldPlace | PartPlace)


def _change(context: Context, place: Place, by: str) -> None:
    """A variable that a callee may have changed; constants and memory stay as they are."""
    if _is_variable(place):
        context.write(place, context.unknown(place.type, f"changed by {by}"))


# ---- wmma ---------------------------------------------------------------------------------------


def _access_matrix(context: Context, kind: AccessKind, pointer: Typed, *stored: Value) -> None:
    element = pointer.type.element or ctypes.unknown("auto")
    context.builder.emit(
        MemoryAccess(
            kind,
            ir.VOID,
            [pointer.value, *stored],
            context.builder.location,
            element=element.ir(),
            name=context.builder.location.span.text[:80],
        )
    )


def _load_matrix(context: Context, places: list[Place]) -> Typed:
    _access_matrix(context, AccessKind.TILE_LOAD, context.read(places[1]))
    _change(context, places[0], "wmma::load_matrix_sync")
    return context.nothing()


def _store_matrix(context: Context, places: list[Place]) -> Typed:
    pointer, stored = context.read(places[0]), context.read(places[1])
    _access_matrix(context, AccessKind.TILE_STORE, pointer, stored.value)
    return context.nothing()


def _multiply_matrices(context: Context, places: list[Place]) -> Typed:
    factors = [context.read(place).value for place in places[1:4]]
    if _is_variable(places[0]):
        product = context.pure(Function.MATRIX_PRODUCT, factors, places[0].type)
        context.write(places[0], product)
    return context.nothing()


def _set_fragment(context: Context, places: list[Place]) -> Typed:
    _change(context, places[0], "a wmma operation")
    return context.nothing()


_WMMA: dict[str, Callable[[Context, list[Place]], Typed]] = {
    "load_matrix_sync": _load_matrix,
    "store_matrix_sync": _store_matrix,
    "fill_fragment": _set_fragment,
    "mma_sync": _multiply_matrices,
    "bmma_sync": _multiply_matrices,
}


# ---- groups and asynchronous copies -------------------------------------------------------------


def _initialise(context: Context, places: list[Place]) -> Typed | None:
    """`init(&barrier, count)` of a `cuda::barrier`: what `mbarrier.init` is to PTX."""
    pointer = context.read(places[0])
    if not is_of_library(pointer.type.element, "barrier"):
        return None
    count = context.convert(context.read(places[1]), ctypes.ULONG)
    context.builder.emit(
        MemoryAccess(
            AccessKind.STORE,
            ir.VOID,
            [pointer.value, count.value],
            context.builder.location,
            width=8,
            element=ir.UINT64,
            form=AccessForm.MBARRIER_INIT,
            name="mbarrier.init",
        )
    )
    return context.nothing()


def _wait(context: Context, name: str) -> None:
    where = context.builder.location
    context.builder.emit(Barrier(BarrierKind.ASYNC_WAIT, name, where, arrive=False))


def _group_algorithm(context: Context, name: str, places: list[Place]) -> Typed | None:
    group = places[0].type if places and is_group(places[0].type) else ctypes.VOID
    if name == "memcpy_async" and len(places) >= 3:
        first = 1 if is_group(group) else 0
        copied = [context.read(place) for place in places[first : first + 3]]
        async_copy(context, AccessForm.LIBRARY_COPY, copied)
        return context.nothing()
    if name in ("wait", "wait_prior"):
        _wait(context, f"cg::{name}()")
        if is_of_library(group, "thread_block"):
            where = context.builder.location
            barrier = Barrier(BarrierKind.BLOCK, f"cg::{name}()", where, library=True)
            context.builder.emit(barrier)
        return context.nothing()
    if name == "reduce" and len(places) > 1 and not is_of_library(group, "thread_block"):
        value = context.read(places[1])
        mask = context.builder.constant(0xFFFFFFFF, ir.UINT32)
        operation = WarpOperation(
            WarpKind.REDUCE, value.type.ir(), [value.value], context.builder.location, mask
        )
        return Typed(context.builder.emit(operation), value.type)
    return None
