"""Runs warplint on a fixture and compares its findings with the markers in the source.

A fixture is a `.cu` or `.ptx` file under tests/fixtures/<family>/<rule_name>/. Its markers are
comments that stand on the line they speak of:

    // expect: CODE[, CODE] [reason]        these findings begin on this line
    // expect-not: CODE[, CODE] [reason]    tempting, but these rules must stay silent here
    // warplint-args: --block 16,16 ...     once per file: the settings of the run
    // warplint-log: ptxas info    : ...    a line of the build log of the run

The usual rules are applied (`usual_rules`), and that of the folder; `possible` findings stay off.
In: the file. Out: a list of complaints, empty when all is as marked: a finding without a marker, a
marker without a finding, a malformed marker, a file that was not analysed completely.
Several findings of one rule on one line count as one. Where findings offer edits, these are made,
and the outcome is checked, too (`fixture_fixes.py`).
"""

from __future__ import annotations

import argparse
import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fixture_fixes import fix_complaints

from warplint.analyzer.analyses.launch.evidence import Evidence
from warplint.analyzer.config.launch import parse_block, parse_grid, parse_launch
from warplint.analyzer.config.macros import parse_define, parse_undefine
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.rule import CODE
from warplint.analyzer.hardware.architectures import architecture
from warplint.analyzer.resources.ptxas_log import read_log
from warplint.analyzer.source.problem import Damage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from warplint.analyzer.engine.result import RunResult
    from warplint.analyzer.findings.rule import Rule

_CODE = CODE.pattern
_MARKER = re.compile(
    rf"(?P<kind>expect|expect-not):\s*(?P<codes>{_CODE}(?:,\s*{_CODE})*)(?P<rest>.*)"
)
_LOG = re.compile(r"warplint-log: ?(?P<line>.*)")
_ARGUMENTS = re.compile(r"warplint-args:(?P<arguments>.*)")

#: Notes that nearly every fixture would get, since its host code is no more than a launch.
_IN_ITS_FOLDER = frozenset({"API001"})

#: A finding, reduced to what a marker says: the line and the code.
Mark = tuple[int, str]


@dataclass(slots=True)
class Markers:
    """What the comments of one fixture say."""

    expected: set[Mark] = field(default_factory=set)
    forbidden: set[Mark] = field(default_factory=set)
    arguments: list[str] | None = None
    log: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def read_markers(text: str) -> Markers:
    """The markers of a fixture; whatever only looks like one is a complaint."""
    markers = Markers()
    for number, line in enumerate(text.splitlines(), start=1):
        for comment in line.split("//")[1:]:
            _read_comment(comment.strip(), number, markers)
    for line, code in sorted(markers.expected & markers.forbidden):
        markers.complaints.append(f"line {line}: {code} is both expected and expected not to be")
    return markers


def _read_comment(comment: str, line: int, markers: Markers) -> None:
    if logged := _LOG.fullmatch(comment):
        markers.log.append(logged["line"])
        return
    if comment.startswith("warplint-"):
        found = _ARGUMENTS.fullmatch(comment)
        if found is None or markers.arguments is not None:
            markers.complaints.append(f"line {line}: one `warplint-args: ...` per file: {comment}")
        else:
            markers.arguments = shlex.split(found["arguments"])
        return
    if not comment.lower().startswith("expect"):
        return
    marker = _MARKER.fullmatch(comment)
    # A reason may follow the codes, another code may not: a comma was forgotten.
    if marker is None or re.match(rf"\S|\s*{_CODE}", marker["rest"]):
        markers.complaints.append(f"line {line}: malformed marker: {comment}")
        return
    marks = markers.expected if marker["kind"] == "expect" else markers.forbidden
    marks.update((line, code) for code in re.findall(_CODE, marker["codes"]))


def complaints(path: Path, rules: Mapping[str, Rule]) -> list[str]:
    """Everything about the fixture at `path` that is not as its markers say."""
    markers = read_markers(path.read_text(encoding="utf-8"))
    applied = rules_for(path, rules)
    silent = {code for _, code in markers.expected | markers.forbidden} - set(applied)
    found = list(markers.complaints)
    found += [
        f"{code} is not applied to this fixture, or does not exist" for code in sorted(silent)
    ]
    result = run(path, applied, markers)
    found += _problems(result)
    found += _differences(path, markers, result)
    found += fix_complaints(path, list(applied.values()), settings_of(markers), result)
    return found


def rules_for(path: Path, rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """The usual rules, and the one that the fixture's folder is named after."""
    own = path.parent.name.replace("_", "-")
    applied = usual_rules(rules)
    return {code: rule for code, rule in rules.items() if code in applied or rule.name == own}


def usual_rules(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """The rules that are on by default, but those that find nearly every small host function."""
    return {
        code: rule for code, rule in rules.items() if rule.default and code not in _IN_ITS_FOLDER
    }


def run(path: Path, rules: Mapping[str, Rule], markers: Markers) -> RunResult:
    """One run of the engine, in this process."""
    return check(collect_inputs([str(path)]), settings_of(markers), list(rules.values()))


def settings_of(markers: Markers) -> Settings:
    """The settings of the run, with the build log that the fixture holds."""
    settings = _settings(markers.arguments or [])
    if markers.log:
        evidence = Evidence()
        evidence.add_log(read_log("\n".join(markers.log)), "build.log")
        settings = settings.changed(evidence=evidence)
    return settings


def _settings(arguments: list[str]) -> Settings:
    """The settings that `warplint-args` spells, in the words of the command line."""
    parser = argparse.ArgumentParser(prog="warplint-args", exit_on_error=False, add_help=False)
    parser.add_argument("--arch", type=lambda text: architecture(text).capability)
    parser.add_argument("--block", type=parse_block)
    parser.add_argument("--grid", type=parse_grid)
    parser.add_argument("--launch", dest="launches", action="append", type=parse_launch)
    parser.add_argument("-D", dest="defines", action="append", type=parse_define)
    parser.add_argument("-U", dest="undefines", action="append", type=parse_undefine)
    given = {name: value for name, value in vars(parser.parse_args(arguments)).items() if value}
    if "defines" in given:
        given["defines"] = dict(given["defines"])
    if "undefines" in given:
        given["undefines"] = frozenset(given["undefines"])
    if "launches" in given:
        given["launches"] = tuple(given["launches"])
    return Settings(**given)


def _problems(result: RunResult) -> Iterator[str]:
    for problem in (problem for each in result.inputs for problem in each.problems):
        if problem.damage is not Damage.NOTICE:
            line = f"line {problem.span.line}: " if problem.span else ""
            yield f"{line}not analysed completely: {problem.message}"


def _differences(path: Path, markers: Markers, result: RunResult) -> Iterator[str]:
    reported: dict[Mark, str] = {}
    for finding in result.findings:
        if finding.span.path != str(path):
            yield f"unexpected {finding.rule.code} in {finding.span.path}: {finding.text}"
        else:
            reported.setdefault((finding.span.line, finding.rule.code), finding.text)
    for line, code in sorted(markers.expected - set(reported)):
        yield f"line {line}: missing {code}"
    for (line, code), text in sorted(reported.items()):
        if (line, code) in markers.forbidden:
            yield f"line {line}: {code} where the marker says expect-not: {text}"
        elif (line, code) not in markers.expected:
            yield f"line {line}: unexpected {code}: {text}"
