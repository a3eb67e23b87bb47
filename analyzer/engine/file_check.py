"""One file of a run: every rule applied to every kernel, as far as the allowed work goes.

In: a file, settings, rules, and the launches that other files have of its kernels. Out: a
`FileCheck`. It needs nothing of other files, so that files can be done by several workers
(`processes/workers.py`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ..analyses.coverage.judgement import Judgement
from ..analyses.launch.allowance import METER, OutOfWorkError, allowance
from ..analyses.launch.kernel_size import work_of_kernel
from ..findings.assumptions import assumed_block
from ..findings.rule import Category, Input, Subject
from ..source.collection import give_back
from ..source.problem import Damage, Problem
from ..source.records import dataclass
from .coverage import Judged, Place, coverage_of, definition_of
from .guard import Stage, attempt, attempt_all
from .inputs import InputFile, is_shared
from .kernels.attribution import found_in
from .kernels.cut_short import CutShort, cut_short_problem
from .kernels.shares import Shares
from .placed_findings import placed
from .reading import read_input
from .result import InputResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..analyses.facts import AnalysisOptions, KernelFacts
    from ..config.settings import Settings
    from ..cuda.held_units import HeldUnits
    from ..cuda.keeping import Keeping
    from ..findings.finding import Assumption, Finding
    from ..findings.kernel_sheets import KernelSheet
    from ..findings.notes import Annotator, Note
    from ..findings.rule import Rule
    from ..ir.kernel import Kernel, Module
    from ..ir.kernel_identity import Exports
    from ..source.text import SourceText, Span
    from .launches_elsewhere import Elsewhere

_NO_DEFECTS = (Category.PERFORMANCE, Category.REPORT)
_RULE, _EACH = 200, 2  # steps that a rule takes at least, and for each operation or launch


@dataclass(slots=True)
class FileCheck:
    """What the rules said of one file, while it is being collected."""

    file: InputFile
    findings: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    missing_headers: tuple[str, ...] = ()
    assumptions: list[Assumption] = field(default_factory=list)
    kernels: int = 0
    definitions: set[Place] = field(default_factory=set)
    accesses: int = 0
    status: str = "none"
    arch: int = 0
    source: SourceText | None = None  # what was read; None when nothing was
    unread: tuple[Span, ...] = ()  # suppressions may stand in it, and no condition keeps it
    launched: set[Place] = field(default_factory=set)  # kernels whose block somebody states
    seen: set[Place] = field(default_factory=set)  # kernels that something launches
    #: The others, by their names in findings: their launches are elsewhere.
    guessed: set[tuple[str, Place]] = field(default_factory=set)
    rests_on_others: bool = False  # what is said of a kernel, on other kernels of its file
    rests_on_instances: bool = False  # likewise, on those of its own text
    exports: Exports | None = None  # what it says to other files, where only that was asked
    reads: tuple[str, ...] = ()  # the paths of what is read for it, where only that was asked
    notes: list[Note] = field(default_factory=list)  # where somebody asked for them
    sheets: list[KernelSheet] = field(default_factory=list)  # likewise

    def add(self, found: Iterable[Finding], kernel: Kernel) -> None:
        """Keep what a rule said of a kernel."""
        self.findings += [found_in(kernel, each) for each in found]

    def absorb(self, part: FileCheck) -> None:
        """Add what was said of one of its kernels."""
        self.findings += part.findings
        self.problems += part.problems
        self.judged += part.judged
        self.assumptions += part.assumptions
        self.accesses += part.accesses
        self.launched |= part.launched
        self.seen |= part.seen
        self.guessed |= part.guessed
        self.notes += part.notes
        self.sheets += part.sheets

    def result(self) -> InputResult:
        """The collected values, frozen."""
        return InputResult(
            path=self.file.path,
            status=self.status,
            kernels=self.kernels,
            accesses=self.accesses,
            unanalysed=coverage_of(self.judged).gaps,
            problems=tuple(self.problems),
            assumptions=tuple(self.assumptions),
            arch=self.arch,
        )


def check_file(
    file: InputFile,
    settings: Settings,
    rules: Sequence[Rule],
    elsewhere: Elsewhere = (),
    extras: Extras | None = None,
) -> FileCheck:
    """Apply `rules` to one file, whose kernels are launched elsewhere, too; never raises."""
    give_back()  # what the files before have left
    outcome = FileCheck(file, arch=settings.arch)
    extras = extras or Extras()
    kept = None if extras.kernels is None else extras.kernels.reading
    reading = read_input(file, settings, elsewhere, kept, extras.units)
    outcome.status = reading.status
    outcome.problems.extend(reading.problems)
    outcome.source = reading.source
    if reading.module is None:
        return outcome
    outcome.kernels = len(reading.module.kernels)
    outcome.definitions = set(map(definition_of, reading.module.kernels))
    outcome.missing_headers = reading.module.unseen.names
    if reading.module.dropped:
        from ..findings.suppressions import MARK

        outcome.unread = tuple(span for span in reading.module.dropped if MARK in span.text)
    _check_kernels(outcome, reading.module, Asked(file, settings, rules, extras))
    if extras.annotator is not None:
        _annotate(outcome, partial(extras.annotator.module, reading.module), None)
    for kernel in reading.module.kernels:
        kernel.release()
    outcome.judged = list(dict.fromkeys(outcome.judged))  # instances say much the same
    if outcome.status == "full" and any(p.damage is not Damage.NOTICE for p in outcome.problems):
        outcome.status = "partial"
    return outcome


class KernelResults(Protocol):
    """The store of kernels' results that a check of an edited file asks first."""

    @property
    def reading(self) -> Keeping | None:
        """What is kept of their reading."""

    def check(
        self, kernel: Kernel, module: Module, asked: Asked, check: Callable[[FileCheck], list[Rule]]
    ) -> tuple[FileCheck, list[Rule]]:
        """What is said of a kernel, kept or found by `check`, and the rules not applied to it."""

    def end(self) -> None:
        """All kernels of a file were checked."""


