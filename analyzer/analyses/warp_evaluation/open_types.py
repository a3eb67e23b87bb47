"""Types that nobody gives: of templates that nothing in the input instantiates.

In: a kernel's facts. Out: whether it accesses elements of such a type, and the sizes that they are
tried with. What is the same for all of them holds for most types that people pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.types import Kind
from ...ir.values import UnknownSize

if TYPE_CHECKING:
    from ...ir.operations import MemoryAccess
    from ..launch.assumed_launch import AssumedLaunch
    from .facts import WarpFacts

ELEMENTS = (4, 8, 2, 1)  # bytes


def has_open_types(facts: WarpFacts) -> bool:
    """Whether elements are accessed whose size is not known."""
    return any(access.width is None and _is_open(access) for access in facts.accesses)


def width_of(launch: AssumedLaunch, access: MemoryAccess) -> int | None:
    """The bytes that one thread accesses, an open type having the size that is asked for."""
    if access.width is None and _is_open(access):
        return launch.element
    return access.width


def open_sizes(facts: WarpFacts) -> list[UnknownSize]:
    """The sizes of types that are not known."""
    return [each for each in facts.users if isinstance(each, UnknownSize)]


def _is_open(access: MemoryAccess) -> bool:
    return access.element.kind is Kind.UNKNOWN
