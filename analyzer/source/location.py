"""Where an operation comes from: its own place, and the calls that were inlined around it.

`span` is where the user should look: the macro use, not the macro body; the PTX line, not the
CUDA line. `inlined_at` is the call that brought the operation here. `origin` is the CUDA line that
a `.loc` directive names. `assembly` says that the place is an `asm` statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .text import Span


class OriginLine(NamedTuple):
    """A line of another file, known by name only (PTX `.loc`)."""

    path: str
    line: int
    column: int


class Location:
    """The place in the source that an IR operation comes from; immutable by convention, shared
    between operations.
    """

    __slots__ = ("_span", "assembly", "inlined_at", "origin")

    def __init__(
        self,
        span: Span,
        inlined_at: Location | None = None,
        origin: OriginLine | None = None,
        *,
        assembly: bool = False,
    ) -> None:
        self._span = span
        self.inlined_at = inlined_at
        self.origin = origin
        self.assembly = assembly

    @property
    def span(self) -> Span:
        """Where the user should look."""
        return self._span

    @property
    def macro(self) -> Span | None:
        """The place in the body of the macro that made this, if one did."""
        return self.span.macro

    def call_chain(self) -> Iterator[Location]:
        """The calls this place was inlined through, innermost first."""
        site = self.inlined_at
        while site is not None:
            yield site
            site = site.inlined_at

    def __repr__(self) -> str:
        return repr(self.span)


class SecondCall(Location):
    """The place of a function in the source which is looked at as if code called it twice: the
    second call. No text has that call: `span` is the function's header.
    """

    __slots__ = ()
