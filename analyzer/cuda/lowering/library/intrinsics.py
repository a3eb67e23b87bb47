"""CUDA intrinsics → IR: barriers, fences, atomics, warp operations, loads, mathematics.

In: a function name and the places of its arguments. Out: the value, or None for a name that is not
an intrinsic. Two doors: `lower` for names that are CUDA's own and win over user definitions,
`lower_pure` for mathematics that a file may define itself.
Sections follow the CUDA C++ Programming Guide: "Synchronization Functions", "Memory Fence
Functions", "Atomic Functions", "Warp Shuffle Functions", "Warp Vote Functions", "Mathematical
Functions", "Asynchronous Data Copies".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ....ir import types as ir
from ....ir.barrier_numbers import identified
from ....ir.operations import (
    SHOWN,
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
from ..model import ctypes
from ..model.ctypes import Form
from ..model.scope import MemoryPlace, Typed
from ..types import constants, library_types
from . import cooperative_groups
from .annotations import state

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....ir.values import Value
    from ..model.ctypes import CType
    from ..model.scope import Place
    from ..state.context import Context

_FENCES = {
    "__threadfence": "device",
    "__threadfence_block": "block",
    "__threadfence_system": "system",
}
_VOTES = {"__syncthreads_and": "and", "__syncthreads_or": "or", "__syncthreads_count": "popc"}
_LOADS = ("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv")
_STORES = ("__stwb", "__stcg", "__stcs", "__stwt")
_ATOMIC = re.compile(r"atomic([A-Z][A-Za-z]*?)(_block|_system)?$")
_SHUFFLE = re.compile(r"__shfl(_up|_down|_xor)?(_sync)?$")
_VOTE = re.compile(r"__(any|all|ballot|uni)(_sync)?$")
#: `__fmaf_rz`, `__drcp_rn`, `__hadd2_sat`, `__float22half2_rn`, `__nv_cvt_float_to_fp8`, ...
_ARITHMETIC = re.compile(
    r"__(?:[dfu]?(?:add|sub|mul|div|rcp|f?sqrt|frsqrt|fmaf?|ma)\w*_r[nzud]"
    r"|h(?:add|sub|mul|div|fma|neg|abs|max|min|eq|ne|lt|le|gt|ge|isnan|cmadd)\w*"
    r"|(?:float|double|half|bfloat16|int|uint|ll|ull|short|ushort)\d*2\w+"
    r"|(?:halves|floats|low|high|lows|highs)2?\w*2\w+|nv_cvt_\w+"
    r"|v\w+(?:2|4)|dp[24]a\w*|\w+_as_\w+)$"
)
_MAKE = re.compile(r"make_(\w+)$")
_WITH_SUFFIX = re.compile(r"(U?)INT(8|16|32|64|MAX)_C$")  # <cstdint>


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEXTURE = re.compile(
    r"tex(?:1Dfetch|(?:[123]D|Cubemap)(?:Layered)?(?:Lod|Grad|gather)?)$"
    r"|surf(?:[123]D|Cubemap)(?:Layered)?read$"
)
_IGNORED = _words(
    """
    __nanosleep __prof_trigger __brkpt
    cudaTriggerProgrammaticLaunchCompletion cudaGridDependencySynchronize
    """
)
_ENDS = _words("__trap abort exit __builtin_unreachable __builtin_trap")


def lower(
    context: Context, name: str, qualified: str, places: list[Place], explicit: list[Any]
) -> Typed | None:
    """The intrinsics that no user function replaces; not one that is given too little."""
    if len(places) < _LEAST.get(name, 0):
        return None
    handler = _EXACT.get(name)
    if handler is not None:
        return handler(context, name, [context.read(place) for place in places])
    if name.startswith("atomic") and (match := _ATOMIC.match(name)):
        return _atomic(context, match, places)
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
    """Functions of their arguments alone: mathematics, vector constructors."""
    match = _MAKE.match(name)
    if match is not None and match.group(1) in ctypes.BUILTIN:
        values = [context.read(place) for place in places]
        return context.aggregate(ctypes.BUILTIN[match.group(1)], values)
    match = _WITH_SUFFIX.match(name)
    if match is not None and len(places) == 1:
        long, unsigned = match.group(2) in ("64", "MAX"), bool(match.group(1))
        signed = ctypes.LONG if long else ctypes.INT
        type = (ctypes.ULONG if long else ctypes.UINT) if unsigned else signed
        return context.convert(context.read(places[0]), type)
    if name in ("min", "max", "umin", "umax", "llmin", "llmax") and len(places) == 2:
        return _extremum(context, name, [context.read(place) for place in places])
    if name in _INTEGER_MATH or _is_math(name) or _ARITHMETIC.match(name):
        values = [context.read(place) for place in places]
        return _mathematics(context, name, values)
    if _TEXTURE.match(name):
        return _texture(context, [context.read(place) for place in places])
    return None


def _texture(context: Context, values: list[Typed]) -> Typed:
    """A read of a texture or surface: its value, or nothing where it goes to `values[0]`."""
    element = values[0].type.element if values else None
    if element is None or values[0].type.form is not Form.POINTER:
        return pure(context, "texture", values, ctypes.unknown("auto"))
    read = context.unknown(element, "read from a texture or a surface")
    context.write(MemoryPlace(values[0].value, element), read)
    return context.nothing()


def pure(context: Context, name: str, values: list[Typed], type: CType) -> Typed:
    """A function of its operands alone, by name."""
    return context.pure(name, [value.value for value in values], type)


# ---- barriers, fences, ends ----------------------------------------------------------------------


def _syncthreads(context: Context, name: str, values: list[Typed]) -> Typed:
    vote = _VOTES.get(name, "")
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
    context.builder.emit(Fence(name, _FENCES[name], context.builder.location))
    return context.nothing()


def _nothing(context: Context, name: str, values: list[Typed]) -> Typed:
    return context.constant(0)


def _shown(context: Context, name: str, values: list[Typed]) -> Typed:
    """`printf`: what it prints is read there, whatever else becomes of it."""
    context.pure(SHOWN, [value.value for value in values], ctypes.INT)
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
    context.builder.emit(
        Barrier(
            BarrierKind.ASYNC_WAIT,
            f"{name}()",
            context.builder.location,
            operands=[value.value for value in values[:1]],
            arrive=False,
        )
    )
    return context.nothing()


def commit(context: Context, name: str, values: list[Typed]) -> Typed:
    """The copies so far are a group that can be waited for."""
    where = context.builder.location
    context.builder.emit(Barrier(BarrierKind.ASYNC_WAIT, f"{name}()", where, wait=False))
    return context.nothing()


# ---- memory -------------------------------------------------------------------------------------


def _load(context: Context, name: str, values: list[Typed]) -> Typed:
    element = values[0].type.element or ctypes.unknown("auto")
    return context.read(MemoryPlace(values[0].value, element))


def _store(context: Context, name: str, values: list[Typed]) -> Typed:
    element = values[0].type.element or values[1].type
    context.write(MemoryPlace(values[0].value, element), values[1])
    return context.nothing()


def async_copy(context: Context, name: str, values: list[Typed]) -> Typed:
    """An asynchronous copy: destination, source, bytes (4, 8 or 16, else not known)."""
    width = whole_number(values[2].value)
    context.builder.emit(
        MemoryAccess(
            AccessKind.ASYNC_COPY,
            ir.VOID,
            [values[0].value, values[1].value],
            context.builder.location,
            width=width if width in (4, 8, 16) else None,
            element=(values[0].type.element or ctypes.CHAR).ir(),
            name=context.builder.location.span.text[:80],
        )
    )
    return context.nothing()


def _atomic(context: Context, match: re.Match[str], places: list[Place]) -> Typed | None:
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
        name=context.builder.location.span.text[:80],
    )
    return Typed(context.builder.emit(operation), element)


# ---- warps --------------------------------------------------------------------------------------


def _reserved(context: Context, name: str, values: list[Typed]) -> Typed | None:
    shuffle = _SHUFFLE.match(name)
    vote = _VOTE.match(name)
    if (shuffle or vote) and not name.endswith("_sync") and context.program.device_functions(name):
        return None  # gone since CUDA 9: the file has its own
    if shuffle is not None:
        return _shuffle(context, shuffle, values)
    if vote is not None:
        mask = values.pop(0).value if vote.group(2) and values else None
        predicate = [context.truth(value) for value in values]
        type = ctypes.UINT if vote.group(1) == "ballot" else ctypes.INT
        return _warp(context, f"vote.{vote.group(1)}", type, predicate, mask)
    if name.startswith(("__match_", "__reduce_")) and name.endswith("_sync") and values:
        kind = name[2:-5].replace("_", ".", 1).replace("reduce", "redux")
        type = ctypes.UINT if kind.startswith("match") else values[-1].type
        return _warp(context, kind, type, [v.value for v in values[1:2]], values[0].value)
    return None


def _shuffle(context: Context, match: re.Match[str], values: list[Typed]) -> Typed | None:
    mask = values.pop(0).value if match.group(2) and len(values) > 2 else None
    if not values:
        return None
    kind = {"_up": "up", "_down": "down", "_xor": "bfly", None: "idx"}[match.group(1)]
    operands = [value.value for value in values]
    return _warp(context, f"shfl.{kind}", values[0].type, operands, mask)


def _warp(
    context: Context, name: str, type: CType, operands: list[Value], mask: Value | None
) -> Typed:
    operation = WarpOperation(name, type.ir(), operands, context.builder.location, mask)
    return Typed(context.builder.emit(operation), type)


def _activemask(context: Context, name: str, values: list[Typed]) -> Typed:
    return _warp(context, "activemask", ctypes.UINT, [], None)


def _lane_register(context: Context, name: str, values: list[Typed]) -> Typed:
    register = SpecialRegister(ir.UINT32, Special.LANE if "lane" in name else Special.WARP)
    return Typed(register, ctypes.UINT)


def _group(context: Context, name: str, places: list[Place], explicit: list[Any]) -> Typed | None:
    size: int | None = None
    if explicit:
        value = constants.evaluate(explicit[0], context.scope, context.program, context.reader)
        size = value if isinstance(value, int) else None
    elif name == "tiled_partition" and len(places) > 1:
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


def _mathematics(context: Context, name: str, values: list[Typed]) -> Typed:
    if name in ("abs", "labs", "llabs") and values and values[0].type.form is Form.INTEGER:
        type = ctypes.promoted(values[0].type)
        value = context.convert(values[0], type).value
        return Typed(context.builder.compute(Opcode.ABS, type.ir(), value), type)
    type = values[0].type if values else ctypes.FLOAT
    if name in _INTEGER_RESULTS:
        type = ctypes.INT
    elif type.form in (Form.INTEGER, Form.BOOL) and _is_math(name):
        type = ctypes.FLOAT if name.endswith("f") else ctypes.DOUBLE
    return pure(context, name, values, type)


def _is_math(name: str) -> bool:
    """Whether a name is a mathematical function, or its `float` or `long double` form."""
    return bool({name, name.removesuffix("f"), name.removesuffix("l")} & _MATH)


def _multiply(context: Context, name: str, values: list[Typed]) -> Typed:
    type = ctypes.UINT if "u" in name[2:] else ctypes.INT
    operands = [context.convert(value, type).value for value in values]
    opcode = Opcode.MUL_HIGH if "hi" in name else Opcode.MUL
    return Typed(context.builder.compute(opcode, type.ir(), *operands), type)


def _address(context: Context, name: str, values: list[Typed]) -> Typed:
    """The address keeps its value: what it points to is found by following it back."""
    return Typed(values[0].value, ctypes.ULONG)


_PRODUCTS = ("__mul24", "__umul24", "__mulhi", "__umulhi")
_CASTS = _words(
    """
    __cvta_generic_to_shared __cvta_generic_to_global __cvta_shared_to_generic
    __cvta_global_to_generic cast_smem_ptr_to_uint
    """
)
_EXACT: dict[str, Callable[[Context, str, list[Typed]], Typed]] = {
    "__syncthreads": _syncthreads,
    **dict.fromkeys(_VOTES, _syncthreads),
    "__syncwarp": _syncwarp,
    **dict.fromkeys(("__barrier_sync", "__barrier_sync_count"), _named_barrier),
    **dict.fromkeys(_FENCES, _fence),
    **dict.fromkeys(_LOADS, _load),
    **dict.fromkeys(_STORES, _store),
    **dict.fromkeys(_IGNORED, _nothing),
    **dict.fromkeys(("printf", "__assertfail", "__assert_fail"), _shown),
    **dict.fromkeys(("assert", "__builtin_assume"), _state),
    **dict.fromkeys(_ENDS, _end),
    "__pipeline_memcpy_async": async_copy,
    "__pipeline_commit": commit,
    "__pipeline_wait_prior": _wait,
    "__activemask": _activemask,
    **dict.fromkeys(_PRODUCTS, _multiply),
    **dict.fromkeys(("__nv_get_lane_id", "get_lane_id"), _lane_register),
    **dict.fromkeys(_CASTS, _address),
}
#: Of functions with fixed parameters, how many those are.
_LEAST = {
    "__pipeline_memcpy_async": 3,
    **dict.fromkeys((*_STORES, *_PRODUCTS), 2),
    **dict.fromkeys((*_LOADS, *_CASTS), 1),
}
_MATH = _words(
    """
    sqrt rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2
    sinh cosh tanh pow fabs abs fmin fmax fma fmod floor ceil round rint trunc nearbyint erf erfc
    erfinv hypot copysign isnan isinf isfinite signbit lround llround lrint ldexp remainder norm3d
    __fdividef __exp __log __log2 __log10 __sin __cos __tan __pow __saturate __frcp_rn __fsqrt_rn
    __fmaf_rn __fmul_rn __fadd_rn __fdiv_rn __fsub_rn __dadd_rn __dmul_rn __fma_rn normcdf
    tgamma lgamma j0 j1 y0 y1 sinpi cospi logb ilogb fdim
    """
)
_INTEGER_RESULTS = _words(
    """
    __popc __popcll __clz __clzll __ffs __ffsll __float2int_rn __float2int_rd __float2int_ru
    __float2int_rz __float_as_int isnan isinf isfinite signbit lround lrint __double2int_rn
    __double2loint __double2hiint __half2int_rn __dp4a ilogb
    """
)
_INTEGER_MATH = _INTEGER_RESULTS | _words(
    """
    __brev __brevll __byte_perm __funnelshift_l __funnelshift_r __usad __sad __rhadd labs llabs
    __int_as_float __uint_as_float __float_as_uint __int2float_rn __uint2float_rn __half2float
    __float2half __float2half_rn __half22float2 __float22half2_rn __floats2half2_rn __half2half2
    __hadd __hsub __hmul __hfma __hadd2 __hsub2 __hmul2 __hfma2 __hmax __hmin __low2float
    __high2float __low2half __high2half __lows2half2 __halves2half2 __bfloat162float
    __float2bfloat16 __float2bfloat16_rn __longlong_as_double __double_as_longlong
    __hiloint2double clock clock64
    """
)