@dataclass(frozen=True, slots=True)
class Extras:
    """What a check keeps of a file beside findings (notes, sheets), for whoever shows it."""

    annotator: Annotator | None = None
    kernels: KernelResults | None = None
    sheet: Callable[[KernelFacts], KernelSheet] | None = None
    units: HeldUnits | None = None  # files that were read already


@dataclass(frozen=True, slots=True)
class Asked:
    """What a check asks of each kernel of a file."""

    file: InputFile
    settings: Settings
    rules: Sequence[Rule]
    extras: Extras

    def rules_for(self, language: Input, subject: Subject) -> list[Rule]:
        """The rules that apply; what is cheap is found whatever the rest costs."""
        found = [r for r in self.rules if language in r.inputs and r.subject is subject]
        return sorted(found, key=lambda rule: rule.costly)


def _check_kernels(outcome: FileCheck, module: Module, asked: Asked) -> None:
    language = Input(module.language)
    settings, size = asked.settings, asked.settings.kernel_size
    readers = replace(asked, rules=asked.rules_for(language, Subject.KERNEL))
    shared = partial(is_shared, checked=module.source)
    parts = Shares(module.kernels, size).in_turn(partial(_part, module, readers), shared)
    cut_short = [CutShort(kernel, tuple(left)) for kernel, (_, left) in parts if left]
    for _, (part, _) in parts:
        outcome.absorb(part)
    for each in cut_short:
        _judge(outcome, each.kernel, Judgement("kernel", each.reason(size), each.kernel.span))
    if cut_short:
        outcome.problems.append(cut_short_problem(outcome.file.path, cut_short, size))
    _check_uncalled(outcome, module, readers)
    if asked.extras.kernels is not None:
        asked.extras.kernels.end()
    of_host = asked.rules_for(language, Subject.HOST)
    if module.host and of_host:
        _check_host(outcome, module, settings, of_host)


def _part(module: Module, asked: Asked, kernel: Kernel) -> tuple[FileCheck, list[Rule]]:
    part = FileCheck(asked.file)
    left = _kept_or_checked(part, kernel, module, asked, _check_kernel)
    give_back()  # what it has left
    return part, left


def _check_uncalled(outcome: FileCheck, module: Module, asked: Asked) -> None:
    """The rules that are asked of device functions which nothing calls; none counts as a kernel."""
    asked = replace(asked, rules=[rule for rule in asked.rules if rule.uncalled])
    most = work_of_kernel(asked.settings.kernel_size)
    with allowance(most):
        for kernel in module.uncalled() if asked.rules else ():
            with suppress(OutOfWorkError), allowance(min(most / 2, METER.left)):
                _kept_or_checked(outcome, kernel, module, asked, _apply_uncalled)
            kernel.release()


