"""Copies and allocations whose sizes or directions contradict what their pointers lead to.

In: the calls of a file. Out: each that is wrong, and why: a direction that does not fit the memory
at either end, a number of elements where bytes are asked for, the size of a pointer in place of
what it points to, more bytes than there are, a symbol by its name in quotes or by its address.
A size is compared as a formula, so that `n` is told from `n * sizeof(float)` whatever `n` is. Of
copies of rows (`cudaMemcpy2D`), only that a row is longer than what lies between two of them.
Not handled: pointers into the middle of an allocation, and offsets
from the start of a symbol.
"""

from __future__ import annotations

from enum import Enum
from math import gcd
from typing import TYPE_CHECKING

from ...cuda.names.host_memory import TAKERS
from ...ir.host import HostCall, Residence
from ...ir.host_formulas import polynomial, product, ratio
from ...source.records import dataclass
from .declared_elements import is_declared_otherwise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...ir.host import Allocation, HostArgument, HostLaunch
    from ...ir.host_formulas import Formula
    from ...source.text import Span
    from .facts import HostFacts


class Mismatch(Enum):
    """What is wrong with a copy, fill or allocation that host code makes."""

    DIRECTION = "direction"
    ELEMENTS = "elements"  # where bytes are asked for
    OF_POINTER = "of pointer"  # sizeof a pointer
    OF_CONTAINER = "of container"  # sizeof a vector, whose elements are elsewhere
    NARROW = "narrow"  # sizeof a smaller type than the elements have
    TOO_LARGE = "too large"
    SYMBOL_NAME = "symbol name"
    SYMBOL_ADDRESS = "symbol address"
    POINTER_ITSELF = "pointer itself"  # where it lies, and not where it leads
    ON_HOST = "on host"  # what only memory of the device can be
    PLAIN_SYMBOL = "plain symbol"  # a device variable where a pointer is asked for
    PITCH = "pitch"  # from row to row, which is less than a row


