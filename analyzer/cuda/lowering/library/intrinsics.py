"""CUDA intrinsics → IR: barriers, fences, atomics, warp operations, loads, mathematics.

In: a function name and the places of its arguments. Out: the value, or None for a name that is not
an intrinsic. Two doors: `lower` for names that are CUDA's own and win over user definitions,
`lower_pure` for mathematics that a file may define itself.
Sections follow the CUDA C++ Programming Guide: "Synchronization Functions", "Memory Fence
Functions", "Atomic Functions", "Warp Shuffle Functions", "Warp Vote Functions", "Mathematical
Functions", "Asynchronous Data Copies".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.asynchronous import CHUNKS, CopyBarrier, SizedAccess
from ....ir.barrier_numbers import identified
from ....ir.operation_kinds import AccessForm, CopyStep, Function, MemoryOrder, WarpKind
from ....ir.operations import (
    AccessKind,
    Barrier,
    BarrierKind,
    Exit,
    Fence,
    MemoryAccess,
    Opcode,
    WarpOperation,
)
from ....ir.values import Special, SpecialRegister, whole_number
from ...names import cuda_functions
from ..model import builtin_types, ctypes
from ..model.ctypes import Form
from ..model.scope import MemoryPlace, Typed
from ..types import library_types
from . import cooperative_groups, nv_atomics
from .annotations import state

if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match

    from ....ir.values import Value
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context


def lower(
    context: Context, name: str, qualified: str, places: list[Place], explicit: list[Any]
) -> Typed | None:
    """The value of a CUDA intrinsic that no user function replaces; not of one given too little."""
    if len(places) < cuda_functions.LEAST.get(name, 0):
        return None
    handler = _EXACT.get(name)
    if handler is not None:
        return handler(context, name, [context.read(place) for place in places])
    if name.startswith("atomic") and (match := cuda_functions.ATOMIC.match(name)):
        return _atomic(context, match, places)
    if name.startswith("__nv_atomic_"):
        return nv_atomics.lower(context, name, places)
    if name.startswith("__"):
        return _reserved(context, name, [context.read(place) for place in places])
    if qualified.startswith(("cg::", "cooperative_groups::")) or name in (
        "this_thread_block",
        "tiled_partition",
        "coalesced_threads",
        "this_grid",
        "this_cluster",
    ):
        return _group(context, name, places, explicit)
    by_argument = name in ("sync", "synchronize") and places
    if by_argument and library_types.is_group(places[0].type):
        return _group(context, name, places, explicit)
    return None


def lower_pure(context: Context, name: str, qualified: str, places: list[Place]) -> Typed | None:
    """The value of a CUDA function of its arguments alone: mathematics, vector constructors."""
    match = cuda_functions.MAKE.match(name)
    if match is not None and match.group(1) in builtin_types.BUILTIN:
        values = [context.read(place) for place in places]
        return context.aggregate(builtin_types.BUILTIN[match.group(1)], values)
    match = cuda_functions.WITH_SUFFIX.match(name)
    if match is not None and len(places) == 1:
        long, unsigned = match.group(2) in ("64", "MAX"), bool(match.group(1))
        signed = ctypes.LONG if long else ctypes.INT
        type = (ctypes.ULONG if long else ctypes.UINT) if unsigned else signed
        return context.convert(context.read(places[0]), type)
    if name in ("min", "max", "umin", "umax", "llmin", "llmax") and len(places) == 2:
        return _extremum(context, name, [context.read(place) for place in places])
    if name in cuda_functions.CONSTANT_EVALUATED and not places:
        return context.constant(0, ctypes.BOOL)
    if name in cuda_functions.TRAILING_ZEROS and len(places) == 1:
        return _trailing_zeros(context, name, context.read(places[0]))
    if cuda_functions.is_arithmetic(name):
        values = [context.read(place) for place in places]
        return _mathematics(context, name, values)
    if cuda_functions.TEXTURE.match(name):
        return _texture(context, [context.read(place) for place in places])
    return None


def _texture(context: Context, values: list[Typed]) -> Typed:
    """A read of a texture or surface: its value, or nothing where it goes to `values[0]`."""
    values = values[:1] + [
        context.convert(value, ctypes.FLOAT) if value.type.form is Form.FLOAT else value
        for value in values[1:]
    ]
    element = values[0].type.element if values else None
    if element is None or values[0].type.form is not Form.POINTER:
        return _known(context, Function.TEXTURE, values, ctypes.unknown("auto"))
    read = context.unknown(element, "read from a texture or a surface")
    context.write(MemoryPlace(values[0].value, element), read)
    return context.nothing()


def pure(context: Context, name: str, values: list[Typed], type: CType) -> Typed:
    """The value of a function of CUDA's, of its operands alone."""
    function = cuda_functions.FUNCTIONS.get(name, Function.OTHER)
    return context.named(name, [value.value for value in values], type, function)


