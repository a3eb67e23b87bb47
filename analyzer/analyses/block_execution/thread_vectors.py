"""Integers of all threads of a block at once, and sets of its threads.

In: IR operations on vectors. Out: vectors. A `Vector` is one int where all threads agree, one entry
per thread (`per_thread.py`) where they do not, or None where nothing is known; an entry may be None
as well. Arithmetic is that of `ir/arithmetic.py`: for all threads at once where packed numbers
allow it (`packed_arithmetic.py`), by `map` where Python computes alike, else thread by thread.
A set of threads is an int with one byte per thread, 0 or 1: unions and intersections are single
operations on it, and `bytes` turns it into flags and back.
Not handled: floating point, which is never known here.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import compress, repeat
from operator import and_, or_
from typing import TYPE_CHECKING

from ...ir.arithmetic import direct_function, function_of_two, number_range, wrap
from ...ir.operations import Opcode
from ...ir.types import Kind
from ...ir.values import Special
from ..warp_evaluation.lane_values import WARP
from .packed_arithmetic import Known, bounds, is_within, packed_result
from .per_thread import PerThread, as_flags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...ir.types import Type

_ABOVE = frozenset({Special.LANE_MASK_LE, Special.LANE_MASK_GT})  # the own lane is below
LANE_MASKS = _ABOVE | {Special.LANE_MASK_EQ, Special.LANE_MASK_LT, Special.LANE_MASK_GE}

Vector = int | PerThread | None
Threads = int  # one byte per thread: 0 or 1


@cache
def everyone(count: int) -> Threads:
    """The set of all threads of a block."""
    return int.from_bytes(b"\1" * count, "little")


@lru_cache(maxsize=256)
def flags(threads: Threads, count: int) -> bytes:
    """One byte per thread of a block: whether it is in the set."""
    return threads.to_bytes(count, "little")


def size(threads: Threads) -> int:
    """How many threads of a block are in the set."""
    return threads.bit_count()


def numbers(threads: Threads, count: int) -> list[int]:
    """The numbers of the threads of a block that are in the set, ascending."""
    return list(compress(range(count), flags(threads, count)))


@lru_cache(maxsize=64)
def indices(step: int, extent: int, count: int) -> PerThread:
    """The index of each thread of a block along an axis: `thread / step % extent`."""
    return PerThread(tuple([thread // step % extent for thread in range(count)]))


@lru_cache(maxsize=16)
@lru_cache(maxsize=16)
def lane_masks(register: Special, count: int) -> PerThread:
    """A special register with the lanes of the warp below, at or above each thread's own."""
    least = [1 << thread % WARP for thread in range(count)]
    least = [2 * each if register in _ABOVE else each for each in least]
    if register is Special.LANE_MASK_EQ:
        return PerThread(tuple(least))
    upwards = register in (Special.LANE_MASK_GE, Special.LANE_MASK_GT)
    return PerThread(tuple([(1 << WARP) - each if upwards else each - 1 for each in least]))


