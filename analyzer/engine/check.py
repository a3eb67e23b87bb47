"""One run of `check`: every file read, every rule applied to every kernel, results collected.

In: files, settings and the rules to apply. Out: a `RunResult`. `check_file` does one file and
needs nothing of the others, so that files can be done by several workers. The same finding of two
inputs (a kernel in a header that both include) or of two instances of a template is kept once.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

from ..findings.finding import Assumption, Certainty
from ..findings.rule import Input
from ..source.problem import Damage, Problem
from .guard import Stage, attempt
from .reading import read_input
from .result import InputResult, RunResult, Unanalysed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..analyses.facts import KernelFacts
    from ..config.settings import Settings
    from ..findings.finding import Finding
    from ..findings.rule import Rule
    from ..ir.kernel import Kernel, Module
    from .inputs import InputFile, Inputs


@dataclass(slots=True)
class FileCheck:
    """What the rules said of one file, while it is being collected."""

    file: InputFile
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unanalysed: Counter[tuple[str, str]] = field(default_factory=Counter)
    assumptions: list[Assumption] = field(default_factory=list)
    kernels: int = 0
    accesses: int = 0
    status: str = "none"

    def result(self) -> InputResult:
        """The collected values, frozen."""
        return InputResult(
            path=self.file.path,
            status=self.status,
            kernels=self.kernels,
            accesses=self.accesses,
            unanalysed=tuple(
                Unanalysed(kind, reason, count)
                for (kind, reason), count in sorted(self.unanalysed.items())
            ),
            problems=tuple(self.problems),
            assumptions=tuple(self.assumptions),
        )


def check(inputs: Inputs, settings: Settings, rules: Sequence[Rule]) -> RunResult:
    """Apply `rules` to all inputs."""
    checks = [check_file(file, settings, rules) for file in inputs.files]
    distinct = _distinct(finding for item in checks for finding in item.findings)
    shown = [f for f in distinct if settings.show_possible or f.certainty is Certainty.DEFINITE]
    refused = [InputResult(p.path, "none", 0, 0, problems=(p,)) for p in inputs.problems]
    return RunResult(
        findings=tuple(sorted(shown, key=lambda finding: finding.sort_key)),
        inputs=(*(item.result() for item in checks), *refused),
        rules=tuple(rules),
        arch=settings.arch,
        hidden=len(distinct) - len(shown),
    )


def check_file(file: InputFile, settings: Settings, rules: Sequence[Rule]) -> FileCheck:
    """Apply `rules` to one file; never raises."""
    outcome = FileCheck(file)
    reading = read_input(file, settings)
    outcome.status = reading.status
    outcome.problems.extend(reading.problems)
    if reading.module is None:
        return outcome
    outcome.kernels = len(reading.module.kernels)
    readers = [rule for rule in rules if Input(reading.module.language) in rule.inputs]
    for kernel in reading.module.kernels:
        _check_kernel(outcome, kernel, reading.module, settings, readers)
    if outcome.status == "full" and any(p.damage is not Damage.NOTICE for p in outcome.problems):
        outcome.status = "partial"
    return outcome


def _check_kernel(
    outcome: FileCheck, kernel: Kernel, module: Module, settings: Settings, rules: Sequence[Rule]
) -> None:
    path, name = outcome.file.path, kernel.instance or kernel.name

    def stage(what: str) -> Stage:
        return Stage(what, path, Damage.PARTIAL, name, kernel.span)

    facts = attempt(partial(facts_of, kernel, module, settings), stage("the analyses"))
    if isinstance(facts, Problem):
        outcome.problems.append(facts)
        outcome.unanalysed["kernel", "internal error"] += 1
        return
    for rule in rules:
        found = attempt(partial(_apply, rule, facts), stage(f"rule {rule.code}"))
        if isinstance(found, Problem):
            outcome.problems.append(found)
        else:
            outcome.findings.extend(found)
    counted = attempt(partial(_count, outcome, facts), stage("the analyses"))
    if isinstance(counted, Problem):
        outcome.problems.append(counted)


def facts_of(kernel: Kernel, module: Module, settings: Settings) -> KernelFacts:
    """What is known of a kernel under these settings; most of it is found when it is asked for."""
    from ..analyses.facts import AnalysisOptions, KernelFacts

    options = AnalysisOptions(arch=settings.arch, block=settings.block, grid=settings.grid)
    return KernelFacts(kernel, module, options)


def _apply(rule: Rule, facts: KernelFacts) -> list[Finding]:
    return list(rule.check(facts)) if rule.check else []


def _count(outcome: FileCheck, facts: KernelFacts) -> None:
    outcome.accesses += facts.access_count
    for kind, reason, count in facts.unanalysed:
        outcome.unanalysed[kind, reason] += count
    outcome.assumptions += [
        Assumption("block", list(item.launch.block), item.launch.origin) for item in facts.launches
    ]


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once, the surer one of two; a file has several names when it is included."""
    real = cache(os.path.realpath)
    kept: dict[tuple[str, int, int, str, str], Finding] = {}
    for finding in findings:
        span = finding.span
        key = (real(span.path), span.start, span.end, finding.rule.code, finding.text)
        if key not in kept or kept[key].certainty is Certainty.POSSIBLE:
            kept[key] = finding
    return list(kept.values())
