"""Findings of `tests/data/measured/defects.cu` beside what was measured of the program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.finding import Assumption, Fact, Finding
from warplint.analyzer.findings.measurement import Standing
from warplint.analyzer.findings.ordering import ordered
from warplint.analyzer.findings.rule import Category
from warplint.analyzer.measurements.blind_spots import blind_spot
from warplint.analyzer.measurements.judging import hot_lines, judged
from warplint.analyzer.measurements.measured_program import MeasuredProgram
from warplint.analyzer.measurements.profile_report import read_profile
from warplint.analyzer.measurements.sanitizer_report import Hazard, SanitizerReport, read_sanitizer
from warplint.rules import load_rules

DATA = Path(__file__).parent.parent / "data" / "measured"
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")


def program(*tools: str, profile: bool = True) -> MeasuredProgram:
    reports = [read_sanitizer((DATA / f"{tool}.txt").read_text("utf-8")) for tool in tools]
    pages = [read_profile((DATA / name).read_text("utf-8")) for name in ("raw.csv", "source.csv")]
    return MeasuredProgram(tuple(reports), tuple(pages) if profile else ())


@pytest.fixture(scope="module")
def findings() -> tuple[Finding, ...]:
    rules = [rule for rule in load_rules().values() if rule.category is not Category.REPORT]
    return check(collect_inputs([str(DATA / "defects.cu")]), Settings(), rules).findings


def standings(found: tuple[Finding, ...]) -> dict[tuple[str, str], Standing]:
    return {
        (each.rule.code, each.kernel): each.measured.standing
        for each in found
        if each.measured is not None
    }


def test_what_the_tools_reported_is_confirmed(findings: tuple[Finding, ...]) -> None:
    found = standings(judged(findings, program(*TOOLS)))
    for key in (
        ("SYN002", "mirror_no_barrier"),
        ("SYN003", "sums_no_second_barrier"),
        ("SYN001", "barrier_in_branch"),
        ("SHM006", "beyond_shared"),
        ("GLB005", "misaligned_vector"),
        ("SHM001", "transpose_conflicts"),
        ("GLB001", "transpose_naive"),
        ("GLB001", "rows_by_thread"),
    ):
        assert found[key] is Standing.CONFIRMED, key
    assert Standing.CONTRADICTED not in found.values()
    assert found["API001", ""] is Standing.NOT_COVERED


def test_without_its_tool_nothing_is_covered(findings: tuple[Finding, ...]) -> None:
    found = standings(judged(findings, program("memcheck", profile=False)))
    assert found["SYN002", "mirror_no_barrier"] is Standing.NOT_COVERED
    assert found["SHM001", "transpose_conflicts"] is Standing.NOT_COVERED
    assert found["SHM006", "beyond_shared"] is Standing.CONFIRMED


def test_numbers_stand_side_by_side(findings: tuple[Finding, ...]) -> None:
    for each in judged(findings, program()):
        if each.rule.code == "SHM001" and each.measured is not None:
            assert (each.measured.predicted, each.measured.measured) == (32, 32)
            assert "32 times the ideal wavefronts" in each.measured.text
            return
    pytest.fail("no bank conflict")


def race(findings: tuple[Finding, ...]) -> Finding:
    return next(each for each in findings if each.rule.code == "SYN002")


def silent(kernel: str) -> MeasuredProgram:
    """A run in which the kernel is known to have run, and racecheck to have looked."""
    other = Hazard("racecheck", "Race", "other", (("x.cu", 1),))
    ran = Hazard("memcheck", "Invalid", kernel, (("x.cu", 1),))
    return MeasuredProgram((SanitizerReport(frozenset({"racecheck"}), (other, ran)),))


def test_silence_contradicts_what_ran(findings: tuple[Finding, ...]) -> None:
    (found,) = judged([race(findings)], silent("mirror_no_barrier"))
    assert found.measured is not None
    assert found.measured.standing is Standing.CONTRADICTED
    (found,) = judged([race(findings)], silent("another"))
    assert found.measured is not None
    assert found.measured.standing is Standing.NOT_COVERED
    assert "nothing says that mirror_no_barrier ran" in found.measured.text


def test_silence_of_the_blind_says_nothing(findings: tuple[Finding, ...]) -> None:
    plain = race(findings)
    assert blind_spot("racecheck", plain) == ""
    atomic = replace(plain, evidence=(Fact("accesses", ["store", "atomic"]),))
    assert "atomic" in blind_spot("racecheck", atomic)
    assert blind_spot("memcheck", atomic) == ""
    whole = replace(plain, evidence=(Fact("uniformity", "warp-uniform"),))
    assert "whole warps" in blind_spot("synccheck", whole)
    waiting = replace(plain, evidence=(Fact("others_wait", [7]),))
    assert "another barrier" in blind_spot("synccheck", waiting)
    example = replace(plain, assumptions=(Assumption("n", 9, "example value"),))
    assert "other values" in blind_spot("racecheck", example)
    (found,) = judged([atomic], silent("mirror_no_barrier"))
    assert found.measured is not None
    assert found.measured.standing is Standing.NOT_COVERED


def test_hazards_of_a_called_function_count_by_their_lines(findings: tuple[Finding, ...]) -> None:
    hazard = Hazard("racecheck", "Race", "helper", (("defects.cu", 55),))
    run = MeasuredProgram((SanitizerReport(frozenset({"racecheck"}), (hazard,)),))
    (found,) = judged([race(findings)], run)
    assert found.measured is not None
    assert found.measured.standing is Standing.CONFIRMED


def test_findings_are_ordered_by_measured_time(findings: tuple[Finding, ...]) -> None:
    slow = [each for each in judged(findings, program()) if each.rule.code == "GLB001"]
    same = [replace(each, severity=slow[0].severity) for each in slow]
    assert [each.kernel for each in ordered(same)] == ["rows_by_thread", "transpose_naive"]
    shares = [each.measured.share for each in ordered(same) if each.measured is not None]
    assert shares[0] is not None
    assert 0.4 < shares[0] < 0.8


def test_hot_lines_have_no_finding(findings: tuple[Finding, ...]) -> None:
    found = hot_lines(findings, program())
    assert 46 not in {each.line for each in found}  # it has one
    assert "histogram" in {each.kernel for each in found}
    assert found[0].share == max(each.share for each in found)
    assert all("of its samples" in each.text for each in found)
    assert hot_lines(findings, program(profile=False)) == ()
