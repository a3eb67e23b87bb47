"""The JSON report: every value of a run under a name that stays.

Keys are added, never renamed or removed; a place is `line`, `column`, `end_line`, `end_column`,
columns counting code points from 1, the end just after the last character. Text is escaped to
ASCII, so that the report is the same bytes under every locale and an undecodable path survives.
`byte` and `end_byte` count from 0 in the file as UTF-8 without a byte order mark.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from ...config.architecture import architecture_name
from ...findings.finding import Severity
from .doubts import doubt_record
from .gain import all_places, gain_record
from .gaps import coverage_record, gap_record
from .measured import hot_record, measured_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...engine.result import InputResult, RunResult
    from ...findings.finding import Data, Finding, Fix
    from ...findings.witness import ThreadFlow
    from ...source.problem import Problem
    from ...source.text import Span

Record = dict[str, "Data"]


def render_json(result: RunResult, version: str, exit_code: int) -> str:
    """The report of one run of `check` as JSON."""
    return dump(
        {
            "findings": [finding_record(finding) for finding in result.findings],
            "suppressed": [
                {**finding_record(finding), "reason": item.reason}
                for finding, item in result.suppressed
            ],
            "inputs": [input_record(item) for item in result.inputs],
            "summary": summary_record(result, version, exit_code),
        }
    )


def dump(document: Mapping[str, Data]) -> str:
    """One JSON document, ending in a line end."""
    return json.dumps(document, indent=2) + "\n"


def finding_record(finding: Finding) -> Record:
    """One finding in the JSON report."""
    return {
        "rule": finding.rule.code,
        "name": finding.rule.name,
        "path": finding.span.path,
        **place_record(finding.span),
        **_byte_record(finding.span),
        "kernel": finding.kernel,
        "severity": finding.severity.value,
        "certainty": finding.certainty.value,
        "doubts": [doubt_record(doubt) for doubt in finding.doubts],
        "arch": architecture_name(finding.arch),
        "array": finding.array,
        "gain": None if finding.gain is None else gain_record(finding.gain),
        "measured": measured_record(finding.measured),
        "places": [
            {"path": span.path, **place_record(span), "label": label, "kernel": kernel}
            for span, label, kernel in all_places(finding)
        ],
        "message": finding.text,
        "label": finding.label,
        "evidence": {fact.name: fact.value for fact in finding.evidence},
        "assumptions": [
            {"name": item.name, "value": item.value, "origin": item.origin}
            for item in finding.assumptions
        ],
        "related": [
            {"path": item.span.path, **place_record(item.span), "label": item.label}
            for item in finding.related
        ],
        "flows": [_flow(flow) for flow in finding.flows],
        "fixes": [_fix(fix) for fix in finding.fixes],
        "verify": finding.verify,
    }


def input_record(item: InputResult) -> Record:
    """One input in the JSON report, with what was not analysed of it."""
    return {
        "path": item.path,
        "status": item.status,
        "kernels": item.kernels,
        "accesses": item.accesses,
        "unanalysed": item.unanalysed_count,
        "unanalysed_reasons": [gap_record(gap) for gap in item.unanalysed],
        "problems": [problem_record(problem) for problem in item.problems],
    }


def problem_record(problem: Problem) -> Record:
    """What JSON says of one problem of a run; with its line where that is known."""
    record: Record = {
        "message": problem.message,
        "advice": problem.advice,
        "damage": problem.damage.value,
        "kernel": problem.kernel,
    }
    if problem.span is not None:
        record["path"] = problem.span.path
        record.update(place_record(problem.span))
    return record


def place_record(span: Span) -> Record:
    """Where a span begins and ends, in the JSON report."""
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _byte_record(span: Span) -> Record:
    """The bytes that a span takes."""
    text = span.source.text
    if text.isascii():
        return {"byte": span.start, "end_byte": span.end}
    start = len(text[: span.start].encode("utf-8", "surrogatepass"))
    size = len(text[span.start : span.end].encode("utf-8", "surrogatepass"))
    return {"byte": start, "end_byte": start + size}


def _flow(flow: ThreadFlow) -> Record:
    steps: list[Data] = [
        {"path": step.span.path, **place_record(step.span), "message": step.message}
        for step in flow.steps
    ]
    return {"thread": flow.name, "steps": steps}


def _fix(fix: Fix) -> Record:
    return {
        "title": fix.title,
        "applicability": fix.applicability.value,
        "edits": [
            {
                "path": edit.span.path,
                **place_record(edit.span),
                **_byte_record(edit.span),
                "text": edit.text,
            }
            for edit in fix.edits
        ],
    }


def summary_record(result: RunResult, version: str, exit_code: int) -> Record:
    """The run in numbers, in the JSON report."""
    severities = Counter(finding.severity for finding in result.findings)
    return {
        "version": version,
        "arch": architecture_name(result.arch),
        "rules": [rule.code for rule in result.rules],
        "files": len(result.inputs),
        "kernels": sum(item.kernels for item in result.inputs),
        "findings": {severity.value: severities[severity] for severity in Severity},
        "possible_hidden": result.hidden,
        "suppressed": len(result.suppressed),
        "known": result.known,
        "unchanged": result.unchanged,
        "untouched": result.untouched,
        "fixed": result.fixed,
        "accesses": sum(item.accesses for item in result.inputs),
        "unanalysed": sum(item.unanalysed_count for item in result.inputs),
        "coverage": coverage_record(result.coverage),
        "hot_lines": [hot_record(each) for each in result.hot],
        "exit_code": exit_code,
    }
