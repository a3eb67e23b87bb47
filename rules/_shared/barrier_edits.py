"""The edits that put missing barriers into the text.

In: races, each with the operation before which its barrier must come, and how a barrier is written.
Out: edits that order all of them, or none where the text gives no place for one: in macros, in the
head of a loop, behind `else if`, at the end of a loop with `continue`, around a statement that
directives cut in two. A function that the kernel calls is edited, too: the barrier is then there
for its other callers as well.
Where both accesses stand in one assignment, `s[i] += s[i + 8];`, the barrier goes between the
value and the store. A statement that stands alone after `if` or `for` gets braces.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...analyzer.findings.finding import Edit
from ...analyzer.ir.operations import Branch, Jump
from ...analyzer.source.records import dataclass
from ...analyzer.source.statements import FunctionText, assignment
from ...analyzer.source.text import Span
from .places import LOOPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analyzer.analyses.dataflow.control_flow import Loop
    from ...analyzer.analyses.races.facts import RaceFacts
    from ...analyzer.analyses.races.race import Race
    from ...analyzer.ir.operations import Operation
    from ...analyzer.source.statements import Statement

Edits = tuple[Edit, ...]
_STEP = "    "  # of indentation
_ATOM = re.compile(r"[\w.]+(?:\[[^\[\]]*\])*")
_OTHER_WAY = re.compile(r"\b(?:continue|goto)\b")  # to the next round than over the end


def barrier_edits(
    statements: Statements, placed: Sequence[tuple[Race, Operation]], barrier: str
) -> Edits:
    """The edits of a fix that put in barriers which order all of the races."""
    if statements.are_instructions:
        places = dict.fromkeys(place for _, place in placed)
        if not all(place is race.conflict.second.access for race, place in placed):
            return ()
        return _all_of([_before_instruction(place, barrier) for place in places])
    text = _CudaText(statements, barrier)
    if not all(text.demand(race, place) for race, place in placed):
        return ()
    return _all_of(list(text.edits()))


def _all_of(edits: Sequence[Edits]) -> Edits:
    """Every edit, or none where one is not possible."""
    return tuple(edit for each in edits for edit in each) if all(edits) else ()


@dataclass(frozen=True, slots=True)
class _Place:
    """A statement and the function that it stands in."""

    function: Span
    statement: Statement

    def has(self, operation: Operation) -> bool:
        """Whether an operation is written in the statement, or in a function that it calls."""
        spans = (operation.location.span, *(s.span for s in operation.location.call_chain()))
        statement = self.statement
        return any(
            self.function.covers(span) and statement.start <= span.start < statement.end
            for span in spans
        )


class Statements:
    """The statements of a kernel and of the functions that it calls; each function is read once."""

    def __init__(self, facts: RaceFacts) -> None:
        self._facts = facts
        self._texts: dict[Span, FunctionText] = {}

    @property
    def are_instructions(self) -> bool:
        """Whether the kernel is PTX, which has no statements."""
        return self._facts.kernel.language == "ptx"

    def is_one(self, first: Operation, second: Operation) -> bool:
        """Whether the first operation is written in the statement of the second one."""
        here = None if self.are_instructions else self.around(second)
        return here is not None and not here.statement.keyword and here.has(first)

    def around(self, operation: Operation) -> _Place | None:
        """The statement that an operation is written in; None for what a macro makes."""
        span = operation.location.span
        function = self._function_around(span)
        if operation.location.macro is not None or function is None:
            return None
        statement = self.at(function, span.start)
        return None if statement is None else _Place(function, statement)

    def at(self, function: Span, place: int) -> Statement | None:
        """The innermost statement around a place in a function."""
        if function not in self._texts:
            self._texts[function] = FunctionText(function.source.text, function.start, function.end)
        return self._texts[function].statement_at(place)

    def _function_around(self, span: Span) -> Span | None:
        if self._facts.kernel.body_span.covers(span):
            return self._facts.kernel.body_span
        around = (each.body_span for each in self._facts.module.functions)
        return next((each for each in around if each.covers(span)), None)


class _CudaText:
    """Where barriers go in the text of a kernel and of the functions that it calls."""

    def __init__(self, statements: Statements, barrier: str) -> None:
        self._statements = statements
        self._barrier = barrier
        self._before: dict[_Place, None] = {}
        self._inside: dict[_Place, None] = {}
        self._at_end: dict[_Place, None] = {}  # of what loops repeat

    def demand(self, race: Race, place: Operation) -> bool:
        """Notes where the barrier of one race goes; False when there is no place for it."""
        first, second = race.candidate.accesses
        if race.loop is not None and place is not second:
            return self._demand_at_end(race.loop, place)
        here = self._statements.around(place)
        if here is None:
            return False
        if place is not second:
            self._before[here] = None
            return _begins(here.statement, place)
        if race.loop is None and here.has(first):
            self._inside[here] = None
        else:
            self._before[here] = None
        return here.statement.keyword not in LOOPS  # the head of a loop runs in every round

    def _demand_at_end(self, loop: Loop, latch: Operation) -> bool:
        test = latch if getattr(latch, "construct", "") == "do" else loop.header.terminator
        here = self._statements.around(test) if isinstance(test, Branch) else None
        if here is None or here.statement.body is None or not here.statement.in_header:
            return False
        self._at_end[here] = None
        return _OTHER_WAY.search(here.function.source.text, *here.statement.body) is None

    def edits(self) -> Iterator[Edits]:
        """The edits for each statement and loop; an empty one where there is no way."""
        for here in self._before | self._inside:
            before, inside = here in self._before, here in self._inside
            yield self._inside_of(here, before) if inside else self._before_of(here)
        for here in self._at_end:
            yield self._at_end_of(here)

    def _before_of(self, here: _Place) -> Edits:
        statement, source = here.statement, here.function.source
        span = Span(source, statement.start, statement.end)
        if statement.in_block:
            at = Span(source, statement.start, statement.start)
            separator = _indentation(span)
            return (Edit(at, self._barrier + (" " if separator is None else separator)),)
        if statement.keyword:
            return ()
        return (Edit(span, f"{{ {self._barrier} {span.text} }}"),)

    def _inside_of(self, here: _Place, before: bool) -> Edits:
        """The barrier between the value and the store of an assignment, and one before it."""
        span = Span(here.function.source, here.statement.start, here.statement.end)
        parts = None if here.statement.keyword else assignment(span.text)
        if parts is None:
            return ()
        target, operator, value = parts
        if operator:
            value = f"{target} {operator} {value if _ATOM.fullmatch(value) else f'({value})'}"
        name = _unused_name(here.function.text)
        lines = [f"const auto {name} = {value};", self._barrier, f"{target} = {name};"]
        if before:
            lines.insert(0, self._barrier)
        indentation = _indentation(span)
        if indentation is None:
            return (Edit(span, "{ " + " ".join(lines) + " }"),)
        inner = "".join(f"{indentation}{_STEP}{line}" for line in lines)
        return (Edit(span, "{" + inner + indentation + "}"),)

    def _at_end_of(self, here: _Place) -> Edits:
        """The barrier as the last statement of what a loop repeats."""
        assert here.statement.body is not None
        repeated = Span(here.function.source, *here.statement.body)
        if not repeated.text.startswith("{"):
            alone = self._statements.at(here.function, repeated.start)
            if alone is None or alone.keyword:
                return ()
            return (Edit(repeated, f"{{ {repeated.text} {self._barrier} }}"),)
        brace = Span(repeated.source, repeated.end - 1, repeated.end - 1)
        indentation = _indentation(brace)
        if indentation is None:
            return (Edit(brace, f"{self._barrier} "),)
        return (Edit(brace, f"{_STEP}{self._barrier}{indentation}"),)


def _begins(statement: Statement, place: Operation) -> bool:
    """Whether what comes before the end of a block comes before this statement."""
    if isinstance(place, Branch):
        return statement.in_header and statement.keyword in ("if", "switch")
    return isinstance(place, Jump) and statement.keyword in LOOPS


def _indentation(span: Span) -> str | None:
    """The line end and the blanks before what begins its line; None when it does not."""
    text, start = span.source.text, span.start
    line = span.source.line_starts[span.line - 1]
    before = text[line:start]
    if before.strip():
        return None
    return ("\r\n" if text[max(0, line - 2) : line] == "\r\n" else "\n") + before


def _unused_name(text: str) -> str:
    words = set(re.findall(r"\w+", text))
    names = ("updated", *(f"updated_{number}" for number in range(2, len(words) + 3)))
    return next(name for name in names if name not in words)


def _before_instruction(place: Operation, barrier: str) -> Edits:
    span = place.location.span
    indentation = _indentation(span)
    if indentation is None:
        return ()
    return (Edit(Span(span.source, span.start, span.start), f"{barrier}{indentation}"),)