@dataclass(frozen=True, slots=True)
class WrongCopy:
    """A copy, fill or allocation of host code with a mismatch; `allocation` is what it
    contradicts.
    """

    call: HostCall
    mismatch: Mismatch
    argument: HostArgument
    allocation: Allocation | None = None
    written: HostArgument | None = None  # what is to be corrected, where that is another argument
    element_size: int | None = None  # what the pointers' types say, where no allocation is known

    @property
    def place(self) -> Span:
        """The call that is wrong: of the runtime, or of a helper that hands on what it is given."""
        return (self.written or self.argument).passed_at or self.call.span


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where the arguments of a copying function stand."""

    pointers: tuple[int, ...]  # the destination first
    size: int
    direction: int | None = None
    symbol: int | None = None
    offset: int | None = None  # from the start of the symbol
    usual: str = ""  # the direction that is taken where none is given


_COPY = _Shape((0, 1), 2, 3)
_SET = _Shape((0,), 2)
_TO_SYMBOL = _Shape((0, 1), 2, 4, 0, 3, "cudaMemcpyHostToDevice")
_FROM_SYMBOL = _Shape((0, 1), 2, 4, 1, 3, "cudaMemcpyDeviceToHost")
_SHAPES = {
    "cudaMemcpy": _COPY,
    "cudaMemcpyAsync": _COPY,
    "cudaMemset": _SET,
    "cudaMemsetAsync": _SET,
    "cudaMemcpyToSymbol": _TO_SYMBOL,
    "cudaMemcpyToSymbolAsync": _TO_SYMBOL,
    "cudaMemcpyFromSymbol": _FROM_SYMBOL,
    "cudaMemcpyFromSymbolAsync": _FROM_SYMBOL,
}
#: Of copies and fills of rows: where the bytes from row to row stand, and those of a row.
_ROWS = {
    "cudaMemcpy2D": ((1, 3), 4),
    "cudaMemcpy2DAsync": ((1, 3), 4),
    "cudaMemcpy2DToArray": ((4,), 5),
    "cudaMemcpy2DToArrayAsync": ((4,), 5),
    "cudaMemcpy2DFromArray": ((1,), 5),
    "cudaMemcpy2DFromArrayAsync": ((1,), 5),
    "cudaMemset2D": ((1,), 3),
    "cudaMemset2DAsync": ((1,), 3),
}
_ALLOCATING = frozenset(
    {"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc"}
)
_POINTER = _NUMBER = 8  # bytes of a pointer, and of the widest number
_BY_SIZES = frozenset({Mismatch.NARROW, Mismatch.TOO_LARGE})
_OF_HOST = frozenset({Residence.VARIABLE, Residence.HEAP})  # alone: no device has an address of it
_HOST = _OF_HOST | {Residence.PINNED}
_DEVICE = frozenset({Residence.DEVICE, Residence.SYMBOL})
#: Where destination and source of a direction must not be. Pinned memory has one address for the
#: host and for the device (unified addressing): a copy takes it as either.
_WRONG = {
    "cudaMemcpyHostToHost": (_DEVICE, _DEVICE),
    "cudaMemcpyHostToDevice": (_OF_HOST, _DEVICE),
    "cudaMemcpyDeviceToHost": (_DEVICE, _OF_HOST),
    "cudaMemcpyDeviceToDevice": (_OF_HOST, _OF_HOST),
}


def wrong_copies(facts: HostFacts) -> Iterator[WrongCopy]:
    """Every copy, fill and allocation of host code that contradicts its pointers, with the first
    reason.
    """
    seen: set[tuple[object, ...]] = set()
    copied, used = _copied_together(facts.calls), _used_allocations(facts)
    for call in facts.reached_calls:
        shape = _SHAPES.get(call.name)
        if shape is not None:
            contradictions = _mismatches(call, shape, copied)
        elif call.name in _ROWS:
            contradictions = _of_rows(call)
        elif call.name in _ALLOCATING:
            made = (call.made or used[call.span]) if call.span in used else None
            contradictions = _of_allocation(call, made, copied)
        else:
            continue
        found = next((each for each in contradictions if not _is_seen_so(each, facts)), None)
        if found is None or found.place.source is not facts.module.source:
            continue  # another file's
        if (call.span, found.place) not in seen:
            seen.add((call.span, found.place))
            yield found


def _mismatches(
    call: HostCall, shape: _Shape, copied: dict[Span | None, list[HostArgument]]
) -> Iterator[WrongCopy]:
    yield from _of_symbols(call, shape)
    yield from _of_direction(call, shape)
    if len(call.arguments) <= shape.size:
        return
    size = call.arguments[shape.size]
    whole = list(_from_their_start(call, shape))
    of_pointer = any(call.arguments[at].of_pointer for at in shape.pointers)
    is_meant = of_pointer and all(each.of_pointer for each in size.measures)
    for allocation in whole:
        is_part = _is_low_part(call, size, allocation) or _is_first_part(call, size, allocation)
        ends = [call.arguments[at] for at in shape.pointers]
        others = [e for e in ends if e.pointer is None or e.pointer.allocation is not allocation]
        others += copied.get(allocation.span, [])
        is_part = is_part or is_declared_otherwise(size, allocation, others)
        if not is_meant and not is_part and not _counts_parts(call, size, allocation, shape):
            yield from _of_measure(call, size, allocation)
    for allocation in whole:
        yield from _of_size(call, size, allocation)
    if not is_meant:
        yield from _of_pointers(call, size, shape)


def _of_pointers(call: HostCall, size: HostArgument, shape: _Shape) -> Iterator[WrongCopy]:
    """The size of a pointer between two pointers to elements alike, of which no more is known."""
    widths = {call.arguments[at].element_size for at in shape.pointers}
    if len(widths) != 1 or len(size.measures) != 1 or size.formula is None:
        return
    (width,), (measure,) = widths, size.measures
    if not width:  # what is copied may be a pointer itself
        return
    fits = gcd(*polynomial(size.formula).values(), 0) % width == 0
    whole = size.text == measure.text and measure.size != width
    if measure.of_pointer and (whole or not fits):
        yield WrongCopy(call, Mismatch.OF_POINTER, size, element_size=width)


def _from_their_start(call: HostCall, shape: _Shape) -> Iterator[Allocation]:
    """What is copied from its first byte on: from elsewhere a part of any size may be meant."""
    given = () if shape.offset is None else call.arguments[shape.offset : shape.offset + 1]
    is_moved = any(offset.formula != 0 for offset in given)
    for at in shape.pointers:
        end = call.arguments[at].pointer
        if end is not None and not end.inside and not (is_moved and at == shape.symbol):
            yield end.allocation


def _of_symbols(call: HostCall, shape: _Shape) -> Iterator[WrongCopy]:
    for at in shape.pointers:
        if at >= len(call.arguments):
            continue
        argument = call.arguments[at]
        pointer = argument.pointer
        named = pointer is not None and pointer.allocation.residence is Residence.SYMBOL
        allocation = None if pointer is None else pointer.allocation
        if at == shape.symbol and argument.is_string:
            yield WrongCopy(call, Mismatch.SYMBOL_NAME, argument)
        elif at == shape.symbol and named and argument.takes_address:
            yield WrongCopy(call, Mismatch.SYMBOL_ADDRESS, argument, allocation)
        elif at != shape.symbol and named:
            yield WrongCopy(call, Mismatch.PLAIN_SYMBOL, argument, allocation)


def _of_direction(call: HostCall, shape: _Shape) -> Iterator[WrongCopy]:
    if shape.direction is None:
        yield from _of_fill(call, shape)
        return
    given = len(call.arguments) > shape.direction
    word = call.arguments[shape.direction].text if given else shape.usual
    for at, wrong in zip(shape.pointers, _WRONG.get(word, ()), strict=False):
        if at == shape.symbol or at >= len(call.arguments):
            continue
        argument = call.arguments[at]
        if argument.pointer is not None and argument.pointer.allocation.residence in wrong:
            made = argument.pointer.allocation
            written = call.arguments[shape.direction] if given else None
            if argument.of_pointer and made.residence is Residence.VARIABLE:
                yield WrongCopy(call, Mismatch.POINTER_ITSELF, argument, made)
            yield WrongCopy(call, Mismatch.DIRECTION, argument, made, written)


def _of_fill(call: HostCall, shape: _Shape) -> Iterator[WrongCopy]:
    """A fill of memory that the device does not reach."""
    for argument in call.arguments[: len(shape.pointers)]:
        pointer = argument.pointer
        if pointer is not None and pointer.allocation.residence in _OF_HOST:
            itself = Mismatch.POINTER_ITSELF if argument.of_pointer else Mismatch.ON_HOST
            yield WrongCopy(call, itself, argument, pointer.allocation)


def _of_measure(call: HostCall, size: HostArgument, allocation: Allocation) -> Iterator[WrongCopy]:
    """A `sizeof` of something else than the elements."""
    if len(size.measures) != 1:
        return
    (measure,) = size.measures
    if measure.of_container:
        yield WrongCopy(call, Mismatch.OF_CONTAINER, size, allocation)
        return
    width = allocation.element_size
    if not width and measure.of_pointer and size.text == measure.text:
        if isinstance(allocation.size, int) and allocation.size > (measure.size or _POINTER):
            yield WrongCopy(call, Mismatch.OF_POINTER, size, element_size=allocation.size)
        return
    if not width or size.formula is None:
        return
    if measure.size is None or measure.size == width:
        return
    fits = gcd(*polynomial(size.formula).values(), 0) % width == 0
    if measure.of_pointer and (not fits or size.text == measure.text):
        yield WrongCopy(call, Mismatch.OF_POINTER, size, allocation)
    elif allocation.part_size == 1:
        return  # elements of bytes are room for anything
    elif measure.size < width and not fits:
        yield WrongCopy(call, Mismatch.NARROW, size, allocation)


def _of_rows(call: HostCall) -> Iterator[WrongCopy]:
    """Rows that are longer than what lies between their starts: the call fails, but for one row,
    which an H100 copied with a pitch of 0.
    """
    pitches, width = _ROWS[call.name]
    if len(call.arguments) <= width + 1 or call.arguments[width + 1].formula == 1:
        return
    row = call.arguments[width].formula
    for at in pitches:
        pitch = call.arguments[at].formula
        if row is not None and pitch is not None and _exceeds(row, pitch):
            yield WrongCopy(call, Mismatch.PITCH, call.arguments[at])


def _is_low_part(call: HostCall, size: HostArgument, source: Allocation) -> bool:
    """Whether one number is copied out of a wider one, as much as its destination holds, or, where
    it is not known what that holds, the beginning of one object.
    """
    filled = call.arguments[0].pointer
    if filled is None:
        return source.size is not None and source.size == source.element_size
    if filled.inside or filled.allocation is source:
        return False
    held = filled.allocation.element_size or filled.allocation.size
    return size.formula is not None and size.formula == held


def _counts_parts(
    call: HostCall, size: HostArgument, allocation: Allocation, shape: _Shape
) -> bool:
    """Whether a size counts what is at the other end, of which elements here are made: the floats
    of an array that is copied to one of `float4`; or all floats there are, for all that is known.
    """
    if len(size.measures) != 1 or allocation.part_size is None:
        return False
    part, room = size.measures[0].size, allocation.size
    if room is not None and size.formula is not None and ratio(room, size.formula) is None:
        return allocation.part_size == part
    others = (
        call.arguments[at].element_size
        for at in shape.pointers
        if (end := call.arguments[at].pointer) is None or end.allocation is not allocation
    )
    return allocation.part_size == part and part in others


def _is_first_part(call: HostCall, size: HostArgument, filled: Allocation) -> bool:
    """Whether one object, larger than any number, is copied to where a wider one lies, which may
    begin with it; the other end holds such objects, for all that is known.
    """
    if len(size.measures) != 1 or len(call.arguments) < 2:
        return False
    (measure,) = size.measures
    if measure.size is None or measure.size <= _NUMBER or size.formula != measure.size:
        return False
    target, source = call.arguments[:2]
    leads_there = target.pointer is not None and target.pointer.allocation is filled
    held: Formula | None = source.element_size
    if source.pointer is not None:
        held = source.pointer.allocation.element_size or source.pointer.allocation.size
    return leads_there and held in (None, 0, measure.size)


def _is_seen_so(wrong: WrongCopy, facts: HostFacts) -> bool:
    """Whether what is too small for the elements is that of elements that a cast sees there, as
    parts of complex numbers in a transform that is done in place.
    """
    if wrong.mismatch is not Mismatch.NARROW or wrong.allocation is None:
        return False
    (measure,) = wrong.argument.measures
    return (wrong.allocation.site, measure.size) in facts.views


def _of_size(call: HostCall, size: HostArgument, allocation: Allocation) -> Iterator[WrongCopy]:
    """As many bytes as there are elements, or more than there are bytes."""
    if size.formula is None or allocation.size is None:
        return
    if _counts_elements(size, allocation):
        yield WrongCopy(call, Mismatch.ELEMENTS, size, allocation)
    elif _exceeds(size.formula, allocation.size):
        yield WrongCopy(call, Mismatch.TOO_LARGE, size, allocation)


def _counts_elements(size: HostArgument, allocation: Allocation) -> bool:
    """Whether a number of bytes is that of the elements; one element may be meant."""
    width = allocation.element_size
    if width is None or width < 2 or size.measures or size.formula is None:
        return False
    if allocation.size is None or (isinstance(size.formula, int) and size.formula <= width):
        return False
    return ratio(allocation.size, size.formula) == (width, 1)


def _exceeds(size: Formula, room: Formula) -> bool:
    if isinstance(size, int) and isinstance(room, int):
        return size > room
    more, less = ratio(size, room) or (1, 1)
    return more > less


def is_wrong_by_short_long(wrong: WrongCopy) -> bool:
    """Whether a size contradicts its pointer where a `long` has 4 bytes, too, as on Windows."""
    allocation, measures = wrong.allocation, wrong.argument.measures
    if wrong.mismatch not in _BY_SIZES or allocation is None or len(measures) != 1:
        return True
    (measure,) = measures
    long_size, long_width = measure.size or 1, allocation.element_size or 1
    size_of_one, width = measure.short_size or long_size, allocation.short_element or long_width
    if wrong.mismatch is Mismatch.NARROW:
        return size_of_one < width
    size = product(wrong.argument.formula, size_of_one * long_width)
    room = product(allocation.size, width * long_size)
    return size is None or room is None or _exceeds(size, room)


def _copied_together(calls: Iterable[HostCall]) -> dict[Span | None, list[HostArgument]]:
    """By where an allocation was made: what is copied from or to it."""
    found: dict[Span | None, list[HostArgument]] = {}
    for call in calls:
        shape = _SHAPES.get(call.name)
        if shape is None or len(shape.pointers) != 2 or len(call.arguments) < 2:
            continue
        ends = [call.arguments[at] for at in shape.pointers]
        for end, other in (ends, ends[::-1]):
            if end.pointer is not None and not end.pointer.inside:
                found.setdefault(end.pointer.allocation.span, []).append(other)
    return found


def _of_allocation(
    call: HostCall, made: Allocation | None, copied: dict[Span | None, list[HostArgument]]
) -> Iterator[WrongCopy]:
    """An allocation of the wrong size for the elements that its pointer leads to."""
    if made is None or len(call.arguments) < 2:
        return
    size = call.arguments[1]
    others = copied.get(made.span, [])
    if not is_declared_otherwise(size, made, others):
        yield from _of_measure(call, size, made)
    if size.measures or size.formula is None or made.element_size in (None, 1):
        return
    whole = (each.pointer for each in others if each.pointer is not None)
    for partner in (each.allocation for each in whole if not each.inside):
        alike = partner.element_size == made.element_size
        if alike and partner.residence in _HOST and _counts_elements(size, partner):
            yield WrongCopy(call, Mismatch.ELEMENTS, size, made)


def _used_allocations(facts: HostFacts) -> dict[Span | None, Allocation]:
    """What pointers in the file lead to, by where it was made; what is only given back again has no
    elements.
    """
    found: dict[Span | None, Allocation] = {}
    calls = (call for call in facts.calls if call.name not in TAKERS)
    users: tuple[HostCall | HostLaunch, ...] = (*calls, *facts.launches)
    for user in users:
        for argument in user.arguments:
            if argument.pointer is not None:
                made = argument.pointer.allocation
                found.setdefault(made.span, made)
    for access in facts.accesses:
        found.setdefault(access.pointer.allocation.span, access.pointer.allocation)
    return found
