"""Integers of all threads of a block at once, and sets of its threads.

In: IR operations on vectors. Out: vectors. A `Vector` is one int where all threads agree, a tuple
with one entry per thread where they do not, or None where nothing is known; an entry of a tuple may
be None as well. Arithmetic is that of `ir/arithmetic.py`; what Python computes alike is done by
`map`, everything else thread by thread.
A set of threads is an int with one byte per thread, 0 or 1: unions and intersections are single
operations on it, and `bytes` turns it into flags and back.
Not handled: floating point, which is never known here.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import repeat
from operator import and_, or_
from typing import TYPE_CHECKING

from ...ir.arithmetic import direct_function, evaluate, number_range, wrap
from ...ir.operations import Opcode
from ...ir.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...ir.types import Type

Vector = int | tuple["int | None", ...] | None
Threads = int  # one byte per thread: 0 or 1


def everyone(count: int) -> Threads:
    """The set of all threads."""
    return int.from_bytes(b"\1" * count, "little")


@lru_cache(maxsize=256)
def flags(threads: Threads, count: int) -> bytes:
    """One flag per thread."""
    return threads.to_bytes(count, "little")


def size(threads: Threads) -> int:
    """How many threads are in the set."""
    return threads.bit_count()


def numbers(threads: Threads, count: int) -> list[int]:
    """The numbers of the threads in the set, ascending."""
    return [thread for thread, flag in enumerate(flags(threads, count)) if flag]


def first_of_each(threads: Threads, group: int, count: int) -> Threads:
    """Of so many threads in a row the first one that is in the set."""
    found: dict[int, int] = {}
    for thread in numbers(threads, count):
        found.setdefault(thread // group, thread)
    return sum(1 << 8 * thread for thread in found.values())


def entries(vector: Vector, count: int) -> Iterable[int | None]:
    """One entry per thread."""
    return vector if isinstance(vector, tuple) else repeat(vector, count)


def mixed(threads: Threads, new: Vector, old: Vector, count: int) -> Vector:
    """`new` for these threads, `old` for the others."""
    if new == old:
        return new
    choices = zip(flags(threads, count), entries(new, count), entries(old, count), strict=False)
    return tuple(b if flag else a for flag, b, a in choices)


def split(vector: Vector, threads: Threads, count: int) -> tuple[Threads, Threads, Threads]:
    """The threads for which a condition holds, does not hold, is not known."""
    if vector is None:
        return 0, 0, threads
    if isinstance(vector, int):
        return (threads, 0, 0) if vector else (0, threads, 0)
    unknown = 0
    if None in vector:
        unknown = int.from_bytes(bytes(entry is None for entry in vector), "little") & threads
    holds = int.from_bytes(bytes(map(bool, vector)), "little") & threads & ~unknown
    return holds, threads & ~holds & ~unknown, unknown


def compute(opcode: Opcode, type: Type, first: Vector, second: Vector, count: int) -> Vector:
    """A binary integer operation or comparison in `type`.

    `false && x` is known although `x` is not.
    """
    if opcode in _ABSORBING and (_has_unknown(first) or _has_unknown(second)):
        return _absorbed(opcode, type, first, second, count)
    if first is None or second is None:
        return None
    if isinstance(first, int) and isinstance(second, int):
        return evaluate(opcode, type, (wrap(first, type), wrap(second, type)))
    if type.kind not in (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE) or type.bits is None:
        return None
    try:
        direct = _directly(opcode, type, first, second, count)
    except TypeError:  # an entry is not known
        direct = None
    return direct if direct is not None else _one_by_one(opcode, type, first, second, count)


def _directly(
    opcode: Opcode, type: Type, first: Vector, second: Vector, count: int
) -> tuple[int, ...] | None:
    """The operation by `map`; None where Python computes something else than the hardware."""
    first, second = _wrapped(first, type), _wrapped(second, type)
    function = direct_function(opcode, type, _bounds(first), _bounds(second))
    if function is None:
        return None
    result = tuple(map(function, entries(first, count), entries(second, count)))  # type: ignore[arg-type]
    if opcode not in _GROWING:
        return result
    wrapped = _wrapped(result, type)
    assert isinstance(wrapped, tuple)
    return wrapped  # type: ignore[return-value]


#: What decides alone about a result.
_ABSORBING = {Opcode.AND: 0, Opcode.OR: -1}


def _has_unknown(vector: Vector) -> bool:
    return vector is None or (isinstance(vector, tuple) and None in vector)


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
    return tuple(found) if any(each is not None for each in found) else None


#: What may leave the range of the type.
_GROWING = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL})


def _wrapped(vector: Vector, type: Type) -> Vector:
    """Every entry reduced to the range of the type; TypeError when one is not known."""
    low, high = number_range(type)
    least, greatest = _bounds(vector)
    if low <= least and greatest <= high:
        return vector
    if isinstance(vector, int):
        return wrap(vector, type)
    assert vector is not None
    mask = high - low
    return tuple([((entry - low) & mask) + low for entry in vector])  # type: ignore[operator]


def _bounds(vector: Vector) -> tuple[int, int]:
    """The least and the greatest entry; TypeError when one is not known."""
    if isinstance(vector, tuple):
        return min(vector), max(vector)  # type: ignore[type-var,return-value]
    assert vector is not None
    return vector, vector


def _one_by_one(opcode: Opcode, type: Type, first: Vector, second: Vector, count: int) -> Vector:
    results: list[int | None] = []
    for a, b in zip(entries(first, count), entries(second, count), strict=False):
        if a is None or b is None:
            results.append(None)
        else:
            results.append(evaluate(opcode, type, (wrap(a, type), wrap(b, type))))
    return tuple(results)


def change(function: Callable[[int], int | None], vector: Vector) -> Vector:
    """A function of one operand."""
    if vector is None:
        return None
    if isinstance(vector, int):
        return function(vector)
    return tuple(None if entry is None else function(entry) for entry in vector)


def converted(vector: Vector, source: Type, target: Type) -> Vector:
    """A change of integer type."""
    integers = (Kind.INTEGER, Kind.POINTER, Kind.PREDICATE)
    if source.kind not in integers or target.kind not in integers:
        return None
    if target.kind is Kind.PREDICATE:
        return change(lambda entry: int(entry != 0), vector)
    if isinstance(vector, tuple):
        (low, high), (least, most) = number_range(source), number_range(target)
        try:
            a = _bounds(vector)
        except TypeError:
            a = (low - 1, high)
        if max(low, least) <= a[0] and a[1] <= min(high, most):
            return vector
    return change(lambda entry: wrap(wrap(entry, source), target), vector)


def chosen(condition: Vector, then: Vector, otherwise: Vector, count: int) -> Vector:
    """`condition ? then : otherwise`, thread by thread."""
    if condition is None:
        return then if then == otherwise else None
    if isinstance(condition, int):
        return then if condition else otherwise
    triples = zip(condition, entries(then, count), entries(otherwise, count), strict=False)
    return tuple(
        (a if a == b else None) if flag is None else (a if flag else b) for flag, a, b in triples
    )


def active(addresses: Vector, threads: Threads, count: int) -> list[int | None]:
    """The addresses of these threads."""
    if addresses is None or isinstance(addresses, int):
        return [addresses] * size(threads)
    return [a for a, flag in zip(addresses, flags(threads, count), strict=False) if flag]
