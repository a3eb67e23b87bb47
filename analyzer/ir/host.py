"""What host code does with memory and with the CUDA runtime, as values.

In: nothing; the front end for CUDA writes them where control comes by. Out: allocations, pointers
to them, calls of the runtime, launches and accesses of the host itself, each with what is known
there. A pointer that may be one of several is not known; None is "not known" everywhere.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ..source.text import Span
    from .host_formulas import Formula


class Residence(Enum):
    """Where memory lies that host code has a pointer to; the words stand in messages."""

    VARIABLE = "a host variable"
    HEAP = "host memory"
    PINNED = "pinned host memory"
    DEVICE = "device memory"
    MANAGED = "managed memory"
    SYMBOL = "a device variable"
    MEMBER = "a part of an object that may lie anywhere"

    @property
    def on_host(self) -> bool:
        """Whether only the host may follow a pointer to it, unless it is pinned."""
        return self in (Residence.VARIABLE, Residence.HEAP)


@dataclass(frozen=True, slots=True)
class Allocation:
    """A variable of host code, or memory that a call such as `cudaMalloc` has given."""

    residence: Residence
    name: str  # of the variable that holds it, or that it is
    maker: str  # `cudaMalloc`, `new[]`; empty for a variable
    span: Span | None
    size: Formula | None  # bytes
    element_size: int | None  # of what the pointer's type says it points to
    part_size: int | None = None  # of the parts of an element that are all alike, as of `float4`
    short_element: int | None = None  # `element_size` where a `long` has 4 bytes
    of_pointers: bool = False  # the pointer's type says that it points to pointers

    @property
    def site(self) -> Hashable:
        """What tells it from others: where it was made and for whom, or the variable that it is."""
        return (self.span, self.name, self.residence)

    @property
    def elements(self) -> int | None:
        """How many elements it has, where that is a number."""
        if not isinstance(self.size, int) or not self.element_size:
            return None
        return self.size // self.element_size


@dataclass(frozen=True, slots=True)
class Release:
    """Where host code gave an allocation back, and with what."""

    span: Span
    function: str


@dataclass(frozen=True, slots=True)
class HostPointer:
    """A pointer in host code to an allocation's first byte, or anywhere into it (`inside`)."""

    allocation: Allocation
    freed: Release | None = None
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """A `sizeof` in an expression of host code."""

    text: str
    size: int | None
    of_pointer: bool  # the size of a pointer, not of what it points to
    of_container: bool = False  # the size of an object that has its elements elsewhere
    short_size: int | None = None  # `size` where a `long` has 4 bytes


@dataclass(frozen=True, slots=True)
class HostArgument:
    """An argument of a call in host code."""

    text: str
    span: Span | None
    formula: Formula | None = None
    pointer: HostPointer | None = None
    measures: tuple[Measure, ...] = ()
    is_string: bool = False
    takes_address: bool = False  # `&x`
    of_pointer: bool = False  # `&p` of a pointer: what lies there is one
    is_element: bool = False  # `*p`, `p[i]`, `p->x`, where no pointer of the host is known
    passed_at: Span | None = None  # the call of a helper that it was written in
    element_size: int | None = None  # of what its type points to, where no more is known of it


@dataclass(frozen=True, slots=True)
class HostCall:
    """A call in host code of the CUDA runtime, or of the C library's functions for memory."""

    name: str
    span: Span
    arguments: tuple[HostArgument, ...]
    function: str  # that makes it
    discarded: bool = False  # nobody looks at its result, or at the last error after it
    loop: Span | None = None  # the innermost one of the function
    made: Allocation | None = None  # what a variable points to after it


@dataclass(frozen=True, slots=True)
class HostLaunch:
    """A launch in host code with what its arguments point to."""

    kernel: str
    span: Span
    arguments: tuple[HostArgument, ...]
    function: str
    checked: bool  # something after it may ask for its error
    loop: Span | None = None  # the innermost one of the function


@dataclass(frozen=True, slots=True)
class HostAccess:
    """Host code follows a pointer: `p[i]`, `*p`."""

    pointer: HostPointer
    span: Span
    function: str
    begun: Span | None = None  # the launch or copy that may still work on it
    through: Span | None = None  # the call from the function that knows of this to the access


@dataclass(frozen=True, slots=True)
class HostView:
    """Host code casts a pointer: what it leads to is seen as elements of another size."""

    arguments: tuple[HostArgument]  # that is cast
    element_size: int
    span: Span
    function: str


HostEvent = HostCall | HostLaunch | HostAccess | HostView
