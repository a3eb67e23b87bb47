"""Discovery refuses a rule file that is incomplete, and says which one."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import warplint.rules
from warplint.analyzer.findings.finding import Severity
from warplint.analyzer.findings.rule import Category, Rule
from warplint.rules import RuleDefinitionError, assemble, load_rules, rule_of


def module(where: str = "rules.shared_memory.sample", **changes: Any) -> ModuleType:
    made = ModuleType(where, changes.pop("doc", "## What it does\n\n    Finds.\n"))
    fields = {
        "code": "SHM001",
        "name": "bank-conflict",
        "summary": "lanes that wait",
        "category": Category.PERFORMANCE,
        "severity": Severity.WARNING,
    }
    check = changes.pop("check", lambda facts: iter(()))
    if check is not None:
        made.check = check  # type: ignore[attr-defined]
    made.RULE = Rule(**(fields | changes))  # type: ignore[attr-defined]
    return made


def test_page_and_check_come_from_the_module() -> None:
    made = module()
    rule = rule_of(made)
    assert rule.page == "## What it does\n\n    Finds."
    assert rule.check is made.check


def test_rules_come_in_the_order_of_their_codes() -> None:
    second = module("rules.b", code="SHM002", name="other")
    assert list(assemble([second, module()])) == ["SHM001", "SHM002"]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"code": "SHM1"}, "three letters, three digits"),
        ({"name": "BankConflict"}, "kebab-case"),
        ({"summary": ""}, "no summary"),
        ({"inputs": frozenset()}, "neither CUDA nor PTX"),
        ({"doc": ""}, "no docstring"),
        ({"references": ("CWE-0",)}, "CWE-0 is no entry"),
        ({"check": None}, "define check"),
    ],
)
def test_incomplete_rule_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RuleDefinitionError, match=complaint) as caught:
        rule_of(module(**changes))
    assert "rules.shared_memory.sample" in str(caught.value)


def test_module_without_a_rule_is_refused() -> None:
    with pytest.raises(RuleDefinitionError, match="define RULE"):
        rule_of(ModuleType("rules.empty", "page"))


@pytest.mark.parametrize("taken", [{"name": "other"}, {"code": "SHM002"}])
def test_a_code_or_name_taken_twice_is_refused(taken: dict[str, str]) -> None:
    with pytest.raises(RuleDefinitionError, match=r"rules\.b: .* already taken by rules\.a"):
        assemble([module("rules.a"), module("rules.b", **taken)])


def test_a_report_needs_no_check() -> None:
    assert rule_of(module(check=None, category=Category.REPORT)).check is None


def test_every_rule_file_of_the_tree_is_found() -> None:
    root = Path(warplint.rules.__file__).parent
    files = {path.stem for path in root.glob("*/*.py") if not path.stem.startswith("_")}
    assert {rule.name.replace("-", "_") for rule in load_rules().values()} == files
