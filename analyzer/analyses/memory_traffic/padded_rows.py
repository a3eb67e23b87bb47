"""Where the text of a padding goes, and whether it leaves the kernel's results as they are.

In: an array in shared memory, the kernel that declares it, the padding that was counted. Out: the
innermost extent in the declaration and its new text; None when the declaration is not written so
that one extent can be changed, when the array is used in any way but with all its subscripts
(its address, `sizeof`, fewer subscripts: code that may count on the old layout), when the kernel is
a template that the file has several instances of (what helps one can harm another), or when the
block would have more static shared memory than every GPU allows. `proven` says that every inner
subscript was evaluated and stays inside its row, so that no access reaches from one row into the
next; and that the kernel is no template, whose other instances were not evaluated.

Macros that name the array are not looked into: a file with one gets no edit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...ir.memory import Space
from ...ir.operations import Opcode, Operation
from ...ir.values import Constant, ObjectAddress
from ...source.records import dataclass
from ...source.text import Span
from ..warp_evaluation.access_iterations import sweep
from ..warp_evaluation.lane_values import LaneValue
from ..warp_evaluation.warp_evaluator import Unevaluable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ir.memory import MemoryObject
    from ...ir.operations import MemoryAccess
    from ...ir.values import Value
    from .facts import TrafficFacts, TrafficLaunch
    from .padding import Padding
    from .shared_accesses import SharedAccess

STATIC_LIMIT = 48 * 1024  # bytes per block; CUDA C++ Programming Guide, "Shared Memory"

_HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)
_GROUP = r"\s*\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\]"
_LOOSE = re.compile(r"[?<>=&|^,]")  # operators that bind less tightly than `+`


@dataclass(frozen=True, slots=True)
class ExtentEdit:
    """The edit that pads a shared array: the text of the new extent; `proven`: nothing else
    changes.
    """

    span: Span
    text: str
    proven: bool


def extent_edit(
    facts: TrafficFacts, object: MemoryObject, accesses: Sequence[SharedAccess], padding: Padding
) -> ExtentEdit | None:
    """The edit of the source that pads the rows of a shared array."""
    kernel = facts.kernel
    shared = [item for item in kernel.objects if item.space is Space.SHARED and not item.dynamic]
    held = sum(item.size or 0 for item in shared) + padding.extra_bytes
    if object.span is None or kernel.language != "cuda" or held > STATIC_LIMIT:
        return None
    if len(facts.instances) > 1:
        return None
    extent = _innermost_extent(object, object.span)
    if extent is None or not _always_subscripted(object, object.span):
        return None
    text = extent.text.strip()
    text = f"({text})" if _LOOSE.search(text) else text
    plain = kernel.status == "full" and not _is_in_template(facts, object.span)
    proven = plain and all(_stays_in_row(facts, object, item.access) for item in accesses)
    return ExtentEdit(extent, f"{text} + {padding.elements}", proven)


def _is_in_template(facts: TrafficFacts, span: Span) -> bool:
    """Whether the array may be declared once more for other template arguments."""
    around = [item for item in facts.module.functions if item.body_span.covers(span)]
    return not around or any(item.template is not None for item in around)


def _innermost_extent(object: MemoryObject, span: Span) -> Span | None:
    """What stands between the last brackets of the declarator, when it is written out there."""
    visible = _visible(span.text)
    count = len(object.extents)
    found = list(re.finditer(rf"\b{re.escape(object.name)}(?P<extents>(?:{_GROUP}){{{count}}})",
                             visible))  # fmt: skip
    if len(found) != 1:
        return None
    end = found[0].end() - 1
    start = visible.rindex("[", 0, end) + 1
    inner = Span(span.source, span.start + start, span.start + end)
    return inner if inner.text.strip() and "[" not in inner.text else None


def _always_subscripted(object: MemoryObject, declaration: Span) -> bool:
    """Whether every use in the block of the declaration has all subscripts, and no macro one."""
    text = _visible(declaration.source.text)
    name = rf"(?<![\w.]){re.escape(object.name)}\b"
    for line in re.finditer(r"^[ \t]*#(?:[^\n\\]|\\.)*", text, re.MULTILINE | re.DOTALL):
        if re.search(name, line[0]):
            return False
    subscripts = re.compile(rf"(?:{_GROUP}){{{len(object.extents)}}}")
    end = _end_of_block(text, declaration.end)
    for use in re.compile(name).finditer(text, declaration.end, end):
        before = text[: use.start()].rstrip()
        whole = subscripts.match(text, use.end(), end)
        if whole is None or before.endswith("&") or re.search(r"\bsizeof\s*\(?$", before):
            return False
    return True


def _end_of_block(text: str, start: int) -> int:
    """Where the braces around a place end."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth < 0:
            return match.start()
    return len(text)


def _visible(text: str) -> str:
    """The text with comments and literals blanked out."""
    return _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _stays_in_row(facts: TrafficFacts, object: MemoryObject, access: MemoryAccess) -> bool:
    """Whether what is added within a row is known and less than a row, in every launch."""
    row = (object.extents[-1] or 0) * (object.element.width or 0)
    addends = _inner_addends(object, access, row)
    return addends is not None and all(
        0 <= offset < row
        for addend in addends
        for launch in facts.launches
        for offset in _numbers(launch, access, addend)
    )


def _inner_addends(object: MemoryObject, access: MemoryAccess, row: int) -> list[Value] | None:
    """The parts of an address that are no whole number of rows; None when it is no such sum."""
    value = access.address
    found: list[Value] = []
    while isinstance(value, Operation) and value.opcode is Opcode.ADD:
        value, addend = value.operands
        if not _is_whole_rows(addend, row):
            found.append(addend)
    starts = isinstance(value, ObjectAddress) and value.object is object
    return found if starts and len(found) <= 1 else None


def _is_whole_rows(value: Value, row: int) -> bool:
    if isinstance(value, Constant):
        return isinstance(value.value, int) and value.value != 0 and value.value % row == 0
    if not isinstance(value, Operation) or value.opcode is not Opcode.MUL:
        return False
    factor = value.operands[1]
    return (
        isinstance(factor, Constant)
        and isinstance(factor.value, int)
        and factor.value != 0
        and factor.value % row == 0
    )


def _numbers(launch: TrafficLaunch, access: MemoryAccess, value: Value) -> Iterator[int]:
    """What a part of the address is in every active lane, warp and iteration; -1 when unknown."""
    swept = sweep(launch, access)
    if isinstance(swept, Unevaluable) or not swept.complete:
        yield -1
        return
    for warp in launch.warps():
        for outcome in _outcomes(launch, access, value, warp):
            yield from outcome.lanes if outcome is not None and outcome.is_number else (-1,)


def _outcomes(
    launch: TrafficLaunch, access: MemoryAccess, value: Value, warp: int
) -> Iterator[LaneValue | None]:
    plain = launch.evaluator(warp).value_in(access.block, value)
    if isinstance(plain, LaneValue) and plain.is_number:
        yield plain
        return
    iterations = launch.iterations(warp, launch.facts.flow.loop_nest(access.block))
    if iterations is None or not iterations.complete:
        yield None
        return
    for iteration in iterations.each:
        outcome = (iteration.evaluator or launch.evaluator(warp)).value_in(access.block, value)
        yield outcome if isinstance(outcome, LaneValue) else None
