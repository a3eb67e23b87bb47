"""Findings about threads that leave an array of known size (`analyses/array_bounds`).

In: a rule, the facts of a kernel, an overrun. Out: the finding, with the thread, how far it goes,
and where the array has its size from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analyzer.findings.assumptions import assumed_block, assumed_grid, example_numbers
from ...analyzer.findings.doubts import stated
from ...analyzer.findings.finding import Fact, Finding, Part, Related
from ...analyzer.findings.verifying import sanitizer
from ...analyzer.source.words import plural
from .places import object_name
from .races import thread_at, verb

if TYPE_CHECKING:
    from ...analyzer.analyses.array_bounds.overruns import Overrun
    from ...analyzer.analyses.facts import KernelFacts
    from ...analyzer.findings.rule import Rule
    from ...analyzer.ir.memory import MemoryObject


def overrun_finding(rule: Rule, facts: KernelFacts, found: Overrun) -> Finding:
    """The finding for a thread that accesses memory beyond an array of known size."""
    from ...analyzer.analyses.doubts.question.doubt import doubts_of
    from ...analyzer.analyses.doubts.registry import OF_OVERRUNS

    access, item = found.access, found.item
    thread = thread_at(found.launch.block, found.thread)
    width = access.width or 1
    step = item.element.width or width
    index, rest = divmod(found.offset, step)
    who = f"thread {_shortest(thread)} of block {_shortest(found.block)} {verb(access)}"
    name = object_name(item)
    count, size = plural(found.size // step, "element"), plural(found.size, "byte")
    message = f"{who} {name}[{index:,}], but {name} has {count}"
    if rest:
        message = f"{who} {reach(found.offset, width)} of {name}, which has only {size}"
    return Finding(
        rule,
        access.location.span,
        (Part(message),),
        facts.kernel.label,
        rule.severity,
        doubts=stated(doubts_of(OF_OVERRUNS, found, every=True), facts.module.unseen),
        label="before its first element" if found.offset < 0 else "beyond its end",
        evidence=(
            Fact("object", name),
            Fact("offset", found.offset),
            Fact("size", found.size),
            Fact("thread", list(thread)),
            Fact("block", list(found.block)),
        ),
        assumptions=(
            assumed_block(found.launch),
            *assumed_grid(found.launch),
            *example_numbers(found.chosen),
        ),
        related=() if item.pointee else declared(item, found.size),
        verify=sanitizer("memcheck"),
    )


def reach(offset: int, width: int) -> str:
    """The bytes of an access beyond an array, in words."""
    return f"byte {offset}" if width == 1 else f"bytes {offset} to {offset + width - 1}"


def declared(item: MemoryObject, size: int) -> tuple[Related, ...]:
    """The related place of a finding: where an array is declared, with its bytes."""
    if item.span is None:
        return ()
    return (Related(item.span, f"{object_name(item)} has {plural(size, 'byte')}"),)


def _shortest(numbers: tuple[int, int, int]) -> str:
    """As few coordinates as tell the whole: `7`, `(7, 2)`."""
    shown = list(numbers)
    while len(shown) > 1 and shown[-1] == 0:
        shown.pop()
    return str(shown[0]) if len(shown) == 1 else f"({', '.join(map(str, shown))})"
