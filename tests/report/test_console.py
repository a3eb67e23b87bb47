from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.analyses.coverage.remedies import Remedy
from warplint.analyzer.engine.coverage import Coverage, Gap
from warplint.analyzer.findings.finding import Assumption, OtherPlace, Severity
from warplint.analyzer.findings.gain import Confidence, Gain
from warplint.analyzer.ir.unfollowed import TOO_LARGE
from warplint.analyzer.report.formats.console import Extent, render_concise, render_full
from warplint.analyzer.report.formats.gain import other_places
from warplint.analyzer.report.formats.gaps import gap_lines
from warplint.analyzer.report.problems import render_problems
from warplint.analyzer.report.text.palette import Palette, wants_color
from warplint.analyzer.source.problem import Damage, Problem
from warplint.analyzer.source.text import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Sample

PLAIN = Palette()
COLOURED = Palette(enabled=True)


def test_full_report(sample: Sample, golden: Callable[[str, str], None]) -> None:
    golden("full.txt", render_full(sample.result, 100, PLAIN))


def test_concise_report(sample: Sample, golden: Callable[[str, str], None]) -> None:
    golden("concise.txt", render_concise(sample.result, PLAIN))


def test_full_report_in_colour(sample: Sample, golden: Callable[[str, str], None]) -> None:
    golden("full.ansi", render_full(sample.result, 100, COLOURED))


def test_colour_changes_nothing_but_colour(sample: Sample) -> None:
    for render in (
        lambda p: render_full(sample.result, 60, p),
        lambda p: render_concise(sample.result, p),
    ):
        coloured = render(COLOURED)
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(PLAIN)


def test_a_place_in_another_kernel_is_named_with_it(sample: Sample) -> None:
    first = replace(sample.result.findings[0], kernel="scale<float>", label="2 sectors")
    span = first.span
    own = (OtherPlace(span, "2 sectors", f"scale<{each}>") for each in ("float", "double"))
    others = (OtherPlace(span, "2 sectors", "shift<int>"), OtherPlace(span, "4 sectors", "turn"))
    assert other_places(replace(first, places=tuple(own))) == f"also at line {span.line}"
    assert other_places(replace(first, places=others)) == (
        f"also at line {span.line} in shift, line {span.line} in turn (4 sectors)"
    )


def test_notes_that_save_nothing_are_counted(sample: Sample) -> None:
    first = sample.result.findings[0]
    little = Gain(0.1, "wavefronts", Confidence.COUNTED, 0.004, 0.004)
    note = replace(first, severity=Severity.NOTE, gain=little)
    result = replace(sample.result, findings=(note, replace(first, gain=little)))
    counted = "1 note that would save less than 10 % not shown; --verbose shows all:"
    shown = render_full(result, 100, PLAIN)
    assert (counted in shown, shown.count("[SHM001]")) == (True, 1)  # warnings stay
    everything = render_full(result, 100, PLAIN, Extent(verbose=True))
    assert (counted in everything, everything.count("[SHM001]")) == (False, 2)


def test_of_several_files_notes_are_counted_unless_they_stand_out(sample: Sample) -> None:
    first, inputs = sample.result.findings[0], sample.result.inputs
    much = Gain(0.9, "wavefronts", Confidence.COUNTED, 0.62, 0.62)
    note = replace(first, severity=Severity.NOTE, gain=much)
    proud = replace(note, rule=replace(first.rule, code="SHM900", notes_stand_out=True))
    asked = replace(note, rule=replace(first.rule, code="SHM901", default=False))
    several = replace(sample.result, findings=(note, proud, asked), inputs=(inputs[0],) * 2)
    shown = render_full(several, 100, PLAIN)
    assert [f"[SHM{code}]" in shown for code in ("001", "900", "901")] == [False, True, True]
    assert "1 note only counted; --verbose shows all:\n  1 SHM001 bank-conflict (up to" in shown
    everything = render_full(several, 100, PLAIN, Extent(verbose=True))
    assert ("[SHM001]" in everything, "only counted" in everything) == (True, False)
    one_file = render_full(replace(several, inputs=inputs[:1]), 100, PLAIN)
    assert ("[SHM001]" in one_file, "only counted" in one_file) == (True, False)


