"""What the declarations of a kernel add up to, before any compiler has seen it.

In: a kernel of the IR. Out: a `Usage` with the static shared memory and the parameters where the
source settles every type; all else is not known from source. Objects are laid out in the order of
declaration, each at its alignment (CUDA C++ Programming Guide, "Shared Memory"). A compiler may
drop what is never used or keep less of it, so the sum is what the source asks for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.memory import Space
from ..ir.usage import UNKNOWN, Amount, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..ir.kernel import Kernel
    from ..ir.memory import MemoryObject
    from ..ir.values import Parameter

_ADDRESS = 8  # bytes of an address


def declared_usage(kernel: Kernel) -> Usage:
    """The shared memory and parameters of a kernel that its declarations settle."""
    return Usage(static_shared=_shared(kernel.objects), parameters=_parameters(kernel))


def laid_out(sizes: Iterable[tuple[int, int]]) -> int:
    """The bytes that objects of (size, alignment) take one behind the other."""
    end = 0
    for size, alignment in sizes:
        end = -(-end // alignment) * alignment + size
    return end


def _shared(objects: Iterable[MemoryObject]) -> Amount:
    sizes: list[tuple[int, int]] = []
    for item in objects:
        if item.space is not Space.SHARED or item.dynamic:
            continue
        if item.size is None:
            return UNKNOWN
        sizes.append((item.size, item.alignment or min(item.element.width or 1, 16)))
    return Amount(laid_out(sizes), Source.DECLARED)


def least_parameters(kernel: Kernel) -> int:
    """The least bytes of a kernel's parameters as declared, for types that are not known."""
    return sum(map(_width, kernel.parameters))


def _width(parameter: Parameter) -> int:
    """What a launch copies: of a reference the address, 0 where the type is not known."""
    return _ADDRESS if parameter.reference else parameter.type.width or 0


def _parameters(kernel: Kernel) -> Amount:
    sizes: list[tuple[int, int]] = []
    for parameter in kernel.parameters:
        width = _width(parameter)
        if not width or width > 8:
            # The alignment of a structure is not kept with its size.
            return UNKNOWN
        sizes.append((width, width))
    return Amount(laid_out(sizes), Source.DECLARED)
