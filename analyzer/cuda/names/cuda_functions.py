"""The functions of CUDA C++ that a kernel may call without anything in sight that defines them.

What a name may do in warplint begins here: a call of one of these names is CUDA's own function,
unless the file shows a function of that name with a body that takes such arguments. The tables
follow the CUDA C++ Programming Guide and the CUDA Math API. No other module compares the names of
functions with what CUDA calls its own; libraries have theirs in `libraries.py`.
"""

from __future__ import annotations

import re

from ...ir.operation_kinds import MATCHES, REDUCTIONS, Function, WarpKind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OTHERS = _words(
    """
    __syncthreads __syncwarp __barrier_sync __barrier_sync_count __activemask printf assert
    __assertfail __assert_fail __builtin_assume __pipeline_memcpy_async __pipeline_commit
    __pipeline_wait_prior __nv_get_lane_id get_lane_id this_thread_block tiled_partition
    coalesced_threads this_grid this_cluster
    """
)
FENCES = {
    "__threadfence": "device",
    "__threadfence_block": "block",
    "__threadfence_system": "system",
}
BLOCK_VOTES = {"__syncthreads_and": "and", "__syncthreads_or": "or", "__syncthreads_count": "popc"}
LOADS = ("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu", "__ldcv")
READ_ONLY_LOADS = ("__ldg",)  # the others only say how to cache
#: Functions that take memory from the heap of the device.
ALLOCATING = _words("malloc new __nv_aligned_device_malloc")
RELEASING = _words("free delete")
STORES = ("__stwb", "__stcg", "__stcs", "__stwt")
ATOMIC = re.compile(r"atomic(Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(_block|_system)?$")
WARP_SHUFFLES = {
    "__shfl": WarpKind.SHUFFLE_INDEX,
    "__shfl_up": WarpKind.SHUFFLE_UP,
    "__shfl_down": WarpKind.SHUFFLE_DOWN,
    "__shfl_xor": WarpKind.SHUFFLE_XOR,
}
WARP_VOTES = {
    "__any": WarpKind.VOTE_ANY,
    "__all": WarpKind.VOTE_ALL,
    "__ballot": WarpKind.VOTE_BALLOT,
    "__uni": WarpKind.VOTE_UNIFORM,
}
WARP_MATCHES = {f"__{kind.value.replace('.', '_')}_sync": kind for kind in MATCHES}
WARP_REDUCTIONS = {
    f"__reduce_{kind.value.removeprefix('redux.')}_sync": kind
    for kind in REDUCTIONS - {WarpKind.REDUCE}
}
#: `__fmaf_rz`, `__drcp_rn`, `__hadd2_sat`, `__float22half2_rn`, `__nv_cvt_float_to_fp8`, ...
ARITHMETIC = re.compile(
    r"__(?:[dfu]?(?:add|sub|mul|div|rcp|f?sqrt|frsqrt|fmaf?|ma)\w*_r[nzud]"
    r"|hb?(?:add|sub|mul|div|fma|neg|abs|max|min|eq|ne|lt|le|gt|ge|isnan|cmadd)u?2?"
    r"(?:_(?:rn|sat|relu|nan|mask))*"
    r"|(?:float|double|half|bfloat16|int|uint|ll|ull|short|ushort)\d*2\w+"
    r"|(?:halves|floats|low|high|lows|highs)2?\w*2\w+|nv_cvt_\w+"
    r"|v(?:abs|add|avg|cmp|hadd|max|min|neg|sad|set|sub)[a-z]*(?:2|4)"
    r"|vi(?:add)?(?:max|min)3?_[su](?:32|16x2)(?:_relu)?|dp[24]a\w*|\w+_as_\w+)$"
)
MAKE = re.compile(r"make_(\w+)$")
WITH_SUFFIX = re.compile(r"(U?)INT(8|16|32|64|MAX)_C$")  # <cstdint>


TEXTURE = re.compile(
    r"tex(?:1Dfetch|(?:[123]D|Cubemap)(?:Layered)?(?:Lod|Grad|gather)?)$"
    r"|surf(?:[123]D|Cubemap)(?:Layered)?read$"
)
SURFACE_WRITE = re.compile(r"surf(?:[123]D|Cubemap)(?:Layered)?write$")
IGNORED = _words(
    """
    __nanosleep __prof_trigger __brkpt
    cudaTriggerProgrammaticLaunchCompletion cudaGridDependencySynchronize
    """
)
ENDS = _words("__trap abort exit __builtin_unreachable __builtin_trap")