def test_what_is_no_error_in_tests_is_counted_beside_other_code(sample: Sample) -> None:
    first, inputs = sample.result.findings[0], sample.result.inputs[0]
    tests = SourceText("src/tests/a.cu", first.span.source.text)
    warning = replace(
        first, span=Span(tests, first.span.start, first.span.end), severity=Severity.WARNING
    )
    error = replace(warning, severity=Severity.ERROR)
    paths = (inputs, replace(inputs, path=tests.path))
    result = replace(sample.result, findings=(warning, error), inputs=paths)
    shown = render_full(result, 100, PLAIN)
    assert "1 finding in tests, no errors, only counted; --verbose shows all:" in shown
    assert [f"{name}[{first.rule.code}]" in shown for name in ("error", "warning")] == [True, False]
    of_tests = render_full(replace(result, inputs=paths[1:]), 100, PLAIN)
    assert f"warning[{first.rule.code}]" in of_tests


def test_clean_run_says_what_it_looked_at(sample: Sample) -> None:
    result = replace(sample.result, findings=(), inputs=sample.result.inputs[:1], hidden=0)
    assert render_full(result, 100, PLAIN).splitlines() == [
        "No findings.",
        "1 kernel in 1 file, 3 memory accesses, 33 % analysed",
        "not analysed: 2 memory accesses: depends on data: only a profiler can tell",
        "1 header not found (helper.h): pass their folders with -I",
        "`warplint inspect coverage FILE...` lists what was not analysed",
        "assumed blocks: 256x1x1 (default; set --block) for 1 kernel",
    ]


def test_shapes_are_counted_and_the_rare_ones_summed(sample: Sample) -> None:
    def shape(x: int, origin: str) -> Assumption:
        return Assumption("block", [x, 1, 1], origin)

    assumptions = [
        *(shape(32, f"launch at line {line}") for line in (3, 8)),
        *(shape(256, "default; set --block") for _ in range(3)),
        *(shape(x, "--block") for x in (1, 2, 4)),
    ]
    item = replace(sample.result.inputs[0], assumptions=tuple(assumptions))
    text = render_full(replace(sample.result, findings=(), inputs=(item,)), 100, PLAIN)
    assert (
        "assumed blocks: 256x1x1 (default; set --block) for 3 kernels, "
        "32x1x1 (launch) for 2 kernels, 1x1x1 (--block) for 1 kernel, 2 other shapes\n" in text
    )


def test_run_that_read_nothing_does_not_claim_to_be_clean(sample: Sample) -> None:
    result = replace(sample.result, findings=(), inputs=sample.result.inputs[1:], hidden=0)
    assert render_full(result, 100, PLAIN).startswith("Nothing was analysed.\n")


def test_run_without_a_kernel_does_not_claim_to_be_clean(sample: Sample) -> None:
    item = replace(sample.result.inputs[0], kernels=0)
    result = replace(sample.result, findings=(), inputs=(item,), hidden=0)
    assert render_full(result, 100, PLAIN).startswith("No kernels found.\n")
    found = replace(
        result, findings=sample.result.findings
    )  # in host code, or in what kernels call
    assert "No kernels found" not in render_full(found, 100, PLAIN)


def test_problem_says_what_where_and_what_to_do(sample: Sample) -> None:
    assert render_problems(sample.result.problems, PLAIN) == (
        "error: src/broken.ptx:1:9: unexpected end of file\n  help: close the parameter list\n"
    )


