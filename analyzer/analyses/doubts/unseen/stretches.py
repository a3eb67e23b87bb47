"""The source that lies between two operations: what a header that was not found may change there.

In: two operations of a kernel, and the loop between whose iterations they differ, if any. Out: the
stretch of source from one to the other, in the innermost function that both stand in. Operations
that macros or different files bring have none.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from ....source.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ....ir.operations import Operation


def stretch(*operations: Operation) -> Span | None:
    """The source from the first of these operations to the last one, where an unseen macro may
    stand.
    """
    chains = [_places(operation) for operation in operations]
    shared = len(list(takewhile(lambda level: len(set(level)) == 1, zip(*chains, strict=False))))
    level = min(shared, *(len(chain) - 1 for chain in chains))
    return _cover([chain[level] for chain in chains])


def places(operations: Iterable[Operation]) -> set[Span]:
    """The places in the source of operations, and of the calls they came through, where unseen
    macros may stand.
    """
    return {place for operation in operations for place in _places(operation)}


def _places(operation: Operation) -> list[Span]:
    """The calls that an operation came through, the outermost first, and its own place."""
    location = operation.location
    sites = [site.span for site in location.call_chain()]
    return [*reversed(sites), location.span]


def _cover(spans: list[Span]) -> Span | None:
    source = spans[0].source
    if any(span.source is not source for span in spans):
        return None
    return Span(source, min(span.start for span in spans), max(span.end for span in spans))
