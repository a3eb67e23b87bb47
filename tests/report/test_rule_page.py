from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.report.rule_page import rule_markdown, rule_record, rule_table, rule_text
from warplint.analyzer.report.text.palette import Palette

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Sample

    from warplint.analyzer.findings.rule import Rule


@pytest.fixture
def rule(sample: Sample) -> Rule:
    return sample.result.rules[1]


def test_page_for_a_terminal(rule: Rule, golden: Callable[[str, str], None]) -> None:
    golden("rule.txt", rule_text(rule, Palette()))


def test_page_as_markdown(rule: Rule, golden: Callable[[str, str], None]) -> None:
    golden("rule.md", rule_markdown(rule))


def test_record_has_the_sections(rule: Rule) -> None:
    record = rule_record(rule)
    sections = record["sections"]
    assert isinstance(sections, dict)
    assert sections["What it does"] == "Finds barriers that only some threads reach."
    assert record["inputs"] == ["cuda", "ptx"]


def test_table_has_a_line_per_rule(sample: Sample) -> None:
    head, *lines = rule_table(sample.result.rules, Palette())
    assert [line.split()[0] for line in lines] == ["SHM001", "SYN001"]
    assert head.startswith("code    name")
