"""Blocks that people launch, for kernels of which nobody states one and 256 threads say nothing.

In: the special registers that a kernel asks for, threadIdx.y or z among them, and its launch bound.
Out: the usual shapes that the bound allows.
What is the same for all of them holds "for every usual block".
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ...ir.values import Special

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...ir.kernel import Dimensions

_PLANES: tuple[Dimensions, ...] = (
    (32, 8, 1), (16, 16, 1), (32, 32, 1), (64, 4, 1), (8, 8, 1), (32, 2, 1),
)  # fmt: skip
_CUBES: tuple[Dimensions, ...] = ((32, 4, 2), (16, 8, 2), (8, 8, 8), (4, 4, 4), (32, 2, 2))
_DEEP = frozenset({Special.THREAD_Z, Special.BLOCK_SIZE_Z})


def usual_blocks(registers: Collection[Special], most: int | None) -> tuple[Dimensions, ...]:
    """The block shapes that people launch, of at most so many threads, those of three dimensions
    where the third is asked for.
    """
    shapes = _PLANES if _DEEP.isdisjoint(registers) else _CUBES
    return tuple(shape for shape in shapes if most is None or prod(shape) <= most)
