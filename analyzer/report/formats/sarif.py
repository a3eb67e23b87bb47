"""The SARIF 2.1.0 report, for GitHub code scanning and SARIF viewers.

In: a `RunResult`. Out: a log as text, with one run for each architecture. What GitHub needs and
what the VS Code viewer shows is all there: rules with help, regions with both ends, fingerprints,
related places linked from the message, witnesses as code flows, the predicted numbers as
properties, fixes that have edits, and the problems of the run as notifications. The file is ASCII,
its URIs are relative to %SRCROOT%, and nothing in it changes from one run to the next unless the
findings do.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...config.architecture import architecture_name
from ...engine.result import ExitCode
from ...findings import finding as findings
from ...findings.fingerprint import line_hashes
from ...source.problem import Damage
from ...source.records import dataclass
from ...source.words import plural
from ..text.words import value_text
from . import sarif_records as records
from .doubts import doubt_record
from .gain import gain_record
from .sarif_flows import code_flows
from .sarif_message import message_and_related
from .sarif_places import ROOT_ID, Places, find_root, region
from .sarif_records import (
    ArtifactChange,
    ArtifactContent,
    ArtifactLocation,
    Bag,
    Fix,
    Invocation,
    Location,
    LogicalLocation,
    Message,
    Notification,
    PhysicalLocation,
    Replacement,
    Result,
    Run,
    RunAutomationDetails,
    SarifLog,
    Tool,
    ToolComponent,
    camel_case,
    encode,
)
from .sarif_rules import Catalogues, descriptor

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...engine.result import RunResult
    from ...findings.rule import Rule
    from ...findings.suppressions import Suppression
    from ...source.problem import Problem
    from ...source.text import SourceText

    Hashes = dict[SourceText, dict[int, str]]
    _Pair = tuple[findings.Finding, Suppression | None]

#: GitHub refuses a run with more results,
_MOST_RESULTS = 25_000
#: and a file that has more bytes when it is compressed.
_MOST_BYTES = 10_000_000

_FINGERPRINT = "primaryLocationLineHash"


def render_sarif(
    result: RunResult,
    version: str,
    exit_code: int,
    root: Path | None = None,
    *,
    show_suppressed: bool = False,
) -> str:
    """The SARIF report of one run of `check`; `root` is what URIs are relative to.

    GitHub opens an alert for a suppressed result like for any other, so they are left out unless
    they are asked for; then every result says whether it is suppressed (3.27.23).
    """
    root = root or find_root(Path.cwd())
    log = _Log(result, version, exit_code, root, show_suppressed, _MOST_RESULTS)
    text = log.text()
    while (size := _compressed(text)) > _MOST_BYTES and log.most > 1:
        # Fewer results in proportion, and a little fewer: compression gains less on less.
        total = min(log.most, len(result.findings) + len(result.suppressed))
        log = replace(log, most=max(1, int(total * _MOST_BYTES / size * 0.9)))
        text = log.text()
    return text


def _compressed(text: str) -> int:
    """The bytes of the file as it is uploaded; what is small as it is need not be compressed."""
    if len(text) <= _MOST_BYTES:
        return len(text)
    import gzip

    return len(gzip.compress(text.encode("ascii")))


@dataclass(frozen=True, slots=True)
class _Log:
    """What all runs of a log share."""

    result: RunResult
    version: str
    exit_code: int
    root: Path
    show_suppressed: bool
    most: int  # results of one run

    def text(self) -> str:
        """The log as JSON."""
        runs = tuple(map(self.run, self.architectures()))
        return json.dumps(encode(SarifLog(runs=runs)), indent=2) + "\n"

    def architectures(self) -> list[int]:
        """Those that files were judged by, that of the command line first."""
        own = self.result.arch
        others = {item.arch for item in self.result.inputs if item.arch} - {own}
        alone = others and not any(item.arch in (0, own) for item in self.result.inputs)
        return [*([] if alone else [own]), *sorted(others)]

    def run(self, arch: int) -> Run:
        """The run for one architecture: its inputs, its findings, its problems."""
        default = self.architectures()[0]
        inputs = [item for item in self.result.inputs if (item.arch or default) == arch]
        pairs: list[_Pair] = [(finding, None) for finding in self.result.findings]
        pairs += self.result.suppressed if self.show_suppressed else ()
        own = [pair for pair in pairs if (pair[0].arch or default) == arch]
        problems = [problem for item in inputs for problem in item.problems]
        if arch == default:
            problems += self.result.trouble
        return self._run(arch, [item.path for item in inputs], own, problems)

    def _run(
        self,
        arch: int,
        paths: Sequence[str],
        found: list[_Pair],
        problems: Sequence[Problem],
    ) -> Run:
        places = Places(self.root)
        for path in paths:
            places.file(path, "analysisTarget")
        # Rules that were not applied cannot have findings, except those about suppressions.
        rules = {rule.code: rule for rule in self.result.rules}
        rules |= {item.rule.code: item.rule for item, _ in found}
        indices = {code: index for index, code in enumerate(rules)}
        kept = _kept(found, self.most)
        hashes = _hashes([item for item, _ in kept])
        results = tuple(
            self._result(item, by, indices[item.rule.code], hashes, places) for item, by in kept
        )
        notifications = [_notification(problem, places) for problem in problems]
        if len(kept) < len(found):
            left_out = plural(len(found) - len(kept), "finding")
            text = (
                f"{left_out} not included, the least severe first: GitHub accepts at most "
                f"{_MOST_RESULTS} results per run and {_MOST_BYTES // 1_000_000} MB per file."
            )
            notifications.append(Notification("warning", Message(text)))
        success = self.exit_code in (ExitCode.CLEAN, ExitCode.FINDINGS)
        catalogues = Catalogues(rules.values())
        return Run(
            tool=Tool(_driver(self.version, rules.values(), catalogues)),
            automation_details=RunAutomationDetails(f"warplint/{architecture_name(arch)}/"),
            invocations=(Invocation(success, self.exit_code, tuple(notifications)),),
            original_uri_base_ids={ROOT_ID: ArtifactLocation(self.root.as_uri().rstrip("/") + "/")},
            artifacts=places.artifacts(),
            taxonomies=catalogues.components(),
            results=results,
        )

    def _result(
        self,
        item: findings.Finding,
        by: Suppression | None,
        rule_index: int,
        hashes: Hashes,
        places: Places,
    ) -> Result:
        result = _result(item, rule_index, hashes, places)
        if not self.show_suppressed:
            return result
        marks = (records.Suppression("inSource", by.reason or None),) if by is not None else ()
        return replace(result, suppressions=marks)


def _driver(version: str, rules: Iterable[Rule], catalogues: Catalogues) -> ToolComponent:
    return ToolComponent(
        name="warplint",
        full_name=f"warplint {version}",
        version=version,
        semantic_version=version,
        rules=tuple(descriptor(rule, catalogues) for rule in rules),
        supported_taxonomies=catalogues.references(),
    )


def _kept(found: list[_Pair], most: int) -> list[_Pair]:
    """All findings, or the worst of them when there are more than a run may have."""
    if len(found) <= most:
        return found
    worst = sorted(found, key=lambda pair: pair[0].severity.rank)[:most]
    return sorted(worst, key=lambda pair: pair[0].sort_key)


def _hashes(found: Iterable[findings.Finding]) -> Hashes:
    lines: dict[SourceText, set[int]] = {}
    for item in found:
        lines.setdefault(item.span.source, set()).add(item.span.line)
    return {source: line_hashes(source.text, wanted) for source, wanted in lines.items()}


def _result(
    item: findings.Finding,
    rule_index: int,
    hashes: Hashes,
    places: Places,
) -> Result:
    message, related = message_and_related(item, places)
    primary = Location(
        places.location(item.span),
        logical_locations=(LogicalLocation(item.kernel),) if item.kernel else (),
        message=Message(item.label) if item.label else None,
    )
    return Result(
        rule_id=item.rule.code,
        rule_index=rule_index,
        level=item.severity.value,
        message=message,
        locations=(primary,),
        partial_fingerprints={_FINGERPRINT: hashes[item.span.source][item.span.line]},
        related_locations=related,
        code_flows=code_flows(item.flows, places),
        fixes=tuple(_fix(fix, places) for fix in item.fixes if fix.edits),
        rank=_rank(item),
        properties=_properties(item),
    )


def _rank(item: findings.Finding) -> float | None:
    """How much it matters, from 0 to 100 (3.27.25); None where that is not known."""
    if item.severity is findings.Severity.ERROR:
        return 100.0
    return round(100 * item.gain.time, 1) if item.gain is not None else None


def _properties(item: findings.Finding) -> Bag:
    """What a viewer shows as rows: the predicted numbers first."""
    rows: Bag = {camel_case(fact.name): fact.value for fact in item.evidence}
    rows |= {
        camel_case(f"assumed_{assumption.name}"): _footing(assumption)
        for assumption in item.assumptions
    }
    rows["kernel"] = item.kernel
    rows["certainty"] = item.certainty.value
    if item.array:
        rows["array"] = item.array
    if item.gain is not None:
        rows["gain"] = gain_record(item.gain)
    if item.doubts:
        rows["doubts"] = [doubt_record(doubt) for doubt in item.doubts]
    if item.fixes:
        rows["advice"] = [fix.title for fix in item.fixes]
    if item.verify:
        rows["verify"] = item.verify
    return rows


def _footing(assumption: findings.Assumption) -> str:
    return f"{value_text(assumption.value)} ({assumption.origin})"


def _fix(fix: findings.Fix, places: Places) -> Fix:
    by_path: dict[str, list[Replacement]] = {}
    for edit in fix.edits:
        replacement = Replacement(region(edit.span), ArtifactContent(edit.text))
        by_path.setdefault(edit.span.path, []).append(replacement)
    changes = tuple(
        ArtifactChange(places.file(path), tuple(replacements))
        for path, replacements in by_path.items()
    )
    return Fix(Message(fix.title), changes)


def _notification(problem: Problem, places: Places) -> Notification:
    level = "note" if problem.damage is Damage.NOTICE else "error"
    text = f"{problem.message}. {problem.advice}".strip()
    if problem.span is not None:
        where = places.location(problem.span)
    else:
        where = PhysicalLocation(places.file(problem.path))
    return Notification(level, Message(text), (Location(where),))