def _apply_uncalled(outcome: FileCheck, kernel: Kernel, module: Module, asked: Asked) -> list[Rule]:
    left = {rule.code: rule for rule in asked.rules}
    made = partial(facts_of, kernel, module, asked.settings)
    facts = attempt(made, _stage("the analyses", outcome, kernel))
    if isinstance(facts, Problem):
        outcome.problems.append(facts)
        return []
    with suppress(OutOfWorkError):
        if not facts.is_tangled:
            _apply_all(outcome, facts, left, asked.rules)
    outcome.rests_on_others = facts.rests_on_others
    outcome.rests_on_instances = facts.rests_on_instances
    facts.release()
    return [*left.values()]


def _kept_or_checked(
    outcome: FileCheck,
    kernel: Kernel,
    module: Module,
    asked: Asked,
    check: Callable[[FileCheck, Kernel, Module, Asked], list[Rule]],
) -> list[Rule]:
    """What is said of a kernel is added; the rules that were not applied to it."""
    kept = asked.extras.kernels
    if kept is None:
        return check(outcome, kernel, module, asked)
    part, left = kept.check(
        kernel, module, asked, lambda empty: check(empty, kernel, module, asked)
    )
    outcome.absorb(part)
    return left


def _check_host(
    outcome: FileCheck, module: Module, settings: Settings, rules: Sequence[Rule]
) -> None:
    """The rules about host code, which see a file as a whole."""
    from ..analyses.host.facts import HostFacts

    facts = HostFacts(module, _options(module, settings, ""))
    for rule in rules:
        stage = Stage(f"rule {rule.code}", outcome.file.path, Damage.PARTIAL, "", None)
        check = rule.check
        found = attempt_all(partial(check, facts), stage) if check else []
        if isinstance(found, Problem):
            outcome.problems.append(found)
        else:
            outcome.findings += found


def _check_kernel(outcome: FileCheck, kernel: Kernel, module: Module, asked: Asked) -> list[Rule]:
    """Apply the rules in order until the work that the kernel may cost is done; what is left.

    What is wrong comes first, but leaves half of the work to what costs time; it has what that
    leaves over.
    """
    left, rules = {rule.code: rule for rule in asked.rules}, asked.rules
    facts: KernelFacts | None = None
    try:
        facts = _sound_facts(outcome, kernel, module, asked.settings)
        if facts is None:
            return []
        with suppress(OutOfWorkError), allowance(METER.left / 2), facts.budget.half():
            _apply_all(outcome, facts, left, [r for r in rules if r.category not in _NO_DEFECTS])
        _apply_all(outcome, facts, left, [r for r in rules if r.category in _NO_DEFECTS])
        _apply_all(outcome, facts, left, [*left.values()])
        counted = attempt(partial(_count, outcome, facts), _stage("the analyses", outcome, kernel))
        if isinstance(counted, Problem):
            outcome.problems.append(counted)
        if asked.extras.annotator is not None:
            _annotate(outcome, partial(asked.extras.annotator.kernel, facts), kernel)
        if asked.extras.sheet is not None:
            _add_sheet(outcome, partial(asked.extras.sheet, facts), kernel)
    except OutOfWorkError:
        from ..ir.operations import MemoryAccess

        outcome.accesses += sum(isinstance(each, MemoryAccess) for each in kernel.operations())
    if facts is not None:
        outcome.rests_on_others = facts.rests_on_others
        outcome.rests_on_instances = facts.rests_on_instances
        facts.release()
    return [*left.values()]


def _apply_all(
    outcome: FileCheck, facts: KernelFacts, left: dict[str, Rule], rules: Iterable[Rule]
) -> None:
    """Apply rules, each of which is then no longer left."""
    for rule in rules:
        if not (rule.costly and facts.is_too_large):
            _apply(outcome, rule, facts)
            del left[rule.code]


def _annotate(
    outcome: FileCheck, annotate: Callable[[], Iterable[Note]], kernel: Kernel | None
) -> None:
    """Add notes; what was noted before the work was done remains."""
    found: list[Note] = []
    name, span = (kernel.label, kernel.span) if kernel is not None else ("", None)
    stage = Stage("the notes", outcome.file.path, Damage.NOTICE, name, span)
    try:
        failed = attempt(lambda: found.extend(annotate()), stage)
    finally:
        outcome.notes += found
    if failed is not None:
        outcome.problems.append(failed)


