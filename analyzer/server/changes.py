"""Code actions as edits of text: fixes that were tried, and suppressions.

In: the last run, and what is to be done about one of its findings or about a rule. Out: the edits
of each file, or why there are none. A fix is made as `check --fix` makes it (`engine/fixing.py`):
the new text is checked, and a fix that leaves worse text than it found is not made.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..engine.fixing import Fixer, offered
from ..engine.suppression_writer import with_suppressions
from ..findings.finding import Applicability
from ..report.text.line_difference import LineMatcher
from ..source.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..engine.inputs import InputFile
    from ..engine.result import RunResult
    from ..findings.finding import Finding
    from .diagnostics import Writing
    from .documents import Documents

Plain = dict[str, Any]


class Changing:
    """The edits of text (fixes, suppressions) that an editor can ask for after one check."""

    def __init__(
        self,
        result: RunResult,
        shown: Sequence[Finding],
        documents: Documents,
        check: Callable[[InputFile], RunResult],
    ) -> None:
        self._result = result
        self._shown = shown
        self._documents = documents
        self._check = check

    def edits(self, job: Plain, writing: Writing) -> Plain:
        """The edits that were asked for."""
        what = job["do"]
        if what == "fix":
            finding = self._shown[job["finding"]]
            fix = finding.fixes[job["fix"]]
            unsafe = fix.applicability is Applicability.UNSAFE
            return self._fixed(
                job["uri"], single_findings(self._result, finding), writing, unsafe=unsafe
            )
        if what == "fix-rule":
            own = [each for each in self._result.findings if each.rule.code in job["codes"]]
            return self._fixed(job["uri"], own, writing, unsafe=job["unsafe"])
        if what == "fix-all":
            return self._fixed(job["uri"], self._result.findings, writing, unsafe=False)
        finding = self._shown[job["finding"]]
        if what == "suppress":
            return self._suppressed(finding, job["reason"], writing)
        return _suppressed_in_file(finding, job["reason"], writing)

    def _fixed(
        self, uri: str, findings: Sequence[Finding], writing: Writing, *, unsafe: bool
    ) -> Plain:
        document = self._documents.get(uri)
        file = None if document is None else document.input
        if document is None or file is None:
            return {"why": "the file is not open"}
        fixer = Fixer(self._check, partial(offered, unsafe=unsafe))
        here = [each for each in findings if self._documents.uri_of(each.span.path) == uri]
        fixed = fixer.fix(file, document.data, here)
        if fixed is None:
            reasons = "; ".join(reason for _, reason in fixer.problems)
            return {"why": reasons or "the fix was tried, and the code would not be better"}
        old = SourceText(document.path, document.data.decode())
        return {
            "edits": {uri: line_edits(old, fixed.after.decode(), writing)},
            "count": len(fixed.fixed),
        }

    def _suppressed(self, finding: Finding, reason: str, writing: Writing) -> Plain:
        source = finding.span.source
        text, done = with_suppressions(source, single_findings(self._result, finding), reason)
        if not done:
            return {"why": "no comment can be put there: suppress it in the file instead"}
        return {"edits": {writing.uri_of(source.path): line_edits(source, text, writing)}}


def single_findings(result: RunResult, finding: Finding) -> list[Finding]:
    """The findings of single places that an editor shows as one."""
    places = {finding.span, *(each.span for each in finding.places)}
    code = finding.rule.code
    return [each for each in result.findings if each.rule.code == code and each.span in places]


def _suppressed_in_file(finding: Finding, reason: str, writing: Writing) -> Plain:
    source = finding.span.source
    comment = f"// warplint: ignore-file[{finding.rule.code}] {reason}".rstrip()
    place = writing.range(Span(source, 0, 0))
    return {"edits": {writing.uri_of(source.path): [{"range": place, "newText": comment + "\n"}]}}


def line_edits(old: SourceText, new: str, writing: Writing) -> list[Plain]:
    """The lines that differ, as an editor's edits of the old text."""
    return list(_line_edits(old, new, writing))


def _line_edits(old: SourceText, new: str, writing: Writing) -> Iterator[Plain]:
    starts = [*old.line_starts, len(old.text)]
    after = SourceText("", new)
    new_starts = [*after.line_starts, len(new)]
    lines = [old.text[a:b] for a, b in pairwise(starts)]
    new_lines = [new[a:b] for a, b in pairwise(new_starts)]
    for tag, i1, i2, j1, j2 in LineMatcher(lines, new_lines).get_opcodes():
        if tag != "equal":
            span = Span(old, starts[i1], starts[i2])
            yield {"range": writing.range(span), "newText": "".join(new_lines[j1:j2])}
