"""Suppressions written beside findings, for `--add-ignore`.

In: a finding and a reason. Out: the edit that suppresses it: its code joins the list of a comment
that is on the line already, else a comment is written at the end of the line, or above it where
the end of the line is no place for one (a line that goes on in the next, a literal or a comment
that does). Whether the comment then does what it should, the caller finds out by checking again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings.finding import Edit
from ..findings.rule import Subject
from ..findings.suppressions import COMMENTS, read_suppressions
from ..source.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings.finding import Finding
    from ..source.text import SourceText


def ignoring(finding: Finding, *, reason: str) -> Iterator[tuple[Edit, ...]]:
    """The edits to try; none for what speaks of suppressions itself."""
    if finding.rule.subject is Subject.SUPPRESSIONS:
        return
    source, line, code = finding.span.source, finding.span.line, finding.rule.code
    for suppression in read_suppressions(source)[0]:
        comment = suppression.comments[0]
        if suppression.first == suppression.last == line and comment.span.line == line:
            words = [selector.text for selector in suppression.selectors]
            yield (Edit(comment.brackets, f"[{', '.join([*words, code])}]"),)
            return
    mark = f"// warplint: ignore[{code}] {' '.join(reason.split())}".rstrip()
    text = source.line(line)
    start = source.line_starts[line - 1]
    end = start + len(text)
    if not text.rstrip().endswith("\\") and not _inside(source, end):
        at = start + len(text.rstrip())
        yield (Edit(Span(source, at, end), f"  {mark}"),)
    if not source.line(line - 1).rstrip().endswith("\\") and not _inside(source, start):
        indent = text[: len(text) - len(text.lstrip())]
        line_end = "\r\n" if source.text.find("\r\n") >= 0 else "\n"
        yield (Edit(Span(source, start, start), f"{indent}{mark}{line_end}"),)


def _inside(source: SourceText, at: int) -> bool:
    """Whether a place lies within a literal, or in a comment that goes on in the next line."""
    for match in COMMENTS.finditer(source.text):
        if match.start() >= at:
            return False
        if at < match.end():
            return True
    return False
