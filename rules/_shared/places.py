"""Places of the source: one finding for each, the calls that brought code there, and names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from ...analyzer.findings.finding import Fact, Related
from ...analyzer.ir.operations import Branch
from ...analyzer.source.location import SecondCall
from ...analyzer.source.words import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from ...analyzer.ir.kernel import Dimensions, Kernel
    from ...analyzer.ir.memory import MemoryObject
    from ...analyzer.ir.operations import Operation
    from ...analyzer.source.location import Location
    from ...analyzer.source.text import Span

T = TypeVar("T")
_NAME = re.compile(r"\w+")
LOOPS = frozenset(["for", "while", "do"])  # keywords


def once_each(found: Iterable[T], place: Callable[[T], Hashable]) -> Iterator[T]:
    """What a rule found, the first of each place."""
    told: set[Hashable] = set()
    for item in found:
        key = place(item)
        if key not in told:
            told.add(key)
            yield item


def is_loop(decision: Operation) -> bool:
    """Whether a decision is the condition of a loop, as the source has it."""
    return isinstance(decision, Branch) and decision.construct in LOOPS


def triple(numbers: Dimensions) -> str:
    """The index of a thread or a block in words: `(0, 0, 0)`."""
    return f"({', '.join(map(str, numbers))})"


def block_barrier(kernel: Kernel) -> str:
    """The barrier of the block, as the kernel's language writes it."""
    return "bar.sync 0" if kernel.language == "ptx" else "__syncthreads()"


def call_sites(location: Location) -> tuple[Related, ...]:
    """The calls through which an operation was inlined, as related places of a finding."""
    return tuple(Related(site.span, _site_label(site)) for site in location.call_chain())


def _site_label(site: Location) -> str:
    return "called once more" if isinstance(site, SecondCall) else "inlined from this call"


def line_name(span: Span, here: str) -> str:
    """The line of a place, with its file where that is not the one a finding stands in; in the
    body of a macro that of the statement there, as all of them are used on one line.
    """
    place = span.macro or span
    line = f"line {place.line}" if place.path == here else f"line {place.line} of {place.path}"
    if span.macro is None:
        return line
    name = _NAME.match(span.text)
    return f"{line} (in the macro `{name[0]}`)" if name else f"{line} (in a macro)"


def on_lines(spans: Iterable[Span], here: str, most: int | None = None) -> str:
    """Where something stands, in words: the lines, with their files where one is another file."""
    found = set(spans)
    if any(span.path != here for span in found):
        named = sorted({f"{span.path}:{span.line}" for span in found})
        return f"at {listed(named, most)}"
    lines = [str(line) for line in sorted({span.line for span in found})]
    return f"on {'line' if len(lines) == 1 else 'lines'} {listed(lines, most)}"


def declared_here(item: MemoryObject) -> tuple[Related, ...]:
    """The declaration of a variable, where it is seen."""
    return () if item.span is None else (Related(item.span, "declared here"),)


def cuda_line(location: Location) -> Iterator[Fact]:
    """Evidence of a finding in PTX with line information: the CUDA line of an operation."""
    origin = location.origin
    if origin is not None:
        line = f"{origin.path}:{origin.line}"
        yield Fact("cuda_line", line, f"compiled from {line}")


def object_name(item: MemoryObject) -> str:
    """The array's name: of what a parameter points to, the parameter's."""
    name = item.name.removeprefix("*")
    held = name[1:-1] if name.startswith("(") else ""  # what holds the pointer that leads there
    _, mark, number = (held or name).rpartition("_param_")  # nvcc's: symbol_param_0
    if held:
        return f"(*param_{number})" if mark else held if held.isidentifier() else name
    return f"param_{number}" if mark else name
