"""Discovery refuses a rule file that is incomplete, and says which one."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import warplint.rules
from warplint.analyzer.config.settings import Settings
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.finding import Severity
from warplint.analyzer.findings.rule import Category, Rule
from warplint.grammars.stored import load, store
from warplint.rules import RuleDefinitionError, assemble, load_rules, rule_of
from warplint.rules.stored import StoredCheck, store_rules, stored_rules


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
    files = {path.stem for path in root.glob("[!_]*/*.py") if not path.stem.startswith("_")}
    assert {rule.name.replace("-", "_") for rule in load_rules().values()} == files


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WARPLINT_CACHE_DIR", str(tmp_path))
    load_rules.cache_clear()
    load_rules()
    (table,) = tmp_path.glob("rules-*.table")
    return table


def test_kept_rules_are_those_of_the_modules(kept: Path) -> None:
    again = stored_rules()
    assert again is not None
    assert list(again) == list(load_rules())
    for rule in load_rules().values():
        stored = again[rule.code]
        assert replace(stored, check=None) == replace(rule, check=None)
        if rule.check is None:
            assert stored.check is None
        else:
            assert isinstance(stored.check, StoredCheck)
            assert import_module(stored.check.module).RULE.code == rule.code


def test_a_kept_check_finds_what_its_module_finds(kept: Path) -> None:
    path = Path(__file__).parent.parent / "fixtures/shared_memory/bank_conflict/columns.ptx"
    inputs = collect_inputs([str(path)])
    again = stored_rules()
    assert again is not None
    found = [check(inputs, Settings(), tuple(each.values())) for each in (load_rules(), again)]
    assert found[0].findings
    assert [item.text for item in found[1].findings] == [item.text for item in found[0].findings]


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"what", b"null", b'[{"code": "SHM001"}]', b"[1]", b"1", b"[" * 100_000],
    ids=lambda content: content[:9].decode(),
)
def test_a_damaged_table_is_as_good_as_none(kept: Path, content: bytes) -> None:
    assert store(kept, content)
    assert stored_rules() is None
    kept.write_bytes(b"\0" * 100)
    assert stored_rules() is None


def test_a_table_names_all_rules_and_nothing_else(kept: Path) -> None:
    data = load(kept, 1_000_000)
    assert data is not None
    for change in ("antigravity", "os.path", "shared_memory.nowhere", "..engine.check", None, 1):
        rows = json.loads(data)
        assert rows[0][0] == "runtime_api." + rows[0][3].replace("-", "_")
        rows[0][0] = change
        assert store(kept, json.dumps(rows).encode())
        assert stored_rules() is None
    for place in range(len(json.loads(data)[0])):
        rows = json.loads(data)
        rows[0][place] = {"another": "kind"}
        assert store(kept, json.dumps(rows).encode())
        assert stored_rules() is None
    for place, strange in ((2, "X"), (2, "SHM001"), (2, ""), (3, "other-name"), (14, "no page")):
        rows = json.loads(data)
        assert rows[0][place] != strange
        rows[0][place] = strange
        assert store(kept, json.dumps(rows).encode())
        assert stored_rules() is None
    assert store(kept, json.dumps(json.loads(data)[1:]).encode())
    assert stored_rules() is None
    assert store(kept, data)
    assert stored_rules() is not None


def test_old_tables_are_dropped(kept: Path) -> None:
    for number in range(20):
        other = kept.with_name(f"rules-{number:020}.table")
        other.write_bytes(b"")
        os.utime(other, (number, number))
    store_rules({}, {})
    assert len(list(kept.parent.glob("rules-*.table"))) == 8
    assert kept.exists()
