"""What operations mean, as closed sets: the front ends choose, the analyses never read a name.

In: what a front end resolved, as CUDA's or a library's own function or as an instruction of PTX.
Out: one member that stands for it. Orders of memory follow the PTX ISA, "Memory Consistency Model",
and the C++ standard, [atomics.order]; copies, mbarriers and fences the PTX ISA 9.7.9.25 and 9.7.13.
What has no word here is `Function.OTHER`, or None: an analysis then knows nothing of it.
"""

from __future__ import annotations

from .quick_enum import QuickEnum


class AccessKind(QuickEnum):
    """How a memory access of the IR touches memory; the words of the JSON output."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    REDUCTION = "reduction"
    ASYNC_COPY = "async_copy"
    MATRIX_LOAD = "ldmatrix"
    TILE_LOAD = "wmma.load"  # a warp's tile: which bytes are whose is not specified
    TILE_STORE = "wmma.store"
    PREFETCH = "prefetch"


_BOTH = {AccessKind.ATOMIC, AccessKind.REDUCTION}
READING = frozenset({AccessKind.LOAD, AccessKind.MATRIX_LOAD, AccessKind.TILE_LOAD} | _BOTH)
WRITING = frozenset({AccessKind.STORE, AccessKind.ASYNC_COPY, AccessKind.TILE_STORE} | _BOTH)


class BarrierKind(QuickEnum):
    """Who waits for whom at a barrier of the IR."""

    BLOCK = "block"
    NAMED = "named"
    WARP = "warp"
    CLUSTER = "cluster"
    GRID = "grid"
    ASYNC_WAIT = "async_wait"
    MBARRIER = "mbarrier"


WHOLE = frozenset({BarrierKind.BLOCK, BarrierKind.GRID, BarrierKind.CLUSTER})  # all threads meet
BETWEEN_BLOCKS = frozenset({BarrierKind.GRID, BarrierKind.CLUSTER})  # those of several blocks do


class MemoryOrder(QuickEnum):
    """What an atomic access orders; a plain one has none, and neither has a volatile one."""

    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQUIRE_RELEASE = "acq_rel"
    SEQUENTIAL = "seq_cst"


#: Orders by which what comes before is seen before the access, and what comes after it after it.
RELEASING = frozenset({MemoryOrder.RELEASE, MemoryOrder.ACQUIRE_RELEASE, MemoryOrder.SEQUENTIAL})
ACQUIRING = frozenset({MemoryOrder.ACQUIRE, MemoryOrder.ACQUIRE_RELEASE, MemoryOrder.SEQUENTIAL})


class AccessForm(QuickEnum):
    """How a memory access of the IR is made, where that matters beside its kind."""

    PLAIN = "plain"
    READ_ONLY = "read-only"  # by the path for data that the kernel leaves alone: `__ldg`, ld.nc
    CACHED = "cached"  # with a cache operator: `__ldcs`, an instruction of its own to the compiler
    BYTES = "bytes"  # memcpy, memset: byte by byte where the alignment asks for that
    MBARRIER_INIT = "mbarrier.init"
    COPY = "cp.async"  # 4, 8 or 16 bytes by the thread's own copy unit
    BULK_COPY = "cp.async.bulk"
    TENSOR_COPY = "cp.async.bulk.tensor"
    LIBRARY_COPY = "memcpy_async"  # any bytes: by the hardware where it can


BULK = frozenset({AccessForm.BULK_COPY, AccessForm.TENSOR_COPY})


class CopyStep(QuickEnum):
    """What an IR operation of kind ASYNC_WAIT does with groups of asynchronous copies."""

    COMMIT = "commit"  # the copies so far are a group
    WAIT = "wait"  # for all groups but the last operands[0]; without an operand, for all
    WAIT_OLDEST = "wait.oldest"  # for the group that has been under way for longest
    ACQUIRE = "acquire"  # until a group's place is free: no copy arrives by it
    RELEASE = "release"  # the place of the oldest group, as far as this thread needs it


class FenceKind(QuickEnum):
    """What a fence orders."""

    MEMORY = "memory"
    PROXY = "proxy"  # accesses through different proxies: generic, asynchronous, ...
    MBARRIER_INIT = "mbarrier_init"


class MbarrierAction(QuickEnum):
    """What an IR operation does to an mbarrier; its kind is MBARRIER."""

    ARRIVE = "arrive"
    ARRIVE_EXPECTING = "arrive.expect_tx"  # its second operand counts bytes
    COPIES_ARRIVE = "cp.async.mbarrier.arrive"
    TRANSACTIONS = "tx"  # expect_tx, complete_tx: bytes alone
    WAIT = "wait"


class WarpKind(QuickEnum):
    """What the lanes of a warp operation exchange; the words of the JSON output."""

    SHUFFLE_UP = "shfl.up"
    SHUFFLE_DOWN = "shfl.down"
    SHUFFLE_XOR = "shfl.bfly"
    SHUFFLE_INDEX = "shfl.idx"
    VOTE_ANY = "vote.any"
    VOTE_ALL = "vote.all"
    VOTE_UNIFORM = "vote.uni"
    VOTE_BALLOT = "vote.ballot"
    MATCH_ANY = "match.any"
    MATCH_ALL = "match.all"
    REDUCE_ADD = "redux.add"
    REDUCE_MIN = "redux.min"
    REDUCE_MAX = "redux.max"
    REDUCE_AND = "redux.and"
    REDUCE_OR = "redux.or"
    REDUCE_XOR = "redux.xor"
    REDUCE = "redux.reduce"  # by any function
    ACTIVE_MASK = "activemask"
    ELECT = "elect"
    COLLECTIVE = "collective"  # what a library does with the lanes of a warp


SHUFFLES = frozenset(each for each in WarpKind if each.value.startswith("shfl."))
VOTES = frozenset(each for each in WarpKind if each.value.startswith("vote."))
MATCHES = frozenset({WarpKind.MATCH_ANY, WarpKind.MATCH_ALL})
REDUCTIONS = frozenset(each for each in WarpKind if each.value.startswith("redux."))


class Function(QuickEnum):
    """What a `Pure` operation of the IR computes, where an analysis has to know it."""

    OTHER = "other"
    SHOWN = "shown"  # somebody sees it without anything taking it: asserted, a surface
    PRINTED = "printed"  # and this is what `printf` shows
    EXCHANGED = "exchanged"  # the threads of a block give it to each other
    # Of values whose layout is not known:
    PART = "part"
    UPDATE = "update"
    ELEMENT = "element"
    COMBINED = "combined"  # by an operator
    NEW_OBJECT = "unknown"
    REFERRED = "referred to"
    OBJECT_SUM = "operator+"
    OBJECT_DIFFERENCE = "operator-"
    OBJECT_PRODUCT = "operator*"
    # No functions of their operands:
    TEXTURE = "texture"
    CLOCK = "clock"
    SLEEP = "nanosleep"
    # Of bits:
    COUNT_ONES = "popc"
    LEADING_ZEROS = "clz"
    REVERSED_BITS = "brev"
    FIRST_ONE = "ffs"
    LAST_ONE = "bfind"
    NTH_ONE = "fns"
    # Of floating-point numbers:
    MULTIPLY_ADD = "fma"
    SHORT_SUM = "hadd"  # of halves
    SIGN = "sign"  # neg, abs, copysign: no work
    WHOLE = "whole"  # round, floor and the like: a float without a fraction
    MINIMUM = "min"
    MAXIMUM = "max"
    #: A product of matrices on the tensor cores.
    MATRIX_PRODUCT = "mma"
    REMOTE_ADDRESS = "mapa"  # the same place in another block of the cluster


#: What matters though nothing takes its result.
SEEN = frozenset({Function.SHOWN, Function.PRINTED, Function.EXCHANGED})

#: What takes a part of an array or a class held in registers, or replaces one.
PARTS = frozenset({Function.PART, Function.UPDATE})

#: What picks one lane out of a mask.
PICKING = frozenset(
    {
        Function.FIRST_ONE,
        Function.LEADING_ZEROS,
        Function.LAST_ONE,
        Function.REVERSED_BITS,
        Function.NTH_ONE,
    }
)


def widest(kind: AccessKind) -> int:
    """The most bytes that one thread moves by one access: more than shared memory holds by a bulk
    copy, a class that is copied as a whole by any other.
    """
    return 1 << 18 if kind is AccessKind.ASYNC_COPY else 1 << 14
