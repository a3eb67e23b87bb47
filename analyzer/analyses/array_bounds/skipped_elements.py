"""Elements that no thread of a launch comes to: the kernel counts blocks larger than they are.

In: a kernel's facts. Out: launches of blocks with fewer threads along an axis than the constant by
which the kernel multiplies the block's index: `blockIdx.x * 256 + threadIdx.x` for blocks of 128.
That it is the number of an element, and not a place in a row of 256, shows in a comparison with a
size that is passed. Left out are indices that a loop moves, those that several axes of the block
number, and kernels that also come to what is a constant further: a thread may have several
elements. Where rows and columns change places (`out[(16 * blockIdx.x + threadIdx.y) * rows + ...]`)
the other axis of the block has too few threads as well.
Not handled: blocks larger than the constant, whose threads do the work of the next block again.
"""

from __future__ import annotations

from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import INEQUALITIES, Compare, Opcode, Operation, Phi, unconverted
from ...ir.values import Parameter, Special, SpecialRegister
from ...source.records import dataclass
from ..dataflow.affine import affine
from ..dataflow.reachability import postorder
from ..dataflow.slices import backward_slice, registers_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Launch
    from ...ir.values import Value
    from ..dataflow.affine import Affine
    from ..pointers.facts import PointerFacts

_AXES = (
    (Special.THREAD_X, Special.BLOCK_X),
    (Special.THREAD_Y, Special.BLOCK_Y),
    (Special.THREAD_Z, Special.BLOCK_Z),
)


@dataclass(frozen=True, slots=True)
class SkippedElements:
    """A launch with `threads` along an axis for a kernel that counts `pitch` of them: it skips
    elements.
    """

    launch: Launch
    axis: int
    threads: int
    pitch: int
    guard: Compare


def skipped_elements(facts: PointerFacts) -> Iterator[SkippedElements]:
    """The launches of a kernel whose threads skip elements of arrays, each once."""
    # What nobody launches with several threads along an axis needs no search.
    several = [a for a in range(3) if any((e.block[a] or 0) > 1 for e in facts.kernel.launches)]
    guards = [found for axis in several for found in _guards(facts, axis)]
    for launch in facts.kernel.launches:
        for axes, pitch, guard in guards:
            few = [launch.block[axis] or pitch for axis in axes]
            if all(1 < threads < pitch for threads in few):
                yield SkippedElements(launch, axes[0], few[0], pitch, guard)
                break


def _guards(facts: PointerFacts, axis: int) -> Iterator[tuple[list[int], int, Compare]]:
    """Comparisons of a thread's index along an axis with a parameter, and the index's pitch; the
    axis, and others whose threads come to what it counts.
    """
    thread, block = _AXES[axis]
    for operation in facts.kernel.operations():
        if not isinstance(operation, Compare) or operation.opcode not in INEQUALITIES:
            continue
        first, second = map(unconverted, operation.operands)
        for index, size in ((first, second), (second, first)):
            if not isinstance(size, Parameter):
                continue
            form = affine(index)
            pitch = form.pitch(thread, block)
            if pitch is None or _moves(index) or _is_flat(index, thread):
                continue
            others = _others_that_come(facts, form, axis)
            if others is not None:
                yield [axis, *sorted(others - {axis})], pitch, operation


def _is_flat(index: Value, thread: Special) -> bool:
    """Whether threads of other axes count on: `256 * block + 16 * threadIdx.y + threadIdx.x`."""
    registers = registers_in(index)
    return any(axis in registers for axis, _ in _AXES if axis is not thread)


def _moves(index: Value) -> bool:
    return any(isinstance(each, Phi) for each in backward_slice(index))


def _others_that_come(facts: PointerFacts, index: Affine, axis: int) -> set[int] | None:
    """The axes whose threads come to the elements of the index, wherever the block decides about an
    access to global memory; None where one goes elsewhere, or there is none.
    """
    block = _AXES[axis][1]
    found: set[int] = set()
    for access in facts.accesses:
        parts = backward_slice(access.address)
        decides = any(isinstance(e, SpecialRegister) and e.register is block for e in parts)
        if not decides or facts.points_to.spaces(access) != {Space.GLOBAL}:
            continue
        if _moves(access.address):
            return None
        there = [
            other
            for form, width in _indices(access.address, access.width or 1)
            if form.of(block)
            for other in range(3)
            if _is_same(form, width, index, axis, other)
        ]
        if len(there) != 1:
            return None
        found.update(there)
    return found or None


def _indices(address: Value, width: int) -> Iterator[tuple[Affine, int]]:
    """The sum that an address is, and those that are factors in it, of rows and their lengths: as
    often as each is one, or twice.
    """
    form = cache(affine)

    def factors(value: Value) -> list[Value]:
        made = (each for each in form(value).factors if isinstance(each, Operation))
        return [factor for each in made if each.opcode is Opcode.MUL for factor in each.operands]

    times: dict[Value, int] = {}
    for value in postorder(address, factors, times):
        times[value] = 0
    times[address] = 1
    for value in reversed(times):  # whatever a factor is in comes before it
        yield from repeat((form(value), width if value is address else 1), times[value])
        for factor in factors(value):
            times[factor] = min(times[factor] + times[value], 2)


def _is_same(form: Affine, width: int, index: Affine, axis: int, other: int) -> bool:
    """Whether it is the index, in units of so many bytes, with threads of this axis."""
    thread, block = _AXES[axis]
    counted = form.of(_AXES[other][0]) == width * index.of(thread)
    return (
        counted
        and form.of(block) == width * index.of(block)
        and form.number == width * index.number
    )
