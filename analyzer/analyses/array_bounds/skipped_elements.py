"""Elements that no thread of a launch comes to: the kernel counts blocks larger than they are.

In: a kernel's facts. Out: launches of blocks with fewer threads along an axis than the constant by
which the kernel multiplies the block's index: `blockIdx.x * 256 + threadIdx.x` for blocks of 128.
That it is the number of an element, and not a place in a row of 256, shows in a comparison with a
size that is passed. Left out are indices that a loop moves, those that several axes of the block
number, and kernels that also come to what is a constant further: a thread may have several
elements.
Not handled: blocks larger than the constant, whose threads do the work of the next block again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Compare, Opcode, Phi, unconverted
from ...ir.values import Parameter, Special, SpecialRegister
from ...source.records import dataclass
from ..dataflow.affine import affine
from ..dataflow.slices import backward_slice, registers_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...ir.kernel import Launch
    from ...ir.values import Value
    from ..dataflow.affine import Affine
    from ..pointers.facts import PointerFacts

_ORDERS = frozenset({Opcode.LT, Opcode.LE, Opcode.GT, Opcode.GE})
_AXES = (
    (Special.THREAD_X, Special.BLOCK_X),
    (Special.THREAD_Y, Special.BLOCK_Y),
    (Special.THREAD_Z, Special.BLOCK_Z),
)


@dataclass(frozen=True, slots=True)
class SkippedElements:
    """A launch with `threads` along an axis for a kernel that counts `pitch` of them."""

    launch: Launch
    axis: int
    threads: int
    pitch: int
    guard: Compare


def skipped_elements(facts: PointerFacts) -> Iterator[SkippedElements]:
    """Such launches of a kernel, each once."""
    # What nobody launches with several threads along an axis needs no search.
    several = [a for a in range(3) if any((e.block[a] or 0) > 1 for e in facts.kernel.launches)]
    guards = [found for axis in several for found in _guards(facts, axis)]
    for launch in facts.kernel.launches:
        for axis, pitch, guard in guards:
            threads = launch.block[axis]
            if threads is not None and 1 < threads < pitch:
                yield SkippedElements(launch, axis, threads, pitch, guard)
                break


def _guards(facts: PointerFacts, axis: int) -> Iterator[tuple[int, int, Compare]]:
    """Comparisons of a thread's index along an axis with a parameter, and the index's pitch."""
    thread, block = _AXES[axis]
    for operation in facts.kernel.operations():
        if not isinstance(operation, Compare) or operation.opcode not in _ORDERS:
            continue
        first, second = map(unconverted, operation.operands)
        for index, size in ((first, second), (second, first)):
            if not isinstance(size, Parameter):
                continue
            form = affine(index)
            pitch = form.pitch(thread, block)
            if pitch is None or _moves(index) or _is_flat(index, thread):
                continue
            if not _comes_elsewhere(facts, form, axis):
                yield axis, pitch, operation


def _is_flat(index: Value, thread: Special) -> bool:
    """Whether threads of other axes count on: `256 * block + 16 * threadIdx.y + threadIdx.x`."""
    registers = registers_in(index)
    return any(axis in registers for axis, _ in _AXES if axis is not thread)


def _moves(index: Value) -> bool:
    return any(isinstance(each, Phi) for each in backward_slice(index))


def _comes_elsewhere(facts: PointerFacts, index: Affine, axis: int) -> bool:
    """Whether an access to global memory that the block decides about goes elsewhere than to the
    element of the index, or none does.
    """
    thread, block = _AXES[axis]
    blocks = 0
    for access in facts.accesses:
        parts = backward_slice(access.address)
        decides = any(isinstance(e, SpecialRegister) and e.register is block for e in parts)
        if not decides or facts.points_to.spaces(access) != {Space.GLOBAL}:
            continue
        blocks += 1
        form, width = affine(access.address), access.width or 1
        same = all(form.of(each) == width * index.of(each) for each in (thread, block))
        if not same or form.number != width * index.number or _moves(access.address):
            return True
    return blocks == 0
