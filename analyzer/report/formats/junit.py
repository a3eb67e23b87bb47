"""JUnit XML: a suite of tests for each input, a failed test for each finding.

In: a `RunResult`. Out: XML as test reporters read it. An input without findings is one test that
passed; what could not be analysed is a test in error. Characters that XML 1.0 has no place for are
shown as escapes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...source.problem import Damage
from ..text.words import doubt, doubt_lines
from ..text.xml import attribute, element

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...engine.result import RunResult
    from ...findings.finding import Finding
    from ...source.problem import Problem


def render_junit(result: RunResult) -> str:
    """The report of one run of `check` as JUnit XML."""
    suites: dict[str, tuple[str, list[Finding], list[Problem]]] = {}
    for item in result.inputs:
        suites.setdefault(os.path.realpath(item.path), (item.path, [], []))[2].extend(item.problems)
    for finding in result.findings:
        path = finding.span.path
        suites.setdefault(os.path.realpath(path), (path, [], []))[1].append(finding)
    body = "".join("".join(_suite(*suite)) for suite in suites.values())
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f'{head}<testsuites name="warplint">\n{body}</testsuites>\n'


def _suite(path: str, findings: Iterable[Finding], problems: Iterable[Problem]) -> Iterator[str]:
    cases = [_failure(finding) for finding in findings]
    errors = [_error(item) for item in problems if item.damage is not Damage.NOTICE]
    total = len(cases) + len(errors) or 1
    counts = f'tests="{total}" failures="{len(cases)}" errors="{len(errors)}"'
    yield f"  <testsuite name={attribute(path)} {counts}>\n"
    yield from cases
    yield from errors
    if not cases and not errors:
        yield f'    <testcase name="no findings" classname={attribute(path)}/>\n'
    yield "  </testsuite>\n"


def _failure(finding: Finding) -> str:
    span, rule = finding.span, finding.rule
    mark = doubt(finding).strip() + " " if doubt(finding) else ""
    lines = [f"{span.path}:{span.line}:{span.column}: {mark}{finding.text}"]
    lines += [fact.text for fact in finding.evidence if fact.text is not None]
    lines += doubt_lines(finding)
    lines += [f"help: {fix.title}" for fix in finding.fixes]
    name = f"{rule.code} {rule.name}{doubt(finding)} at {span.line}:{span.column}"
    return (
        f"    <testcase name={attribute(name)} classname={attribute(span.path)}>\n"
        f"      <failure message={attribute(mark + finding.text)} type={attribute(rule.code)}>"
        f"{element(chr(10).join(lines))}</failure>\n    </testcase>\n"
    )


def _error(problem: Problem) -> str:
    return (
        f'    <testcase name="analysis" classname={attribute(problem.path)}>\n'
        f"      <error message={attribute(problem.message)}>{element(problem.advice)}</error>\n"
        "    </testcase>\n"
    )