def _known(context: Context, function: Function, values: list[Typed], type: CType) -> Typed:
    return context.pure(function, [value.value for value in values], type)


# ---- barriers, fences, ends ----------------------------------------------------------------------


def _syncthreads(context: Context, name: str, values: list[Typed]) -> Typed:
    vote = cuda_functions.BLOCK_VOTES.get(name, "")
    predicate = [context.truth(values[0])] if vote and values else []
    barrier = Barrier(
        BarrierKind.BLOCK,
        f"{name}()",
        context.builder.location,
        type=ir.INT32 if vote else ir.VOID,
        operands=list(predicate),
        vote=vote,
    )
    return Typed(context.builder.emit(barrier), ctypes.INT if vote else ctypes.VOID)


def _syncwarp(context: Context, name: str, values: list[Typed]) -> Typed:
    mask: list[Value] = [value.value for value in values] or [
        context.builder.constant(0xFFFFFFFF, ir.UINT32)
    ]
    context.builder.emit(
        Barrier(BarrierKind.WARP, f"{name}()", context.builder.location, operands=mask)
    )
    return context.nothing()


def _named_barrier(context: Context, name: str, values: list[Typed]) -> Typed:
    """`__barrier_sync(number)`, `__barrier_sync_count(number, threads)`."""
    numbers = [context.convert(value, ctypes.UINT).value for value in values[:2]]
    count = numbers[1] if len(numbers) > 1 else None
    kind, number = identified(numbers[0] if numbers else None, count)
    where = context.builder.location
    context.builder.emit(Barrier(kind, f"{name}()", where, identifier=number, count=count))
    return context.nothing()


def _fence(context: Context, name: str, values: list[Typed]) -> Typed:
    context.builder.emit(Fence(name, cuda_functions.FENCES[name], context.builder.location))
    return context.nothing()


def _nothing(context: Context, name: str, values: list[Typed]) -> Typed:
    return context.constant(0)


def _shown(context: Context, name: str, values: list[Typed]) -> Typed:
    """What is shown is read there, whatever else becomes of it."""
    shown = Function.PRINTED if name == "printf" else Function.SHOWN
    _known(context, shown, values, ctypes.INT)
    return context.constant(0)


def _state(context: Context, name: str, values: list[Typed]) -> Typed:
    """`assert`, `__builtin_assume`: they say something of the parameters."""
    if values:
        state(context, values[0])
    return context.constant(0) if name != "assert" else _shown(context, name, values[:1])


def _end(context: Context, name: str, values: list[Typed]) -> Typed:
    context.builder.terminate(Exit(name, context.builder.location))
    return context.nothing()


def _wait(context: Context, name: str, values: list[Typed]) -> Typed:
    left = values[0].value if values else None
    where = context.builder.location
    context.builder.emit(CopyBarrier(CopyStep.WAIT, f"{name}()", where, left=left))
    return context.nothing()


def _commit(context: Context, name: str, values: list[Typed]) -> Typed:
    """The copies so far are a group that can be waited for."""
    where = context.builder.location
    context.builder.emit(CopyBarrier(CopyStep.COMMIT, f"{name}()", where))
    return context.nothing()


# ---- memory -------------------------------------------------------------------------------------


def _load(context: Context, name: str, values: list[Typed]) -> Typed:
    element = values[0].type.element or ctypes.unknown("auto")
    loaded = context.read(MemoryPlace(values[0].value, element))
    if isinstance(loaded.value, MemoryAccess):
        read_only = name in cuda_functions.READ_ONLY_LOADS
        loaded.value.form = AccessForm.READ_ONLY if read_only else AccessForm.CACHED
    return loaded


def _store(context: Context, name: str, values: list[Typed]) -> Typed:
    element = values[0].type.element or values[1].type
    context.write(MemoryPlace(values[0].value, element), values[1])
    return context.nothing()