def first_lanes(lanes: int, count: int) -> Threads:
    """The threads of a block that are among so many first ones of their warp."""
    whole = b"\1" * min(lanes, WARP) + bytes(max(WARP - lanes, 0))
    return int.from_bytes((whole * (count // WARP + 1))[:count], "little")


def first_of_each(threads: Threads, group: int, count: int) -> Threads:
    """For each group of so many threads of a block in a row, the first one that is in the set."""
    found: dict[int, int] = {}
    for thread in numbers(threads, count):
        found.setdefault(thread // group, thread)
    return sum(1 << 8 * thread for thread in found.values())


def entries(vector: Vector, count: int) -> Iterable[int | None]:
    """What each thread of a block has in a vector."""
    return vector.entries if isinstance(vector, PerThread) else repeat(vector, count)


def entry_of(thread: int, vector: Vector) -> int | None:
    """What one thread of a block has in a vector."""
    return vector.entries[thread] if isinstance(vector, PerThread) else vector


def mixed(threads: Threads, new: Vector, old: Vector, count: int) -> Vector:
    """The vector with `new` for these threads of a block, `old` for the others."""
    if new == old:
        return new
    choices = zip(flags(threads, count), entries(new, count), entries(old, count), strict=False)
    return PerThread(tuple([b if flag else a for flag, b, a in choices]))


def split(vector: Vector, threads: Threads, count: int) -> tuple[Threads, Threads, Threads]:
    """The threads of a block for which a condition holds, does not hold, is not known."""
    if vector is None:
        return 0, 0, threads
    if isinstance(vector, int):
        return (threads, 0, 0) if vector else (0, threads, 0)
    if vector.known and vector.low >= 0 and vector.high <= 1 and vector.packed is not None:
        holds = int.from_bytes(as_flags(vector.packed, count), "little") & threads
        return holds, threads & ~holds, 0
    unknown = 0
    if not vector.known:
        unknown = int.from_bytes(bytes(entry is None for entry in vector), "little") & threads
    holds = int.from_bytes(bytes(map(bool, vector)), "little") & threads & ~unknown
    return holds, threads & ~holds & ~unknown, unknown


def threads_by_value(vector: Vector, count: int) -> dict[int | None, Threads]:
    """By each value of a vector the threads of the block that have it."""
    found: dict[int | None, Threads] = {}
    for thread, entry in enumerate(entries(vector, count)):
        found[entry] = found.get(entry, 0) | 1 << 8 * thread
    return found


def compute(opcode: Opcode, type: Type, first: Vector, second: Vector, count: int) -> Vector:
    """A binary integer operation or comparison in `type`, for all threads of a block.

    `false && x` is known although `x` is not.
    """
    if opcode in _ABSORBING and not (is_known(first) and is_known(second)):
        return _absorbed(opcode, type, first, second, count)
    if first is None or second is None:
        return None
    if isinstance(first, int) and isinstance(second, int):
        return function_of_two(opcode, type)(first, second)
    if type.kind not in _INTEGERS or type.bits is None:
        return None
    if is_known(first) and is_known(second):
        if opcode not in _RING:
            first, second = _wrapped(first, type), _wrapped(second, type)
        result = packed_result(opcode, first, second, count)
        if result is None:
            result = _mapped(opcode, type, first, second, count)
        if result is not None:
            return _wrapped(result, type) if opcode in _GROWING else result
    return _one_by_one(opcode, type, first, second, count)


_INTEGERS = frozenset({Kind.INTEGER, Kind.POINTER, Kind.PREDICATE})
#: What decides alone about a result.
_ABSORBING = {Opcode.AND: 0, Opcode.OR: -1}
#: What gives the same, but for a multiple of the type's range, whether operands are in it or not.
_RING = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL})
#: What may leave the range of the type.
_GROWING = _RING | {Opcode.SHL}


def is_known(vector: Vector) -> bool:
    """Whether it is known what every thread of a block has in a vector."""
    return isinstance(vector, int) or (vector is not None and vector.known)


def is_integer(type: Type) -> bool:
    """Whether vectors of a block's threads hold what has this type."""
    return type.kind in _INTEGERS


def _mapped(
    opcode: Opcode, type: Type, first: Known, second: Known, count: int
) -> PerThread | None:
    """The operation by `map`; None where Python computes something else than the hardware."""
    function = direct_function(opcode, type, bounds(first), bounds(second))
    if function is None:
        return None
    return PerThread(tuple(map(function, entries(first, count), entries(second, count))))  # type: ignore[arg-type]


def _absorbed(opcode: Opcode, type: Type, first: Vector, second: Vector, count: int) -> Vector:
    """What one operand decides where the other is not known; the rest in the usual way."""
    if (first is None and second is None) or type.bits is None:
        return None
    low, high = number_range(type)
    alone = _ABSORBING[opcode]
    number = alone if low <= alone else high  # all bits of an unsigned type, a predicate's true
    mask = high - low
    if any(isinstance(each, int) and not (each - number) & mask for each in (first, second)):
        return number
    if first is None or second is None:
        known = entries(second if first is None else first, count)
        found = [None if e is None or (e - number) & mask else number for e in known]
    else:
        both = and_ if opcode is Opcode.AND else or_
        found = [
            ((both(a, b) - low) & mask) + low
            if a is not None and b is not None
            else number
            if (a is not None and not (a - number) & mask)
            or (b is not None and not (b - number) & mask)
            else None
            for a, b in zip(entries(first, count), entries(second, count), strict=False)
        ]
    return PerThread(tuple(found)) if any(each is not None for each in found) else None


def _wrapped(vector: Known, type: Type) -> Known:
    """Every entry reduced to the range of the type."""
    if isinstance(vector, int):
        return wrap(vector, type)
    low, high = number_range(type)
    if is_within(vector, low, high):
        return vector
    mask = high - low
    return PerThread(tuple([((entry - low) & mask) + low for entry in vector.entries]))  # type: ignore[operator]


def _one_by_one(opcode: Opcode, type: Type, first: Known, second: Known, count: int) -> PerThread:
    function = function_of_two(opcode, type)
    pairs = zip(entries(first, count), entries(second, count), strict=False)
    return PerThread(tuple([None if a is None or b is None else function(a, b) for a, b in pairs]))


def change(function: Callable[[int], int | None], vector: Vector) -> Vector:
    """A function of one operand, computed for all threads of a block."""
    if vector is None:
        return None
    if isinstance(vector, int):
        return function(vector)
    return PerThread(tuple([None if each is None else function(each) for each in vector.entries]))


def converted(vector: Vector, source: Type, target: Type) -> Vector:
    """A change of integer type, for all threads of a block; a number of unknown type is one."""
    if source.kind is Kind.UNKNOWN:
        source = target
    if not (is_integer(source) and is_integer(target)):
        return None
    if target.kind is Kind.PREDICATE:
        return change(lambda entry: int(entry != 0), vector)
    if source.bits is None or target.bits is None:
        return change(lambda entry: wrap(wrap(entry, source), target), vector)
    (low, high), (least, most) = number_range(source), number_range(target)
    common = max(low, least), min(high, most)
    if isinstance(vector, PerThread) and vector.known and is_within(vector, *common):
        return vector
    held, kept = high - low, most - least
    return change(lambda entry: ((((entry - low) & held) + low - least) & kept) + least, vector)


def chosen(condition: Vector, then: Vector, otherwise: Vector, count: int) -> Vector:
    """`condition ? then : otherwise`, thread by thread of a block."""
    if condition is None:
        return then if then == otherwise else None
    if isinstance(condition, int):
        return then if condition else otherwise
    triples = zip(condition.entries, entries(then, count), entries(otherwise, count), strict=False)
    found = [
        (a if a == b else None) if flag is None else (a if flag else b) for flag, a, b in triples
    ]
    return PerThread(tuple(found))


def active(addresses: Vector, threads: Threads, count: int) -> list[int | None]:
    """The addresses of these threads of a block."""
    if addresses is None or isinstance(addresses, int):
        return [addresses] * size(threads)
    if threads == everyone(count):
        return list(addresses.entries)
    return list(compress(addresses.entries, flags(threads, count)))