def _add_sheet(outcome: FileCheck, made: Callable[[], KernelSheet], kernel: Kernel) -> None:
    found = attempt(made, _stage("the report", outcome, kernel))
    if isinstance(found, Problem):
        outcome.problems.append(found)
    else:
        outcome.sheets.append(found)


def _stage(what: str, outcome: FileCheck, kernel: Kernel) -> Stage:
    return Stage(what, outcome.file.path, Damage.PARTIAL, kernel.label, kernel.span)


def _sound_facts(
    outcome: FileCheck, kernel: Kernel, module: Module, settings: Settings
) -> KernelFacts | None:
    """What is known of a kernel; None, with a problem, where nothing is found out."""

    def made() -> tuple[KernelFacts, bool]:
        facts = facts_of(kernel, module, settings)
        return facts, facts.is_tangled

    found = attempt(made, _stage("the analyses", outcome, kernel))
    if isinstance(found, Problem):
        outcome.problems.append(found)
        _judge(outcome, kernel, Judgement("kernel", "internal error", kernel.span))
        return None
    facts, tangled = found
    if not tangled:
        return facts
    path, name = outcome.file.path, kernel.label
    reason = "its branches, cases or loops are too many and too deep in each other"
    message = f"kernel {name} is not analysed: {reason}"
    outcome.problems.append(
        Problem(path, message, "split the kernel", Damage.PARTIAL, kernel.span, name)
    )
    _judge(outcome, kernel, Judgement("kernel", reason, kernel.span))
    return None


def facts_of(
    kernel: Kernel, module: Module, settings: Settings, *, shown: bool = False, infer: bool = True
) -> KernelFacts:
    """What is known of a kernel under these settings; most of it is found when it is asked for.

    `shown` is for `inspect`, which looks at more launches than the rules do; without `infer`, a
    block that nobody states is assumed.
    """
    from ..analyses.facts import KernelFacts

    options = _options(module, settings, kernel.name, shown=shown, infer=infer)
    return KernelFacts(kernel, module, options)


def _options(
    module: Module, settings: Settings, kernel: str, *, shown: bool = False, infer: bool = True
) -> AnalysisOptions:
    from ..analyses.facts import AnalysisOptions
    from ..analyses.launch.assumed_launch import LAUNCH_LIMIT, SHOWN_LAUNCHES

    settings = settings.at(module.source.path)
    return AnalysisOptions(
        arch=settings.arch,
        block=settings.block,
        grid=settings.grid,
        configured=settings.configured_block(kernel),
        thresholds=settings.thresholds,
        launches=SHOWN_LAUNCHES if shown else LAUNCH_LIMIT,
        evidence=settings.evidence,
        infer=infer,
        kernel_size=settings.kernel_size,
        doubted=settings.show_possible,
    )


def _apply(outcome: FileCheck, rule: Rule, facts: KernelFacts) -> None:
    """Add what a rule finds; what it found before the work was done remains."""
    METER.spend(_RULE + _EACH * (facts.size + len(facts.kernel.launches)))
    check = rule.check
    if check is None:
        return
    found: list[Finding] = []
    stage = partial(_stage, f"rule {rule.code}", outcome, facts.kernel)
    try:
        failed = attempt(lambda: found.extend(check(facts)), stage)
    except OutOfWorkError:
        outcome.add(placed(found, facts), facts.kernel)
        raise
    if failed is not None:
        outcome.problems.append(failed)
    elif found:
        outcome.add(placed(found, facts), facts.kernel)


def _count(outcome: FileCheck, facts: KernelFacts) -> None:
    from ..analyses.coverage.judgements import judgements

    kernel = facts.kernel
    place = definition_of(kernel)
    if kernel.launches:
        outcome.seen.add(place)
    if any(item.launch.guessed or item.launch.inferred for item in facts.launches):
        outcome.guessed.add((kernel.label, place))
    else:
        outcome.launched.add(place)
    outcome.assumptions += [assumed_block(item.launch) for item in facts.launches]
    _judge(outcome, kernel, *judgements(facts))
    outcome.accesses += len(facts.accesses)


def _judge(outcome: FileCheck, kernel: Kernel, *judgements: Judgement) -> None:
    definition, line = definition_of(kernel), kernel.span.line
    outcome.judged += [Judged(kernel.label, definition, line, each) for each in judgements]
