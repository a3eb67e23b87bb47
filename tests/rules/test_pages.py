"""Every rule has a page that answers the five questions, in words that fit each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.findings.rule import PAGE_SECTIONS
from warplint.analyzer.report.rule_page import rule_markdown
from warplint.rules import load_rules

if TYPE_CHECKING:
    from warplint.analyzer.findings.rule import Rule

RULES = pytest.mark.parametrize("rule", load_rules().values(), ids=lambda rule: rule.code)


@RULES
def test_page_has_every_section_in_order(rule: Rule) -> None:
    assert tuple(rule.sections) == PAGE_SECTIONS


@RULES
def test_no_section_is_empty(rule: Rule) -> None:
    assert [title for title, text in rule.sections.items() if not text] == []


@RULES
def test_page_begins_with_its_first_section(rule: Rule) -> None:
    assert rule.page.startswith("## What it does\n")


@RULES
def test_examples_show_code(rule: Rule) -> None:
    for title in ("Example", "Use instead"):
        assert re.search(r"^(```|    )", rule.sections[title], re.MULTILINE), title


@RULES
def test_code_fences_are_closed(rule: Rule) -> None:
    assert rule.page.count("```") % 2 == 0


@RULES
def test_summary_is_a_phrase(rule: Rule) -> None:
    """Lower case without a full stop: reports put it into sentences of their own."""
    first = rule.summary.split()[0]
    assert first == first.lower() or first.isupper() or "_" in first
    assert not rule.summary.endswith(".")
    assert "\n" not in rule.summary


@RULES
def test_name_says_what_is_found_and_not_the_cure(rule: Rule) -> None:
    assert rule.name.split("-")[0] not in {"no", "avoid", "use", "disallow", "prefer", "banned"}


@RULES
def test_markdown_page_is_a_document(rule: Rule) -> None:
    assert rule_markdown(rule).startswith(f"# {rule.code} {rule.name}\n")
