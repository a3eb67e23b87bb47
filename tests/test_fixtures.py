"""Every fixture is as its markers say; every rule has a hit and a near miss for each input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fixture_runner import complaints, read_markers

from warplint.analyzer.engine.inputs import WALKED
from warplint.rules import load_rules

if TYPE_CHECKING:
    from warplint.analyzer.findings.rule import Rule

FIXTURES = Path(__file__).parent / "fixtures"
FILES = sorted(path for path in FIXTURES.glob("*/*/*") if path.suffix in (".cu", ".ptx"))
CHECKED = [rule for rule in load_rules().values() if rule.check is not None]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FIXTURES).as_posix())
def test_the_findings_are_the_marked_ones(path: Path) -> None:
    found = complaints(path, load_rules())
    assert not found, "\n".join([f"{path.relative_to(FIXTURES.parents[1])}:", *found])


def test_every_fixture_belongs_to_a_rule() -> None:
    folders = {rule.name.replace("-", "_") for rule in load_rules().values()}
    homeless = {path for path in FIXTURES.rglob("*") if path.is_file() and path not in FILES}
    assert {path for path in homeless if path.suffix in WALKED and path.suffix != ".cuh"} == set()
    assert {path.parent.name for path in FILES} <= folders


@pytest.mark.parametrize("rule", CHECKED, ids=lambda rule: rule.code)
def test_every_rule_has_a_hit_and_a_near_miss_for_each_input(rule: Rule) -> None:
    own = [path for path in FILES if path.parent.name == rule.name.replace("-", "_")]
    for kind in rule.inputs:
        markers = [
            read_markers(path.read_text(encoding="utf-8"))
            for path in own
            if WALKED[path.suffix] is kind
        ]
        hits = {code for each in markers for _, code in each.expected}
        misses = {code for each in markers for _, code in each.forbidden}
        assert rule.code in hits, f"no {kind.value} fixture with `expect: {rule.code}`"
        assert rule.code in misses, f"no {kind.value} fixture with `expect-not: {rule.code}`"
