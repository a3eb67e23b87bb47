"""The engine with front ends and analyses replaced: what it promises whatever they do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from warplint.analyzer.analyses.coverage import judgements as coverage
from warplint.analyzer.analyses.coverage.judgement import Judgement
from warplint.analyzer.analyses.launch.assumed_launch import AssumedLaunch
from warplint.analyzer.analyses.warp_evaluation.outcomes import Budget
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine import check as engine
from warplint.analyzer.engine import file_check
from warplint.analyzer.engine.inputs import InputFile, Inputs
from warplint.analyzer.engine.reading import Reading
from warplint.analyzer.engine.result import ExitCode
from warplint.analyzer.findings.finding import Finding, Part, Severity, StatedDoubt
from warplint.analyzer.findings.rule import Category, Input, Rule
from warplint.analyzer.ir.kernel import Kernel, Launch, Module, UnseenHeaders
from warplint.analyzer.source.problem import Damage, Problem
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXT = "__global__ void k() {}\n"


@dataclass
class Facts:
    kernel: Kernel
    accesses: tuple[str, ...] = ("a load", "a load", "a store")
    judgements: tuple[Judgement, ...] = ()
    launches: tuple[Any, ...] = ()
    is_tangled: bool = False
    rests_on_others: bool = False
    rests_on_instances: bool = False
    size: int = 10
    budget: Budget = field(default_factory=lambda: Budget(1_000))
    module: Any = field(default_factory=lambda: SimpleNamespace(unseen=UnseenHeaders()))

    def release(self) -> None:
        """Nothing here refers back."""


@dataclass
class World:
    """What the replaced front ends and analyses give."""

    readings: dict[str, Reading] = field(default_factory=dict)
    facts: Callable[[Kernel], Any] = Facts

    def add(
        self, path: str, *names: str, problems: tuple[Problem, ...] = (), language: str = "cuda"
    ) -> SourceText:
        source = SourceText(path, TEXT)
        span = Span(source, 0, 10)
        kernels = [Kernel(name, span, span, language) for name in names]
        file = InputFile(path, Input(language))
        self.readings[path] = Reading(file, Module(source, language, kernels), problems)
        return source

    def run(self, *rules: Rule, **settings: Any) -> Any:
        inputs = Inputs([reading.file for reading in self.readings.values()])
        return engine.check(inputs, Settings(**settings), rules)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(file_check, "read_input", lambda file, *_: made.readings[file.path])
    monkeypatch.setattr(file_check, "facts_of", lambda kernel, module, settings: made.facts(kernel))
    monkeypatch.setattr(coverage, "judgements", lambda facts: facts.judgements)
    return made


def rule(check: Callable[[Any], Iterator[Finding]], **changes: Any) -> Rule:
    return Rule(
        "TST001", "sample", "s", Category.SUSPICIOUS, Severity.WARNING, check=check, **changes
    )


DOUBT = StatedDoubt("stride-may-be-small", "it may be a single element")


def finding(facts: Facts, text: str = "found", *doubts: StatedDoubt) -> Finding:
    return Finding(
        rule(lambda _: iter(())),
        facts.kernel.span,
        (Part(text),),
        facts.kernel.name,
        Severity.WARNING,
        doubts=doubts,
    )


def test_every_rule_sees_every_kernel(world: World) -> None:
    world.add("b.cu", "k1", "k2")
    world.add("a.cu", "k3")
    result = world.run(rule(lambda facts: iter([finding(facts, facts.kernel.name)])))
    assert [f.text for f in result.findings] == ["k3", "k1", "k2"]
    assert [item.path for item in result.inputs] == ["b.cu", "a.cu"]
    assert [item.accesses for item in result.inputs] == [6, 3]
    assert result.exit_code is ExitCode.FINDINGS


def test_rule_reads_only_its_inputs(world: World) -> None:
    world.add("a.cu", "k")
    world.add("a.ptx", "k", language="ptx")
    result = world.run(rule(lambda facts: iter([finding(facts)]), inputs=frozenset({Input.PTX})))
    assert [f.span.path for f in result.findings] == ["a.ptx"]


@pytest.mark.parametrize(
    "error", [ValueError("bad"), RecursionError(), MemoryError(), AssertionError(), KeyError("x")]
)
def test_failing_rule_costs_one_kernel_of_one_rule(world: World, error: Exception) -> None:
    world.add("a.cu", "bad", "good")

    def failing(facts: Facts) -> Iterator[Finding]:
        if facts.kernel.name == "bad":
            yield finding(facts, "before the error")
            raise error
        yield finding(facts, "found by the failing rule")

    other = replace(rule(lambda facts: iter([finding(facts, "other")])), code="TST002")
    result = world.run(rule(failing), other)
    assert {f.text for f in result.findings} == {"found by the failing rule", "other"}
    (problem,) = result.problems
    assert problem.message.startswith("internal error in rule TST001 on kernel bad: ")
    assert "please report" in problem.advice
    assert type(error).__name__ in problem.trace
    assert problem.damage is Damage.PARTIAL
    assert result.inputs[0].status == "partial"
    assert result.exit_code is ExitCode.NOT_ANALYSABLE


def test_endless_recursion_in_a_rule_is_survived(world: World) -> None:
    world.add("a.cu", "k")

    def deep(facts: Facts) -> Iterator[Finding]:
        yield from deep(facts)

    (problem,) = world.run(rule(deep)).problems
    assert problem.message == "internal error in rule TST001 on kernel k: nested too deeply"


def test_failing_analysis_is_counted(world: World) -> None:
    world.add("a.cu", "k", "l")

    def facts(kernel: Kernel) -> Facts:
        if kernel.name == "k":
            raise ZeroDivisionError
        return Facts(kernel)

    world.facts = facts
    result = world.run(rule(lambda facts: iter([finding(facts)])))
    assert [f.kernel for f in result.findings] == ["l"]
    assert [(u.kind, u.count) for u in result.inputs[0].unanalysed] == [("kernel", 1)]


def test_interrupt_passes_through(world: World) -> None:
    world.add("a.cu", "k")

    def interrupted(facts: Facts) -> Iterator[Finding]:
        raise KeyboardInterrupt
        yield finding(facts)

    with pytest.raises(KeyboardInterrupt):
        world.run(rule(interrupted))


def test_possible_findings_are_counted_and_shown_on_demand(world: World) -> None:
    world.add("a.cu", "k")
    possible = rule(lambda facts: iter([finding(facts, "found", DOUBT)]))
    hidden = world.run(possible)
    assert (hidden.findings, hidden.hidden) == ((), 1)
    assert hidden.exit_code is ExitCode.CLEAN
    shown = world.run(possible, show_possible=True)
    assert (len(shown.findings), shown.hidden) == (1, 0)


def test_one_finding_of_two_instances_is_kept_once_and_as_the_surer_one(world: World) -> None:
    world.add("a.cu", "k<1>", "k<2>")

    def check(facts: Facts) -> Iterator[Finding]:
        sure = facts.kernel.name == "k<2>"
        yield finding(facts, "found", *([] if sure else [DOUBT]))

    result = world.run(rule(check))
    assert [f.kernel for f in result.findings] == ["k<2>"]
    assert result.hidden == 0


def test_one_finding_of_a_file_that_two_inputs_include_is_kept_once(world: World) -> None:
    world.add("src/k.cuh", "k")
    world.add("src/../src/k.cuh", "k")
    result = world.run(rule(lambda facts: iter([finding(facts)])))
    assert [f.span.path for f in result.findings] == ["src/k.cuh"]


def test_a_kernel_is_judged_where_something_launches_it(world: World) -> None:
    """Of how large a block nobody knows: the launch may tell what is passed all the same."""
    world.add("src/k.cuh", "k")
    world.add("src/../src/k.cuh", "k")
    launched = world.readings["src/../src/k.cuh"].module
    assert launched is not None
    span = launched.kernels[0].span
    launched.kernels[0].launches.append(Launch("k", (1, 1, 1), (None, 1, 1), 0, span))
    guess = AssumedLaunch((256, 1, 1), (1, 1, 1), None, "default", guessed=True)
    world.facts = lambda kernel: Facts(kernel, launches=(SimpleNamespace(launch=guess),))
    result = world.run(rule(lambda facts: iter([finding(facts)])))
    assert [f.span.path for f in result.findings] == ["src/../src/k.cuh"]


def test_reasons_are_summed(world: World) -> None:
    world.add("a.cu", "k", "l")
    source = world.readings["a.cu"].module.source  # type: ignore[union-attr]

    def judged(kernel: Kernel) -> tuple[Judgement, ...]:
        own = Span(source, 0, 3), Span(source, 4, 6)
        reasons = ("unknown index", "" if kernel.name == "k" else "unknown index")
        return tuple(
            Judgement("access", reason, span, "global load")
            for reason, span in zip(reasons, own, strict=True)
        )

    world.facts = lambda kernel: Facts(kernel, judgements=judged(kernel))
    result = world.run()
    (item,) = result.inputs
    assert item.unanalysed_count == 2  # places, however many kernels share them
    assert [(u.kind, u.reason, u.count, u.kernels) for u in item.unanalysed] == [
        ("access", "unknown index", 2, 1)
    ]
    assert (result.coverage.accesses, result.coverage.unanalysed) == (2, 2)


def problem(damage: Damage, *, usage: bool = False) -> Problem:
    return Problem("a.cu", "m", "a", damage, usage=usage)


@pytest.mark.parametrize(
    ("problems", "with_finding", "expected"),
    [
        ((), False, ExitCode.CLEAN),
        ((), True, ExitCode.FINDINGS),
        ((problem(Damage.NOTICE),), False, ExitCode.CLEAN),
        ((problem(Damage.NOTICE),), True, ExitCode.FINDINGS),
        ((problem(Damage.PARTIAL),), True, ExitCode.NOT_ANALYSABLE),
        ((problem(Damage.FATAL),), False, ExitCode.NOT_ANALYSABLE),
        ((problem(Damage.FATAL, usage=True),), True, ExitCode.USAGE),
        ((problem(Damage.FATAL, usage=True), problem(Damage.FATAL)), True, ExitCode.NOT_ANALYSABLE),
    ],
)
def test_exit_codes(
    world: World, problems: tuple[Problem, ...], with_finding: bool, expected: ExitCode
) -> None:
    world.add("a.cu", "k", problems=problems)
    rules = [rule(lambda facts: iter([finding(facts)]))] if with_finding else []
    result = world.run(*rules)
    assert len(result.findings) == with_finding
    assert result.exit_code is expected
