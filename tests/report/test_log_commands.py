"""No report is read as commands by the log of a CI; each says what is only possible."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from warplint.analyzer.engine.result import InputResult, RunResult
from warplint.analyzer.findings.finding import (
    Fact,
    Finding,
    Fix,
    Part,
    Severity,
    StatedDoubt,
)
from warplint.analyzer.findings.rule import Category, Rule
from warplint.analyzer.report.formats.azure import render_azure
from warplint.analyzer.report.formats.checkstyle import render_checkstyle
from warplint.analyzer.report.formats.console import render_concise, render_full
from warplint.analyzer.report.formats.gcc import render_gcc
from warplint.analyzer.report.formats.github import render_github
from warplint.analyzer.report.formats.gitlab import render_gitlab
from warplint.analyzer.report.formats.json_lines import render_json_lines
from warplint.analyzer.report.formats.json_report import render_json
from warplint.analyzer.report.formats.junit import render_junit
from warplint.analyzer.report.formats.markdown import render_markdown
from warplint.analyzer.report.formats.rdjson import render_rdjson
from warplint.analyzer.report.formats.sarif import render_sarif
from warplint.analyzer.report.html.page import render_html
from warplint.analyzer.report.problems import render_problems
from warplint.analyzer.report.text.log_commands import harmless, is_read
from warplint.analyzer.report.text.palette import Palette
from warplint.analyzer.source.problem import Damage, Problem
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Sample

RENDERERS: dict[str, Callable[[RunResult], str]] = {
    "full": lambda result: render_full(result, 200, Palette()),
    "concise": lambda result: render_concise(result, Palette()),
    "json": lambda result: render_json(result, "1", 0),
    "jsonl": lambda result: render_json_lines(result, "1", 0),
    "sarif": lambda result: render_sarif(result, "1", 0),
    "github": render_github,
    "gitlab": render_gitlab,
    "azure": render_azure,
    "gcc": render_gcc,
    "rdjson": render_rdjson,
    "checkstyle": render_checkstyle,
    "junit": render_junit,
    "markdown": render_markdown,
    "html": lambda result: render_html(result, "1"),
    "problems": lambda result: render_problems(result.problems, Palette(), traces=True),
}
OWN = {
    "github": r"::(error|warning|notice) file=[^:,]*(,[a-zA-Z]+=[^:,]*)*::((?!##[a-z]*\[).)*",
    "azure": r"##vso\[task\.logissue ([a-z]+=[^;\]]*;)+\]((?!##[a-z]*\[).)*",
}
REPORTS = [name for name in RENDERERS if name != "problems"]  # what shows findings


def commands(text: str) -> list[str]:
    """The lines that GitHub, Azure or TeamCity would carry out."""
    found = re.findall(r"^\s*::\S.*$|.*##\[.*|.*##vso\[.*|^\s*##teamcity\[.*", text, re.MULTILINE)
    return list(map(str, found))


PIECES = st.sampled_from(
    ["::", ":", "#", "##", "[", "]", "error", "vso", "teamcity", "add-mask", "set-output name=a",
     "\n", "\r", " ", "\t", "\u00a0", "\u3000", "\u2028", "\x0b", "\x85", "\\", "'", "<", "`", "x"]
)  # fmt: skip
TEXT = st.lists(PIECES, max_size=8).map("".join) | st.sampled_from(
    ["::error::x", "##[error]x", "##vso[task.x]", "##teamcity[x]", "a\n::warning::x", "###[x]"]
)


@st.composite
def results(draw: st.DrawFn) -> RunResult:
    path = draw(TEXT.map(lambda text: text.replace("/", "")).filter(bool)) + ".cu"
    source = SourceText(path, draw(TEXT) or "x")
    span = Span(source, 0, len(source.text))
    rule = Rule("TST001", "test", "x", Category.SUSPICIOUS, Severity.NOTE)
    texts = [draw(TEXT) for _ in range(6)]
    finding = Finding(
        rule, span, (Part(texts[0]),), texts[1], draw(st.sampled_from(Severity)), label=texts[2],
        evidence=(Fact("degree", texts[3], texts[3]),), fixes=(Fix(texts[4]),), verify=texts[5],
    )  # fmt: skip
    problem = Problem(path, draw(TEXT), draw(TEXT), Damage.PARTIAL, span, trace=draw(TEXT))
    many = draw(st.sampled_from([1, 25]))  # more than GitHub annotates
    found = tuple(replace(finding, kernel=f"{number}") for number in range(many))
    return RunResult(found, (InputResult(path, "full", 1, 1, problems=(problem,)),), (rule,), 90)


@pytest.mark.parametrize("name", RENDERERS)
@given(result=results())
def test_no_text_of_an_input_is_a_command(name: str, result: RunResult) -> None:
    text = RENDERERS[name](result)
    own = OWN.get(name)  # lines that are written as they are
    if own is None:
        text = harmless(text)
    assert [line for line in commands(text) if own is None or not re.fullmatch(own, line)] == []
    assert "##[" not in text


@given(TEXT, TEXT)
def test_documents_mean_what_they_meant(one: str, other: str) -> None:
    plain = json.dumps({one: [other, one + other]}, indent=2)
    assert json.loads(harmless(plain)) == json.loads(plain)
    words = "".join(character for character in one + other if character >= " ")
    element = ElementTree.Element("a", {"b": words})
    element.text = words
    again = ElementTree.fromstring(harmless(ElementTree.tostring(element, encoding="unicode")))
    assert (again.get("b"), again.text or "") == (words, words)


@given(st.text())
@example("::error a\n ::")
def test_other_text_stays_and_keeps_its_width(text: str) -> None:
    assert len(harmless(" " + text)) == len(text) + 1
    if "::" not in text and "##" not in text:
        assert harmless(text) == text


def test_who_reads_commands() -> None:
    assert is_read({"GITHUB_ACTIONS": "true"})
    assert not is_read({"CI": "true", "GITHUB_ACTIONS": ""})


@pytest.mark.parametrize("name", REPORTS)
def test_what_is_only_possible_says_so(name: str, sample: Sample) -> None:
    def render(*doubts: StatedDoubt) -> str:
        found = tuple(replace(item, doubts=doubts) for item in sample.result.findings)
        return RENDERERS[name](replace(sample.result, findings=found, hidden=0))

    possible, definite = render(StatedDoubt("other-sizes", "it may be another")), render()
    assert possible.count("(possible)") + possible.count('"possible"') >= len(
        sample.result.findings
    )
    assert "(possible)" not in definite
    assert '"possible"' not in definite


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_names_the_doubts(name: str, sample: Sample) -> None:
    text = RENDERERS[name](sample.result)
    (doubted,) = (item for item in sample.result.findings if item.doubts)
    for doubt in doubted.doubts:
        assert doubt.name in text.replace("\\", "")
