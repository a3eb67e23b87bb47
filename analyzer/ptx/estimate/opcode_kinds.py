"""What the register estimator has to know of an opcode, found once for each text of one.

In: an opcode as written. Out: its `Kind`: whether it has a result, what ptxas folds away, what may
live in uniform registers, which accesses must not pass it, and how long its result takes. Nothing
here depends on operands.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...source.records import dataclass

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_HALVES_OF_WARP = 64  # 16-bit numbers that one register of 32 lanes holds
_REMEMBERED = 4_096  # opcodes; a file with more of them must not eat memory

_NO_RESULT = frozenset([
    "st", "stu", "red", "bra", "brx", "bar", "barrier", "ret", "exit", "trap", "brkpt", "membar",
    "fence", "prefetch", "prefetchu", "call", "discard", "applypriority", "cp", "mbarrier", "wgmma",
    "nanosleep", "pmevent", "setmaxnreg", "griddepcontrol", "tensormap", "sust", "sured",
    "stackrestore",
])  # fmt: skip
_LAST = frozenset({"bra", "brx", "ret", "exit", "trap"})
_ADDING = frozenset({"add", "sub", "mad", "cvta"})
_FOLDED = frozenset({"mul", "cvt", "shl", "and"})
_INTEGER = frozenset([
    "add", "sub", "mul", "mad", "mul24", "mad24", "sad", "div", "rem", "abs", "neg", "min", "max",
    "shl", "shr", "and", "or", "xor", "not", "cvt", "mov", "selp", "cvta", "bfe", "bfi", "lop3",
    "prmt", "cnot", "popc", "clz", "shf", "setp",
])  # fmt: skip
_FLOATING = frozenset({"f32", "f64", "f16", "f16x2", "bf16"})
_HALVES = frozenset({"f16", "f16x2", "bf16", "bf16x2"})
_CONSTANT = ("param", "const")

# What the order of accesses depends on.
_FENCES = frozenset([
    "bar", "barrier", "call", "membar", "fence", "cp", "mbarrier", "wgmma",
])  # fmt: skip
_WARP = frozenset({"shfl", "vote", "match", "redux"})
_STORES = frozenset({"st", "red", "atom"})
SPACES = ("global", "shared", "local")
GENERIC = "generic"

_SLOW = frozenset({"ld", "ldu", "tex", "tld4", "atom", "suld"})
_MEDIUM = frozenset({
    "mma", "wmma", "sin", "cos", "ex2", "lg2", "rcp", "rsqrt", "sqrt", "div", "rem", "tanh",
})  # fmt: skip
_NOT_PREDICATED = _LAST - {"bra"} | frozenset([
    "bar", "barrier", "call", "atom", "membar", "fence", "cp", "mbarrier", "wgmma", "shfl", "vote",
    "mma", "wmma", "ldmatrix", "match", "redux",
])  # fmt: skip
_STAYS = _NOT_PREDICATED | frozenset({"bra", "st", "red", "activemask", "tex", "tld4"})

_ACCESSES = frozenset({"ld", "ldu", "st", "atom", "red"})
#: The groups that operations are counted in.
GROUPS: dict[str, frozenset[str]] = {
    "fma": frozenset({"fma", "mad"}),
    "add": frozenset({"add", "sub"}),
    "mul": frozenset({"mul"}),
    "logic": frozenset({"and", "or", "xor", "shl", "shr", "not", "lop3", "bfe", "bfi", "prmt"}),
    "special": frozenset({"sqrt", "rsqrt", "rcp", "sin", "cos", "ex2", "lg2", "tanh"}),
    "convert": frozenset({"cvt"}),
    "compare": frozenset({"setp", "set"}),
    "select": frozenset({"selp", "min", "max", "slct"}),
    "move": frozenset({"mov"}),
    "matrix": frozenset({"mma", "wmma", "ldmatrix", "wgmma"}),
    "warp": frozenset({"shfl", "vote", "match", "redux", "activemask"}),
    "atomic": frozenset({"atom", "red"}),
    "barrier": frozenset({"bar", "barrier"}),
    "texture": frozenset({"tex", "tld4", "suld", "sust"}),
    "load": frozenset({"ld", "ldu"}),
    "store": frozenset({"st"}),
    "return": frozenset({"ret", "exit"}),
    "async": frozenset({"cp", "mbarrier"}),
}
_GROUP_OF = {mnemonic: group for group, names in GROUPS.items() for mnemonic in names}
#: Groups of which it matters what lives there.
POINTS = ("barrier", "warp", "atomic", "matrix")
#: The subroutines of ptxas, and `divide`, which is expanded in place.
SUBROUTINES = ("float", "double", "wide", "divide", "call")
_PARTING = ("float", "double", "wide", "call")


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """One opcode of PTX, with everything that the register estimator takes from its text."""

    mnemonic: str
    modifiers: tuple[str, ...]
    result: bool  # whether the first operand is written
    filled: int  # registers of a result that hold anything, where others repeat them; or 0
    last: bool  # ends a block
    gives: bool  # its operands have to be in registers
    wide: bool  # they have 64 bits
    needed: bool  # even when nobody reads what it writes
    adds: bool  # a 64-bit sum, or cvta: a scaled index is free in it
    scales: bool  # an index, for an address
    offsets: bool  # adds 64 bits
    copies: bool
    moves: bool
    uniform: bool  # its result, when all operands are
    # How it may be moved:
    predicable: bool
    stays: bool
    parts: bool  # runs as code with branches of its own, which nothing moves past
    stores: bool  # or may
    loads: bool  # from memory that may change
    keeps_place: bool  # among the three that follow
    fence: bool
    warp: bool
    space: str  # of an access that has to keep its place; empty otherwise
    latency: int
    slow: bool
    # What is counted:
    access: bool
    load: bool
    waits: bool  # a load that can be hoisted
    divides: bool  # integers of 32 bits, in place
    point: str | None  # where it matters what lives
    ends_wait: bool
    counted: tuple[str, ...]  # the counts it adds to


@lru_cache(maxsize=_REMEMBERED)
def kind_of(text: str) -> Kind:
    """The kind of an opcode such as `ld.global.v4.f32`."""
    mnemonic, *rest = text.split(".")
    modifiers = tuple(rest)
    scaled = mnemonic in _FOLDED and (text.endswith("64") or "wide" in text)
    scaled = scaled or text.startswith(("cvt.s64", "cvt.u64"))
    constant = modifiers[:1] in (("param",), ("const",))
    is_load = mnemonic == "ld"
    point, space = _point(mnemonic, modifiers), _space(mnemonic, modifiers)
    return Kind(
        mnemonic,
        modifiers,
        result=mnemonic not in _NO_RESULT,
        filled=_filled(mnemonic, modifiers),
        last=mnemonic in _LAST,
        gives=mnemonic in _STORES and modifiers[:1] != ("param",),
        wide=text.endswith("64"),
        needed=mnemonic in ("atom", "call") or "volatile" in text,
        adds=mnemonic == "cvta" or (mnemonic in _ADDING and text.endswith("64")),
        scales=scaled,
        offsets=mnemonic == "add" and text.endswith("64"),
        copies=mnemonic in ("cvta", "mov"),
        moves=mnemonic == "mov",
        uniform=constant if is_load else _is_integer(mnemonic, modifiers),
        predicable=mnemonic not in _NOT_PREDICATED and point not in _PARTING,
        parts=point in _PARTING,
        stays=mnemonic in _STAYS or "volatile" in modifiers,
        stores=mnemonic in ("st", "red", "atom", "bar", "barrier", "call"),
        loads=is_load and modifiers[:1] != ("param",),
        keeps_place=bool(space) or mnemonic in _FENCES or mnemonic in _WARP,
        fence=mnemonic in _FENCES,
        warp=mnemonic in _WARP,
        space=space,
        latency=_latency(mnemonic, modifiers),
        slow=mnemonic in _SLOW,
        access=mnemonic in _ACCESSES and modifiers[:1] != ("param",),
        load=is_load,
        waits=is_load and not constant,
        divides=point == "divide",
        point=point,
        ends_wait=mnemonic == "st" or point in ("barrier", "call", "atomic"),
        counted=tuple(_counted(mnemonic, modifiers, point)),
    )


def _filled(mnemonic: str, modifiers: tuple[str, ...]) -> int:
    """Of a fragment of 16-bit floats, whose eight registers were filled twice by Volta only."""
    if mnemonic != "wmma" or modifiers[:1] != ("load",) or "f16" not in modifiers:
        return 0
    shape = next((_SHAPE.fullmatch(one) for one in modifiers if _SHAPE.fullmatch(one)), None)
    if shape is None or modifiers[1] not in ("a", "b"):
        return 0
    rows, columns, depth = map(int, shape.groups())
    return (rows if modifiers[1] == "a" else columns) * depth // _HALVES_OF_WARP


def _is_integer(mnemonic: str, modifiers: tuple[str, ...]) -> bool:
    """Whether uniform registers can compute it; a constant of any type is an integer to them."""
    return mnemonic == "mov" or (mnemonic in _INTEGER and _FLOATING.isdisjoint(modifiers))


def _space(mnemonic: str, modifiers: tuple[str, ...]) -> str:
    """The state space of an access that must keep its place among others."""
    if mnemonic not in _STORES and mnemonic != "ld":
        return ""
    if "param" in modifiers or "const" in modifiers or "nc" in modifiers:
        return ""
    return next((one for one in SPACES if one in modifiers), GENERIC)


def _latency(mnemonic: str, modifiers: tuple[str, ...]) -> int:
    """Cycles until a result can be used, in round numbers."""
    if mnemonic in _SLOW:
        space = modifiers[0] if modifiers else ""
        if space in _CONSTANT:
            return 8
        return 25 if space == "shared" else 300
    if mnemonic in _MEDIUM:
        return 30
    return 25 if mnemonic in _WARP or mnemonic == "ldmatrix" else 5


def _point(mnemonic: str, modifiers: tuple[str, ...]) -> str | None:
    """The kind of an operation where it matters what lives."""
    last = modifiers[-1] if modifiers else ""
    if mnemonic in ("div", "rem"):
        if last == "f64":
            return "double"
        if last == "f32":
            return "float" if "rn" in modifiers else None
        return "wide" if last.endswith("64") else "divide"
    if mnemonic in ("sqrt", "rcp"):
        if "approx" in modifiers or not modifiers:
            return None
        return "double" if last == "f64" else "float"
    if mnemonic == "call":
        return "call"
    group = _GROUP_OF.get(mnemonic)
    return group if group in POINTS else None


def _counted(mnemonic: str, modifiers: tuple[str, ...], point: str | None) -> list[str]:
    group = _GROUP_OF.get(mnemonic)
    counted = [group] if group is not None else []
    if group == "load":
        return counted + [name for name in ("shared", "volatile") if name in modifiers]
    if point in SUBROUTINES:
        counted.append(point)
    last = modifiers[-1] if modifiers else ""
    if last == "f64":
        counted.append("double_ops")
    elif last in _HALVES:
        counted.append("half")
    elif last.endswith("64"):
        counted.append("wide_integer")
    return counted
