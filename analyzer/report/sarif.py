"""The SARIF 2.1.0 report, for GitHub code scanning and SARIF viewers.

In: a `RunResult`. Out: one run as text. What GitHub needs and what the VS Code viewer shows is all
there: rules with help, regions with both ends, fingerprints, related places linked from the
message, the predicted numbers as properties, fixes that have edits, and the problems of the run as
notifications. The file is ASCII, its URIs are relative to %SRCROOT%, and nothing in it changes
from one run to the next unless the findings do.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from ..config.architecture import architecture_name
from ..engine.result import ExitCode
from ..findings.fingerprint import line_hashes
from ..source.problem import Damage
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
from .words import plural, value_text

if TYPE_CHECKING:
    from ..engine.result import RunResult
    from ..findings import finding as findings
    from ..source.problem import Problem
    from ..source.text import SourceText

#: GitHub refuses a run with more results.
_MOST_RESULTS = 25_000

_FINGERPRINT = "primaryLocationLineHash"


def render_sarif(result: RunResult, version: str, exit_code: int, root: Path | None = None) -> str:
    """The report of one run of `check`; `root` is what URIs are relative to."""
    log = SarifLog(runs=(_run(result, version, exit_code, root or find_root(Path.cwd())),))
    return json.dumps(encode(log), indent=2) + "\n"


def _run(result: RunResult, version: str, exit_code: int, root: Path) -> Run:
    places = Places(root)
    for item in result.inputs:
        places.file(item.path, "analysisTarget")
    # Rules that were not applied cannot have findings, except those of another version's cache.
    rules = {rule.code: rule for rule in result.rules}
    rules |= {item.rule.code: item.rule for item in result.findings}
    indices = {code: index for index, code in enumerate(rules)}
    kept = _kept(result.findings)
    hashes = _hashes(kept)
    results = tuple(_result(item, indices[item.rule.code], hashes, places) for item in kept)
    notifications = [_notification(problem, places) for problem in result.problems]
    if len(kept) < len(result.findings):
        left_out = plural(len(result.findings) - len(kept), "finding")
        text = f"{left_out} left out: a run may have {_MOST_RESULTS} results."
        notifications.append(Notification("warning", Message(text)))
    catalogues = Catalogues(rules.values())
    driver = ToolComponent(
        name="warplint",
        full_name=f"warplint {version}",
        version=version,
        semantic_version=version,
        rules=tuple(descriptor(rule, catalogues) for rule in rules.values()),
        supported_taxonomies=catalogues.references(),
    )
    success = exit_code in (ExitCode.CLEAN, ExitCode.FINDINGS)
    return Run(
        tool=Tool(driver),
        automation_details=RunAutomationDetails(f"warplint/{architecture_name(result.arch)}/"),
        invocations=(Invocation(success, exit_code, tuple(notifications)),),
        original_uri_base_ids={ROOT_ID: ArtifactLocation(root.as_uri().rstrip("/") + "/")},
        artifacts=places.artifacts(),
        taxonomies=catalogues.components(),
        results=results,
    )


def _kept(found: tuple[findings.Finding, ...]) -> list[findings.Finding]:
    """All findings, or the worst of them when there are more than a run may have."""
    if len(found) <= _MOST_RESULTS:
        return list(found)
    worst = sorted(found, key=lambda item: item.severity.rank)[:_MOST_RESULTS]
    return sorted(worst, key=lambda item: item.sort_key)


def _hashes(found: list[findings.Finding]) -> dict[SourceText, dict[int, str]]:
    lines: dict[SourceText, set[int]] = {}
    for item in found:
        lines.setdefault(item.span.source, set()).add(item.span.line)
    return {source: line_hashes(source.text, wanted) for source, wanted in lines.items()}


def _result(
    item: findings.Finding,
    rule_index: int,
    hashes: dict[SourceText, dict[int, str]],
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
        properties=_properties(item),
    )


def _properties(item: findings.Finding) -> Bag:
    """What a viewer shows as rows: the predicted numbers first."""
    rows: Bag = {camel_case(fact.name): fact.value for fact in item.evidence}
    rows |= {
        camel_case(f"assumed_{assumption.name}"): _footing(assumption)
        for assumption in item.assumptions
    }
    rows["kernel"] = item.kernel
    rows["certainty"] = item.certainty.value
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