PRODUCTS = ("__mul24", "__umul24", "__mulhi", "__umulhi")
CASTS = _words(
    """
    __cvta_generic_to_shared __cvta_generic_to_global __cvta_shared_to_generic
    __cvta_global_to_generic cast_smem_ptr_to_uint
    """
)
#: Of functions with fixed parameters, how many those are.
LEAST = {
    "__pipeline_memcpy_async": 3,
    **dict.fromkeys((*STORES, *PRODUCTS), 2),
    **dict.fromkeys((*LOADS, *CASTS), 1),
    **dict.fromkeys(WARP_SHUFFLES, 2),
    **{f"{name}_sync": 3 for name in WARP_SHUFFLES},
    **{f"{name}_sync": 2 for name in WARP_VOTES},
    **dict.fromkeys((*WARP_MATCHES, *WARP_REDUCTIONS), 2),
    "__match_all_sync": 3,
}
#: What compilers call them: `__builtin_popcountll`.
_COUNTING = {
    word: tuple(f"__builtin_{word}{size}" for size in ("", "l", "ll"))
    for word in ("popcount", "clz", "ffs", "ctz", "parity", "clrsb")
}
#: Functions of the bits of a number, those of 64 bits with an `l` at the end.
OF_BITS = frozenset(
    ("__popc", "__popcll", "__clz", "__clzll", "__ffs", "__ffsll", *sum(_COUNTING.values(), ()))
)
TRAILING_ZEROS = frozenset(_COUNTING["ctz"])
#: Whether the compiler asks for a constant: what runs on a device is none.
CONSTANT_EVALUATED = ("is_constant_evaluated", "__builtin_is_constant_evaluated")
FUNCTIONS = {
    **dict.fromkeys(("__popc", "__popcll", *_COUNTING["popcount"]), Function.COUNT_ONES),
    **dict.fromkeys(("__clz", "__clzll", *_COUNTING["clz"]), Function.LEADING_ZEROS),
    **dict.fromkeys(("__brev", "__brevll"), Function.REVERSED_BITS),
    **dict.fromkeys(("__ffs", "__ffsll", *_COUNTING["ffs"]), Function.FIRST_ONE),
    **dict.fromkeys(("clock", "clock64"), Function.CLOCK),
    **dict.fromkeys(("fma", "fmaf", "__fmaf_rn", "__fma_rn"), Function.MULTIPLY_ADD),
    **dict.fromkeys(("__hfma", "__hfma_relu"), Function.MULTIPLY_ADD),
    **dict.fromkeys(("__hadd", "__hsub", "__hadd_rn", "__hsub_rn"), Function.SHORT_SUM),
    **dict.fromkeys(("abs", "copysign"), Function.SIGN),
    **dict.fromkeys(("round", "floor", "ceil", "trunc", "rint", "nearbyint"), Function.WHOLE),
    **dict.fromkeys(("roundf", "floorf", "ceilf", "truncf", "rintf", "nearbyintf"), Function.WHOLE),
    **dict.fromkeys(("fmin", "fminf"), Function.MINIMUM),
    **dict.fromkeys(("fmax", "fmaxf"), Function.MAXIMUM),
}
MATHEMATICS = _words(
    """
    sqrt rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2
    sinh cosh tanh pow fabs abs fmin fmax fma fmod floor ceil round rint trunc nearbyint erf erfc
    erfinv hypot copysign isnan isinf isfinite signbit lround llround lrint ldexp remainder norm3d
    __fdividef __exp __log __log2 __log10 __sin __cos __tan __pow __saturate __frcp_rn __fsqrt_rn
    __fmaf_rn __fmul_rn __fadd_rn __fdiv_rn __fsub_rn __dadd_rn __dmul_rn __fma_rn normcdf
    tgamma lgamma j0 j1 jn y0 y1 yn sinpi cospi logb ilogb fdim __float_to_tf32 norm4d rnorm3d
    rnorm4d rhypot rcbrt acosh asinh atanh erfcx erfcinv normcdfinv cyl_bessel_i0 cyl_bessel_i1
    fdivide nextafter scalbn scalbln llrint __tanh __exp10
    """
)
#: Those of several numbers that <cmath> overloads for what they are given.
OVERLOADED = _words("pow fmin fmax fmod atan2 hypot fdim remainder copysign fma")
_OF_FLOAT = _words(
    "__fdividef __frcp_rn __fsqrt_rn __fmaf_rn __fmul_rn __fadd_rn __fdiv_rn __fsub_rn __saturatef"
)
_OF_INT = _words(
    """
    __popc __popcll __clz __clzll __ffs __ffsll __float_as_int isnan isinf isfinite signbit
    __double2loint __double2hiint __dp4a ilogb __fns
    """
)
#: `long`, as `clock_t` is, has 64 bits on Linux.
_OF_LONG = _words("lround lrint llround llrint labs llabs clock clock64 __double_as_longlong")
_OF_UNSIGNED = _words(
    "__brev __byte_perm __funnelshift_l __funnelshift_lc __funnelshift_r __funnelshift_rc __usad"
    " __sad __float_as_uint __uhadd __urhadd"
)
_CONVERSION = re.compile(
    r"__(?:half|bfloat16|float|double|u?int|u?ll|u?short)2"
    r"(u?int|u?ll|u?short|u?char|float|double)_r[nzud]$"
)
_ROUNDINGS = ("", "_rn", "_rz", "_rd", "_ru")
_HALVES_OF_FLOAT = {
    f"__float2{made}{rounding}": type
    for made, type in (("half", "half"), ("bfloat16", "__nv_bfloat16"))
    for rounding in _ROUNDINGS
}
#: What a function returns, whatever it is given, as `uint4` and its like begin.
RESULTS = {
    **dict.fromkeys((*_OF_INT, *(name for names in _COUNTING.values() for name in names)), "int"),
    **dict.fromkeys(_OF_UNSIGNED, "uint"),
    **dict.fromkeys(_OF_LONG, "longlong"),
    **dict.fromkeys(_words("__int_as_float __uint_as_float"), "float"),
    **dict.fromkeys(_words("__half2float __bfloat162float __low2float __high2float"), "float"),
    **dict.fromkeys(_words("__longlong_as_double __hiloint2double"), "double"),
    **_HALVES_OF_FLOAT,
    **dict.fromkeys(_words("__brevll __umul64hi"), "ulonglong"),
    "__mul64hi": "longlong",
}
INTEGER_MATHEMATICS = RESULTS.keys() | _words(
    """
    __rhadd labs llabs
    __half22float2 __float22half2_rn __floats2half2_rn __half2half2
    __hadd __hsub __hmul __hfma __hadd2 __hsub2 __hmul2 __hfma2 __hmax __hmin __low2half
    __high2half __lows2half2 __halves2half2 clock clock64
    """
)