def _pipeline_copy(context: Context, name: str, values: list[Typed]) -> Typed:
    """`__pipeline_memcpy_async`: destination, source, bytes, which should be 4, 8 or 16."""
    destination, source, count = values[:3]
    width = whole_number(count.value)
    whole = partial(MemoryAccess, width=width)
    made = whole if width in CHUNKS else partial(SizedAccess, extent=count.value)
    context.builder.emit(
        made(
            AccessKind.ASYNC_COPY,
            ir.VOID,
            [destination.value, source.value],
            context.builder.location,
            element=(destination.type.element or ctypes.CHAR).ir(),
            form=AccessForm.COPY,
            name=context.builder.location.span.excerpt,
        )
    )
    return context.nothing()


def _atomic(context: Context, match: Match[str], places: list[Place]) -> Typed | None:
    values = [context.read(place) for place in places]
    if len(values) < 2:
        return None
    element = values[0].type.element or values[1].type
    operands = [values[0].value, *(context.convert(v, element).value for v in values[1:])]
    scope = {"_block": "block", "_system": "system"}.get(match.group(2) or "", "device")
    operation = MemoryAccess(
        AccessKind.ATOMIC,
        element.ir(),
        operands,
        context.builder.location,
        width=element.size,
        element=element.ir(),
        atomic=match.group(1).lower(),
        scope=scope,
        order=MemoryOrder.RELAXED,
        name=context.builder.location.span.excerpt,
    )
    return Typed(context.builder.emit(operation), element)


# ---- warps --------------------------------------------------------------------------------------


def _reserved(context: Context, name: str, values: list[Typed]) -> Typed | None:
    plain = name.removesuffix("_sync")
    masked = plain != name
    shuffle, vote = cuda_functions.WARP_SHUFFLES.get(plain), cuda_functions.WARP_VOTES.get(plain)
    if (shuffle or vote) and not masked and context.program.device_functions(name):
        return None  # gone since CUDA 9: the file has its own
    if shuffle is not None:
        mask = values.pop(0).value if masked and len(values) > 2 else None
        return _warp(context, shuffle, values[0].type, values, mask) if values else None
    if vote is not None:
        mask = values.pop(0).value if masked and values else None
        predicate = [Typed(context.truth(value), ctypes.BOOL) for value in values]
        type = ctypes.UINT if vote is WarpKind.VOTE_BALLOT else ctypes.INT
        return _warp(context, vote, type, predicate, mask)
    if name in cuda_functions.WARP_MATCHES and values:
        return _warp(
            context, cuda_functions.WARP_MATCHES[name], ctypes.UINT, values[1:2], values[0].value
        )
    if name in cuda_functions.WARP_REDUCTIONS and values:
        return _warp(
            context,
            cuda_functions.WARP_REDUCTIONS[name],
            values[-1].type,
            values[1:2],
            values[0].value,
        )
    return None


def _warp(
    context: Context, kind: WarpKind, type: CType, values: list[Typed], mask: Value | None
) -> Typed:
    operands, where = [value.value for value in values], context.builder.location
    operation = WarpOperation(kind, type.ir(), operands, where, mask)
    return Typed(context.builder.emit(operation), type)


def _activemask(context: Context, name: str, values: list[Typed]) -> Typed:
    return _warp(context, WarpKind.ACTIVE_MASK, ctypes.UINT, [], None)


def _lane_register(context: Context, name: str, values: list[Typed]) -> Typed:
    register = SpecialRegister(ir.UINT32, Special.LANE if "lane" in name else Special.WARP)
    return Typed(register, ctypes.UINT)


def _group(context: Context, name: str, places: list[Place], explicit: list[Any]) -> Typed | None:
    size = context.first_integer(explicit)
    if not explicit and name == "tiled_partition" and len(places) > 1:
        size = whole_number(context.read(places[1]).value)
    return cooperative_groups.make(context, name, places, size)


# ---- mathematics -----------------------------------------------------------------------------


def _extremum(context: Context, name: str, values: list[Typed]) -> Typed:
    common = ctypes.arithmetic(values[0].type, values[1].type)
    if common.form is Form.UNKNOWN:
        return pure(context, name, values, common)
    opcode = Opcode.MIN if "min" in name else Opcode.MAX
    operands = [context.convert(value, common).value for value in values]
    return Typed(context.builder.compute(opcode, common.ir(), *operands), common)


