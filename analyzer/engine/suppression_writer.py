"""Suppressions written beside findings, for `--add-ignore`.

In: the findings in one file, and a reason. Out: the text with a suppression of each that can have
one, and the findings that are suppressed by it. A code joins the list of a comment that is on the
line already, else a comment is written at the end of the line, or above it where the end of the
line is no place for one (a line that goes on in the next, a literal or a comment that does).
Nothing has to be analysed for that: a text that has the same tokens shows the same findings, and
which of them a comment covers can be read from the text.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ..findings.finding import Edit
from ..findings.rule import Subject
from ..findings.suppressions import COMMENTS, read_suppressions
from ..source.text import SourceText, Span
from ..source.tokens import same_tokens
from .edits import edited
from .suppressing import means

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..findings.finding import Finding
    from ..findings.suppressions import Suppression


def with_suppressions(
    source: SourceText, findings: Sequence[Finding], reason: str
) -> tuple[str, list[Finding]]:
    """The text with suppressions of the findings in it, and those that it suppresses."""
    adding = _Adding(source, " ".join(reason.split()))
    lines: dict[int, list[Finding]] = {}
    for finding in findings:
        if finding.rule.subject is not Subject.SUPPRESSIONS:
            lines.setdefault(finding.span.line, []).append(finding)
    first = {line: next(adding.edits(line, here), None) for line, here in lines.items()}
    edits = [edit for edit in first.values() if edit is not None]
    done = {line: here for line, here in lines.items() if first[line] is not None}
    if not adding.holds(edits, done):  # something is in the way of one of them
        edits, done = [], {}
        for line, here in lines.items():
            for edit in adding.edits(line, here):
                if adding.holds([*edits, edit], {**done, line: here}):
                    edits.append(edit)
                    done[line] = here
                    break
    return edited(source.text, edits), [finding for here in done.values() for finding in here]


class _Adding:
    """The comments of one text, and those that can be put there."""

    def __init__(self, source: SourceText, reason: str) -> None:
        self._source = source
        self._reason = reason
        self._suppressions, self._flaws = read_suppressions(source)
        self._ends = [match.span() for match in COMMENTS.finditer(source.text)]

    def edits(self, line: int, findings: Sequence[Finding]) -> Iterator[Edit]:
        """The edits to try on a line, the best first."""
        source = self._source
        codes = list(dict.fromkeys(finding.rule.code for finding in findings))
        for suppression in self._suppressions:
            comment = suppression.comments[0]
            if suppression.first == suppression.last == line and comment.span.line == line:
                words = [selector.text for selector in suppression.selectors]
                yield Edit(comment.brackets, f"[{', '.join([*words, *codes])}]")
                return
        mark = f"// warplint: ignore[{', '.join(codes)}] {self._reason}".rstrip()
        text = source.line(line)
        start = source.line_starts[line - 1]
        end = start + len(text)
        if not text.rstrip().endswith("\\") and not self._inside(end):
            yield Edit(Span(source, start + len(text.rstrip()), end), f"  {mark}")
        if not source.line(line - 1).rstrip().endswith("\\") and not self._inside(start):
            indent = text[: len(text) - len(text.lstrip())]
            line_end = "\r\n" if source.text.find("\r\n") >= 0 else "\n"
            yield Edit(Span(source, start, start), f"{indent}{mark}{line_end}")

    def holds(self, edits: Sequence[Edit], findings: Mapping[int, Sequence[Finding]]) -> bool:
        """Whether the edits suppress the findings, of these lines, and change nothing else."""
        new = SourceText(self._source.path, edited(self._source.text, edits))
        found, flaws = read_suppressions(new)
        above = sorted(edit.span.start for edit in edits if edit.text.endswith("\n"))

        def moved(line: int) -> int:
            starts = self._source.line_starts
            return line + bisect_right(above, starts[min(line, len(starts)) - 1])

        def covered(line: int, finding: Finding) -> bool:
            return any(
                item.first <= moved(line) <= item.last
                and any(means(selector.text, finding.rule) for selector in item.selectors)
                for item in found
            )

        def stands(old: Suppression) -> bool:
            words = {selector.text for selector in old.selectors}
            last = min(old.last, len(self._source.line_starts))
            return any(
                item.first <= moved(old.first)
                and moved(last) <= item.last
                and words <= {selector.text for selector in item.selectors}
                for item in found
            )

        return (
            len(flaws) <= len(self._flaws)
            and all(covered(line, each) for line, here in findings.items() for each in here)
            and all(map(stands, self._suppressions))
            and same_tokens(self._source.text, new.text)
        )

    def _inside(self, at: int) -> bool:
        """Whether a place lies in a literal, or in a comment that goes on in the next line."""
        before = bisect_right(self._ends, (at - 1, len(self._source.text))) - 1
        return before >= 0 and at < self._ends[before][1]
