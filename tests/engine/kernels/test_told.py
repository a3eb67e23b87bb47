"""What a finding says of the file that was checked, in the words of another one."""

from __future__ import annotations

from warplint.analyzer.engine.kernels.told import Told, kept, retold
from warplint.analyzer.findings.finding import Finding, Part, Severity, StatedDoubt
from warplint.analyzer.source.text import SourceText, Span
from warplint.rules import load_rules

BEFORE, NOW = Told("a.cu", " (not found: x.h)"), Told("'b c.cu'", " (not found: y.h and z.h)")


def finding(verify: str, *reasons: str) -> Finding:
    source = SourceText("k.cuh", "text")
    doubts = tuple(StatedDoubt("name", reason) for reason in reasons)
    rule = load_rules()["SYN001"]
    said = (Part("said"),)
    return Finding(rule, Span(source, 0, 1), said, "k", Severity.NOTE, verify=verify, doubts=doubts)


def test_the_command_names_the_file_of_now() -> None:
    said = finding("nvcc -arch=sm_90 -o /dev/null a.cu  # bytes of a.cu")
    made = retold(kept(said, BEFORE), BEFORE, NOW)
    assert made.verify == "nvcc -arch=sm_90 -o /dev/null 'b c.cu'  # bytes of a.cu"
    said = finding("./app  # a.cu")
    assert retold(kept(said, BEFORE), BEFORE, NOW).verify == said.verify


def test_doubts_name_the_headers_of_now() -> None:
    made = retold(finding("", "of it (not found: x.h)", "of x.h"), BEFORE, NOW)
    assert [each.reason for each in made.doubts] == ["of it (not found: y.h and z.h)", "of x.h"]


def test_nothing_is_added_where_nothing_was_named() -> None:
    made = retold(finding("", "of it"), Told("a.cu", ""), NOW)
    assert [each.reason for each in made.doubts] == ["of it"]
