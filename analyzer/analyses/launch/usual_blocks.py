"""Blocks that people launch, for kernels of which nobody states one and 256 threads say nothing.

In: a kernel that asks for threadIdx.y or z. Out: the usual shapes that its launch bounds allow.
What is the same for all of them holds "for every usual block".
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ...ir.values import Special, SpecialRegister

if TYPE_CHECKING:
    from ...ir.kernel import Dimensions, Kernel

_PLANES: tuple[Dimensions, ...] = (
    (32, 8, 1), (16, 16, 1), (32, 32, 1), (64, 4, 1), (8, 8, 1),
)  # fmt: skip
_CUBES: tuple[Dimensions, ...] = ((32, 4, 2), (16, 8, 2), (8, 8, 8), (4, 4, 4))
_DEEP = frozenset({Special.THREAD_Z, Special.BLOCK_SIZE_Z})


def usual_blocks(kernel: Kernel) -> tuple[Dimensions, ...]:
    """The shapes, those of three dimensions where the kernel asks for the third."""
    asks = any(
        isinstance(operand, SpecialRegister) and operand.register in _DEEP
        for operation in kernel.operations()
        for operand in operation.operands
    )
    most = kernel.bounds.max_threads
    return tuple(
        shape for shape in (_CUBES if asks else _PLANES) if most is None or prod(shape) <= most
    )