def _is_mixed(values: list[Typed]) -> bool:
    """Whether arguments make C++ take the overload for double ([cmath.syn]): an integer counts as
    one, and so does a double beside a float.
    """
    types = [value.type for value in values]
    if not all(type.form in (Form.FLOAT, Form.INTEGER, Form.BOOL) for type in types):
        return False
    return len({type.name for type in types}) > 1 and all(
        type.form is not Form.FLOAT or type.size in (4, 8) for type in types
    )


def _trailing_zeros(context: Context, name: str, value: Typed) -> Typed:
    """Where the lowest bit is that is set; of 0 it says nothing."""
    first = _mathematics(context, f"__ffs{'ll' if name[-1] == 'l' else ''}", [value])
    less = context.builder.compute(Opcode.SUB, ir.INT32, first.value, context.constant(1).value)
    return Typed(less, ctypes.INT)


def _mathematics(context: Context, name: str, values: list[Typed]) -> Typed:
    if name in ("abs", "labs", "llabs") and values and values[0].type.form is Form.INTEGER:
        type = ctypes.promoted(values[0].type)
        value = context.convert(values[0], type).value
        return Typed(context.builder.compute(Opcode.ABS, type.ir(), value), type)
    if name in cuda_functions.OF_BITS and len(values) == 1 and values[0].type.is_scalar:
        size = 8 if name[-1] == "l" else 4
        if values[0].type.size != size:
            values = [context.convert(values[0], ctypes.LONG if size == 8 else ctypes.INT)]
    type = values[0].type if values else ctypes.FLOAT
    result = cuda_functions.result_of(name)
    of_float = cuda_functions.is_of_float(name)
    if of_float:
        values = [context.convert(v, ctypes.FLOAT) if v.type.is_scalar else v for v in values]
    if result is not None:
        type = builtin_types.SCALARS.get(result) or builtin_types.BUILTIN[result]
    elif of_float:
        type = ctypes.FLOAT
    elif name in cuda_functions.OVERLOADED and _is_mixed(values):
        type = ctypes.DOUBLE
        values = [context.convert(value, type) for value in values]
    elif type.form in (Form.INTEGER, Form.BOOL) and cuda_functions.is_mathematical(name):
        type = ctypes.DOUBLE
    return pure(context, name, values, type)


def _multiply(context: Context, name: str, values: list[Typed]) -> Typed:
    type = ctypes.UINT if "u" in name[2:] else ctypes.INT
    operands = [context.convert(value, type).value for value in values]
    opcode = Opcode.MUL_HIGH if "hi" in name else Opcode.MUL
    return Typed(context.builder.compute(opcode, type.ir(), *operands), type)


def _address(context: Context, name: str, values: list[Typed]) -> Typed:
    """The address keeps its value: what it points to is found by following it back."""
    return Typed(values[0].value, ctypes.ULONG)


_EXACT: dict[str, Callable[[Context, str, list[Typed]], Typed]] = {
    "__syncthreads": _syncthreads,
    **dict.fromkeys(cuda_functions.BLOCK_VOTES, _syncthreads),
    "__syncwarp": _syncwarp,
    **dict.fromkeys(("__barrier_sync", "__barrier_sync_count"), _named_barrier),
    **dict.fromkeys(cuda_functions.FENCES, _fence),
    **dict.fromkeys(cuda_functions.LOADS, _load),
    **dict.fromkeys(cuda_functions.STORES, _store),
    **dict.fromkeys(cuda_functions.IGNORED, _nothing),
    **dict.fromkeys(("printf", "__assertfail", "__assert_fail"), _shown),
    **dict.fromkeys(("assert", "__builtin_assume"), _state),
    **dict.fromkeys(cuda_functions.ENDS, _end),
    "__pipeline_memcpy_async": _pipeline_copy,
    "__pipeline_commit": _commit,
    "__pipeline_wait_prior": _wait,
    "__activemask": _activemask,
    **dict.fromkeys(cuda_functions.PRODUCTS, _multiply),
    **dict.fromkeys(("__nv_get_lane_id", "get_lane_id"), _lane_register),
    **dict.fromkeys(cuda_functions.CASTS, _address),
}
