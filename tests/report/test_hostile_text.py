"""Whatever characters a source, a path or a message holds, every report stays what it is."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.engine.result import InputResult, RunResult
from warplint.analyzer.findings.finding import (
    Applicability,
    Assumption,
    Edit,
    Fact,
    Finding,
    Fix,
    Part,
    Related,
    Severity,
)
from warplint.analyzer.findings.rule import Category, Rule
from warplint.analyzer.report.formats.console import render_concise, render_full
from warplint.analyzer.report.formats.json_report import render_json
from warplint.analyzer.report.formats.sarif import render_sarif
from warplint.analyzer.report.problems import render_problems
from warplint.analyzer.report.text.palette import Palette
from warplint.analyzer.source.problem import Damage, Problem
from warplint.analyzer.source.text import SourceText, Span

SCHEMA = json.loads(
    (Path(__file__).parent.parent / "data" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)

ANY = st.text(max_size=12)
SOURCE = st.text(min_size=1, max_size=40)
# A path cannot hold NUL; an undecodable byte of one becomes a lone surrogate.
PATH = st.text(
    st.characters(exclude_characters="\0/", exclude_categories=("Cs",)) | st.just("\udcff"),
    min_size=1,
    max_size=8,
).filter(lambda name: name not in (".", ".."))


@st.composite
def results(draw: st.DrawFn) -> RunResult:
    source = SourceText(draw(PATH) + ".cu", draw(SOURCE))

    def span() -> Span:
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(source.text))] * 2)))
        return Span(source, start, end)

    rule = Rule("TST001", "test", draw(ANY) or "x", Category.SUSPICIOUS, Severity.NOTE)
    finding = Finding(
        rule,
        span(),
        (Part(draw(ANY)), Part(draw(ANY), span())),
        draw(ANY),
        draw(st.sampled_from(Severity)),
        label=draw(ANY),
        evidence=(Fact("degree", draw(ANY), draw(ANY)),),
        assumptions=(Assumption("block", draw(ANY), draw(ANY)),),
        related=(Related(span(), draw(ANY)),),
        fixes=(Fix(draw(ANY), Applicability.SAFE, (Edit(span(), draw(ANY)),)),),
        verify=draw(ANY),
    )
    problem = Problem(source.path, draw(ANY), draw(ANY), draw(st.sampled_from(Damage)), span())
    item = InputResult(source.path, "full", 1, 1, problems=(problem,))
    return RunResult((finding,), (item,), (rule,), 90)


@given(results())
def test_terminal_gets_no_control_characters(result: RunResult) -> None:
    texts = (
        render_full(result, 40, Palette()),
        render_concise(result, Palette()),
        render_problems(result.problems, Palette()),
    )
    for text in texts:
        assert not [c for c in text if c != "\n" and (c < " " or "\x7f" <= c <= "\x9f")]


@given(results())
def test_concise_is_a_line_per_finding(result: RunResult) -> None:
    assert len(render_concise(result, Palette()).split("\n")) == 3


@given(results())
def test_json_keeps_every_character(result: RunResult) -> None:
    text = render_json(result, "1", 1)
    assert text.isascii()
    (finding,) = json.loads(text)["findings"]
    assert finding["message"] == result.findings[0].text
    assert finding["path"] == result.findings[0].span.path


@settings(max_examples=30)
@given(results())
def test_sarif_stays_valid(result: RunResult) -> None:
    text = render_sarif(result, "1", 1, Path.cwd())
    assert text.isascii()
    VALIDATOR.validate(json.loads(text))
