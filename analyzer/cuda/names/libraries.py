"""The classes and enums of CUDA's libraries that are modelled without their headers.

What a name may do in warplint, second part: a type of one of these names is the library's own,
unless the file shows a class, an alias or an enum of that name; one that a header of the toolkit
shows is the library's all the same. The tables follow cooperative groups, CUB, libcu++, cuRAND and
the warp matrix functions of the CUDA C++ Programming Guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Enums by name, with their members: `memory_order_relaxed` and `memory_order::relaxed`.
LIBRARY_ENUMS = {
    "memory_order": {
        "relaxed": 0,
        "consume": 1,
        "acquire": 2,
        "release": 3,
        "acq_rel": 4,
        "seq_cst": 5,
    },
    "thread_scope": {"system": 0, "device": 1, "block": 2, "thread": 10},
}

#: Scopes of the compiler's own atomic functions, `__NV_THREAD_SCOPE_BLOCK`; none is below a block.
NV_SCOPES = {0: "block", 1: "block", 2: "cluster", 3: "device", 4: "system"}
_NV_SCOPE_NAMES = ("THREAD", "BLOCK", "CLUSTER", "DEVICE", "SYSTEM")
#: Enumerators whose enum is never named, and macros of the compiler that stand for numbers.
ENUMERATORS = {
    "mem_row_major": 0,
    "mem_col_major": 1,
    **{f"__NV_ATOMIC_{name.upper()}": n for name, n in LIBRARY_ENUMS["memory_order"].items()},
    **{f"__NV_THREAD_SCOPE_{name}": number for number, name in enumerate(_NV_SCOPE_NAMES)},
}

#: States of cuRAND's generators; those that the threads of a block share.
GENERATORS = frozenset(
    [
        "curandState",
        "curandState_t",
        "curandStateXORWOW",
        "curandStateXORWOW_t",
        "curandStateMRG32k3a",
        "curandStateMRG32k3a_t",
        "curandStatePhilox4_32_10",
        "curandStatePhilox4_32_10_t",
        "curandStateSobol32",
        "curandStateSobol32_t",
        "curandStateScrambledSobol32",
        "curandStateScrambledSobol32_t",
        "curandStateSobol64",
        "curandStateSobol64_t",
        "curandStateScrambledSobol64",
        "curandStateScrambledSobol64_t",
    ]
)
GENERATORS_OF_BLOCKS = frozenset(("curandStateMtgp32", "curandStateMtgp32_t"))
#: Classes of which only the name matters: of libcu++, of the warp matrix functions, of cuRAND.
OPAQUE_CLASSES = frozenset(("pipeline", "barrier", "fragment")) | GENERATORS | GENERATORS_OF_BLOCKS
#: What the path to a name of these libraries begins with.
NAMESPACES = frozenset(
    [
        "cuda",
        "std",
        "cooperative_groups",
        "cg",
        "cde",
        "nvcuda",
        "wmma",
        "experimental",
        "cub",
        "hipcub",
        "thrust",
        "rocwmma",
        "cute",
        "cutlass",
    ]
)


def is_library_path(before: Sequence[str], aliases: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether what stands before a name may lead into a library: nothing, one of its namespaces,
    or an alias of one.
    """
    first = next(filter(None, before), "")
    return not first or aliases.get(first, (first,))[0] in NAMESPACES
