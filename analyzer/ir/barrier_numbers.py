"""Which barrier a number means, in CUDA C++ and in PTX alike.

Follows the PTX ISA, 9.7.13.1 (`bar`, `barrier`). Number 0 is the barrier of the block, unless it is
told how many of the threads come; any other number, and one that is computed, is a barrier of its
own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .operations import BarrierKind
from .values import Constant

if TYPE_CHECKING:
    from .values import Value


def identified(identifier: Value | None, count: Value | None) -> tuple[BarrierKind, Value | None]:
    """The kind of a hardware barrier, and its number where that tells it apart."""
    own = isinstance(identifier, Constant) and identifier.value == 0
    if identifier is None or (own and count is None):
        return BarrierKind.BLOCK, None
    return BarrierKind.NAMED, identifier