def result_of(name: str) -> str | None:
    """The type that a function returns whatever it is given: `__half2int_rz` gives an `int`."""
    found = _CONVERSION.match(name)
    if found is None:
        return RESULTS.get(name)
    return {"ll": "longlong", "ull": "ulonglong"}.get(found[1], found[1])


def is_own(name: str) -> bool:
    """Whether CUDA's function of that name orders, exchanges or moves data, not only computes."""
    plain = name.removesuffix("_sync")
    return (
        name in OTHERS
        or name in FENCES
        or name in BLOCK_VOTES
        or name in LOADS
        or name in STORES
        or name in IGNORED
        or name in ENDS
        or name in CASTS
        or name in PRODUCTS
        or plain in WARP_SHUFFLES
        or plain in WARP_VOTES
        or name in WARP_MATCHES
        or name in WARP_REDUCTIONS
        or ATOMIC.match(name) is not None
        or name.startswith("__nv_atomic_")
    )


def is_of_lanes(name: str) -> bool:
    """Whether a CUDA function, by name, orders threads or is atomic: host code calls none."""
    plain = name.removesuffix("_sync")
    return (
        name.startswith("__sync")
        or plain in WARP_SHUFFLES
        or plain in WARP_VOTES
        or ATOMIC.match(name) is not None
    )


def is_mathematical(name: str) -> bool:
    """Whether a name is of a mathematical function, or its `float` or `long double` form."""
    return bool({name, name.removesuffix("f"), name.removesuffix("l")} & MATHEMATICS)


def is_of_float(name: str) -> bool:
    """Whether a name is the `float` form of a mathematical function's, or takes floats: `sqrtf`."""
    own = name not in MATHEMATICS and name[-1:] == "f" and name[:-1] in MATHEMATICS
    return own or name in _OF_FLOAT or name in _HALVES_OF_FLOAT


def is_arithmetic(name: str) -> bool:
    """Whether a name is of a function of numbers that only computes."""
    known = name in INTEGER_MATHEMATICS or is_mathematical(name)
    return known or ARITHMETIC.match(name) is not None