def test_flood_of_problems_is_counted_and_errors_come_first() -> None:
    notes = [Problem("a.cu", f"note {i}", "", Damage.NOTICE) for i in range(30)]
    text = render_problems([*notes, Problem("a.cu", "bad", "", Damage.FATAL)], PLAIN)
    lines = text.splitlines()
    assert lines[0] == "error: a.cu: bad"
    assert lines[-1] == "a.cu: 21 further problems; --format json lists them"


def test_problem_of_a_file_that_two_inputs_include_is_told_once() -> None:
    header = Span(SourceText("h.cuh", "x"), 0, 1)
    twice = [Problem(path, "odd", "", Damage.NOTICE, span=header) for path in ("a.cu", "b.cu")]
    assert render_problems(twice, PLAIN) == "note: h.cuh:1:1: odd\n"


def test_one_cause_in_many_files_is_told_once() -> None:
    def lost(path: str, damage: Damage = Damage.NOTICE) -> Problem:
        cause = "macro FOR_ALL is not defined here"
        return Problem(path, f"1 of 9 statements: {cause}", "-I", damage, cause=cause)

    problems = [lost(f"{name}.cu") for name in "abcdefg"]
    text = render_problems([*problems, lost("x.cu", Damage.PARTIAL)], PLAIN)
    assert text == (
        "note: a.cu: 1 of 9 statements: macro FOR_ALL is not defined here\n  help: -I\n"
        "  likewise in b.cu, c.cu, d.cu and 3 more files\n"
        "error: x.cu: 1 of 9 statements: macro FOR_ALL is not defined here\n  help: -I\n"
    )


def test_trace_is_shown_only_on_demand() -> None:
    problem = Problem("a.cu", "internal error", "report it", Damage.FATAL, trace="Traceback: x")
    assert "Traceback" not in render_problems([problem], PLAIN)
    assert "Traceback" in render_problems([problem], PLAIN, traces=True)


def test_escape_sequences_of_an_input_do_not_reach_the_terminal() -> None:
    problem = Problem("a\x1b[2J.cu", "bad \x07 byte\x9b", "", Damage.FATAL)
    text = render_problems([problem], PLAIN)
    assert text.replace("\n", "").isprintable()


class Stream:
    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("choice", "terminal", "environment", "expected"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", False, {"FORCE_COLOR": "1"}, True),
        ("auto", True, {"FORCE_COLOR": "0"}, False),
        ("auto", True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {"FORCE_COLOR": "1"}, False),
    ],
)
def test_when_to_colour(
    choice: str, terminal: bool, environment: dict[str, str], expected: bool
) -> None:
    assert wants_color(choice, Stream(terminal), environment) is expected


def test_what_is_said_of_several_functions_is_one_line() -> None:
    gaps = tuple(
        Gap("call", f"{name}: {TOO_LARGE}", Remedy.SIZE, 1, 1) for name in ("clamp", "blend")
    )
    lines = list(gap_lines(Coverage(1, 0, gaps)))
    assert lines == [f"not analysed: 2 calls: {TOO_LARGE}"]


def test_errors_of_one_rule_in_one_file_are_one_place_to_start(sample: Sample) -> None:
    first = next(each for each in sample.result.findings if each.severity is Severity.ERROR)
    result = replace(sample.result, findings=(first,) * 6)
    (start,) = (
        block for block in render_full(result, 100, PLAIN).split("\n\n") if "Start here" in block
    )
    assert start.splitlines()[1].endswith("(and 5 more in this file)")
    assert len(start.splitlines()) == 2


def test_launches_of_one_shape_are_one_entry_wherever_they_are(sample: Sample) -> None:
    origins = ("launch at line 3", "launch at src/host.cu:15", "launch", "default; set --block")
    blocks = tuple(Assumption("block", [256, 1, 1], origin) for origin in origins)
    item = replace(sample.result.inputs[0], assumptions=blocks)
    lines = render_full(replace(sample.result, findings=(), inputs=(item,)), 100, PLAIN)
    assert "blocks: 256x1x1 (launch) for 3 kernels, 256x1x1 (default; set --block) for 1 k" in lines
