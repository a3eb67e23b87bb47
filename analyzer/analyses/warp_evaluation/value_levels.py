"""What a kernel's named values and decisions agree on, for a reader to check.

In: the facts of a kernel for one launch. Out: one entry per value that a reader can point at: a
variable where it gets its value, a value that is loaded or exchanged between lanes, a decision.
Code that was inlined at several calls is one entry with the widest variation of all calls. Not
listed: intermediate results, and PTX registers that only copy a parameter or special register,
since such a copy is no operation of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...ir.operations import (
    Branch,
    Call,
    Field,
    MemoryAccess,
    Operation,
    Phi,
    Switch,
    WarpOperation,
)
from ...ir.types import VOID
from ...source.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...source.text import Span
    from .facts import WarpLaunch
    from .uniformity import Uniformity

_BLANKS = re.compile(r"\s+")
_DESTINATION = re.compile(r"\s(\{[^}]*\}|[%$\w.|]+)\s*,")


@dataclass(frozen=True, slots=True)
class ValueLevel:
    """A named value or decision, where it stands and whether grid, block or warp agree on it.

    `kind` is "variable", "load", "lanes" (exchanged between lanes), "call" or "branch"; the name of
    what has none is its own text.
    """

    kind: str
    name: str
    span: Span
    level: Uniformity


def value_levels(launch: WarpLaunch) -> list[ValueLevel]:
    """Who agrees on each named value and decision of one kernel, in the order of the source."""
    widest: dict[tuple[str, str, Span], Uniformity] = {}
    for kind, name, span, level in _entries(launch):
        key = (kind, name, span)
        widest[key] = max(level, widest.get(key, level))
    found = [ValueLevel(*key, level) for key, level in widest.items()]
    return sorted(found, key=lambda item: (item.span.path, item.span.line, item.span.start))


def _entries(launch: WarpLaunch) -> Iterator[tuple[str, str, Span, Uniformity]]:
    kernel, levels = launch.facts.kernel, launch.uniformity
    named = {id(item.value) for item in kernel.definitions}
    for item in kernel.definitions:
        yield "variable", item.name, item.location.span, levels.of(item.value)
    for operation in kernel.operations():
        span = operation.location.span
        if isinstance(operation, Branch | Switch):
            yield "branch", condition_text(operation), span, levels.of_branch(operation.block)
        elif operation.type is VOID or id(operation) in named:
            continue
        elif kernel.language == "ptx":
            if not isinstance(operation, Phi | Field):  # a part of a vector has no name of its own
                yield _kind(operation) or "variable", _register(span), span, levels.of(operation)
        elif _kind(operation):
            yield _kind(operation), _one_line(span.text), span, levels.of(operation)


def _kind(operation: Operation) -> str:
    if isinstance(operation, MemoryAccess):
        return "load"
    if isinstance(operation, WarpOperation):
        return "lanes"
    return "call" if isinstance(operation, Call) else ""


def condition_text(decision: Operation) -> str:
    """The condition of a decision, as the source has it: `i < n`; for PTX the whole instruction."""
    return _one_line(decision.location.span.text)


def _register(span: Span) -> str:
    """The destination of a PTX instruction."""
    found = _DESTINATION.search(span.text)
    return _one_line(found.group(1) if found else span.text)


def _one_line(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
