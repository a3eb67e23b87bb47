"""The fixture runner complains when it must: it is tested on an engine that says what we want."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import fixture_runner
import pytest
from fixture_fixes import fix_complaints
from fixture_runner import complaints, read_markers

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.engine.result import InputResult, RunResult
from warplint.analyzer.findings.finding import Applicability, Edit, Finding, Fix, Part, Severity
from warplint.analyzer.findings.rule import Category, Rule
from warplint.analyzer.source.problem import Damage, Problem
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.engine.inputs import Inputs


def rule(code: str, name: str, *, default: bool = True) -> Rule:
    return Rule(code, name, "a summary", Category.SUSPICIOUS, Severity.WARNING, default=default)


RULES = {
    "AAA001": rule("AAA001", "always-on"),
    "AAA002": rule("AAA002", "of-the-folder", default=False),
    "AAA003": rule("AAA003", "never-asked-for", default=False),
}


class Engine:
    """Stands for the engine: reports AAA001 on lines with `guilty`, and keeps what it was told."""

    def __init__(self, problems: tuple[Problem, ...] = ()) -> None:
        self.problems = problems
        self.settings: Settings | None = None
        self.applied: list[str] = []

    def check(self, inputs: Inputs, settings: Settings, rules: Sequence[Rule]) -> RunResult:
        self.settings = settings
        self.applied = [each.code for each in rules]
        (file,) = inputs.files
        with open(file.path, encoding="utf-8") as stream:
            source = SourceText(file.path, stream.read())
        findings = tuple(
            Finding(
                RULES["AAA001"],
                source.span_of_line(number),
                (Part("is guilty"),),
                "kernel",
                Severity.WARNING,
            )
            for number, line in enumerate(source.text.splitlines(), start=1)
            if "guilty" in line
        )
        seen = InputResult(file.path, "full", 1, 1, problems=self.problems)
        return RunResult(findings, (seen,), tuple(rules), settings.arch)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    engine = Engine()
    monkeypatch.setattr(fixture_runner, "check", engine.check)
    return engine


def complain(folder: Path, text: str) -> list[str]:
    """The complaints about a fixture with this text, of the rule `of-the-folder`."""
    path = folder / "family" / "of_the_folder" / "sample.cu"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return complaints(path, RULES)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    "text",
    [
        "innocent;\n",
        "guilty;  // expect: AAA001\n",
        "guilty; guilty;  // expect: AAA001 twice on a line is once\n",
        "innocent;  // expect-not: AAA001, AAA002 because it is innocent\n",
        "guilty;  // expect: AAA001  // expect-not: AAA002\n",
        "// a comment that expects nothing\n",
    ],
)
def test_nothing_to_complain_about(tmp_path: Path, text: str) -> None:
    assert complain(tmp_path, text) == []


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("guilty;\n", "line 1: unexpected AAA001: is guilty"),
        ("\ninnocent;  // expect: AAA001\n", "line 2: missing AAA001"),
        (
            "guilty;  // expect-not: AAA001\n",
            "line 1: AAA001 where the marker says expect-not: is guilty",
        ),
        (
            "innocent;  // expect-not: AAA003\n",
            "AAA003 is not applied to this fixture, or does not exist",
        ),
        (
            "guilty;  // expect: AAA001  // expect-not: AAA001\n",
            "line 1: AAA001 is both expected and expected not to be",
        ),
    ],
)
def test_findings_that_differ_from_the_markers(tmp_path: Path, text: str, complaint: str) -> None:
    assert complaint in complain(tmp_path, text)


@pytest.mark.parametrize(
    "comment",
    [
        "expect AAA001",
        "expect:",
        "expects: AAA001",
        "expect: aaa001",
        "expect: AAA01",
        "expect: AAA0012",
        "expect: AAA001 AAA002",
        "expect: AAA001,",
        "Expect: AAA001",
        "expect-none: AAA001",
        "warplint-arg: --block 8",
        "warplint-args --block 8",
    ],
)
def test_a_malformed_marker(comment: str) -> None:
    markers = read_markers(f"guilty;  // {comment}\n")
    assert [text for text in markers.complaints if comment in text]
    assert not markers.expected


@pytest.mark.usefixtures("engine")
def test_a_malformed_marker_fails_the_fixture(tmp_path: Path) -> None:
    assert complain(tmp_path, "// expect AAA001\n") == ["line 1: malformed marker: expect AAA001"]


def test_arguments_may_be_given_once(engine: Engine, tmp_path: Path) -> None:
    text = "// warplint-args: --block 16,16 --arch sm_80 --grid 4 -D TILE=8 -U DEBUG\n"
    assert complain(tmp_path, text) == []
    settings = engine.settings
    assert settings is not None
    assert (settings.block, settings.grid, settings.arch) == ((16, 16, 1), (4, 1, 1), 80)
    assert (settings.defines, settings.undefines) == ({"TILE": "8"}, {"DEBUG"})
    assert len(read_markers(text + text).complaints) == 1


def test_the_default_rules_and_the_one_of_the_folder_are_applied(
    engine: Engine, tmp_path: Path
) -> None:
    complain(tmp_path, "innocent;\n")
    assert engine.applied == ["AAA001", "AAA002"]


def test_a_file_that_was_not_analysed_completely(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    damaged = Problem("sample.cu", "cannot read a statement", "mend it", Damage.PARTIAL)
    remark = Problem("sample.cu", "a remark", "", Damage.NOTICE)
    monkeypatch.setattr(fixture_runner, "check", Engine((damaged, remark)).check)
    assert complain(tmp_path, "innocent;\n") == ["not analysed completely: cannot read a statement"]


def test_fixes_that_do_not_hold_are_a_complaint(tmp_path: Path) -> None:
    """A rule that speaks of every kernel and offers a blank against it."""

    def speak(facts: KernelFacts) -> Iterator[Finding]:
        span = facts.kernel.span
        edit = Edit(Span(span.source, span.start, span.start), " ")
        fixes = (Fix("a blank", Applicability.SAFE, (edit,)),)
        text = (Part("is there"),)
        yield Finding(spoken, span, text, facts.kernel.name, Severity.NOTE, fixes=fixes)

    spoken = replace(RULES["AAA001"], check=speak)
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k() {}\n", encoding="utf-8")
    before = check(collect_inputs([str(path)]), Settings(), [spoken])
    assert list(fix_complaints(path, [spoken], Settings(), before)) == ["no fix holds"]
    silent = replace(spoken, check=lambda facts: iter(()))
    before = check(collect_inputs([str(path)]), Settings(), [silent])
    assert list(fix_complaints(path, [silent], Settings(), before)) == []
