"""Every doubt is named, registered and documented, and has a kernel on either side of it.

`tests/data/doubts.csv` names for each doubt a fixture with a kernel that it keeps from being
reported and one near it that is reported, by a rule that asks it.
"""

from __future__ import annotations

import csv
import importlib
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import facts_of
from fixture_runner import read_markers, settings_of
from source_tree import ROOT

from warplint.analyzer.analyses.conflicts.race_kinds import RaceKind
from warplint.analyzer.analyses.doubts import registry
from warplint.analyzer.analyses.doubts.question.doubt import Effect
from warplint.analyzer.engine.check import check
from warplint.analyzer.engine.inputs import collect_inputs
from warplint.analyzer.findings.finding import Certainty
from warplint.rules import load_rules

if TYPE_CHECKING:
    from warplint.analyzer.analyses.doubts.question.doubt import AnyDoubt
    from warplint.analyzer.findings.finding import Finding

DOUBTS = registry.all_registered()
JUDGED = [rule for rule in load_rules().values() if rule.judged]
FOLDER = ROOT / "analyzer" / "analyses" / "doubts"


@cache
def table() -> dict[str, dict[str, str]]:
    with (ROOT / "tests" / "data" / "doubts.csv").open(encoding="utf-8", newline="") as file:
        return {row["doubt"]: row for row in csv.DictReader(file)}


@cache
def findings(fixture: str) -> tuple[Finding, ...]:
    """All findings of a fixture, those that a doubt silences too."""
    path = ROOT / "tests" / "fixtures" / fixture
    markers = read_markers(path.read_text(encoding="utf-8"))
    settings = settings_of(markers).changed(show_possible=True)
    return check(collect_inputs([str(path)]), settings, JUDGED).findings


def test_the_table_has_every_doubt_and_no_other() -> None:
    assert table().keys() == {doubt.name for doubt in DOUBTS}


@pytest.mark.parametrize("doubt", DOUBTS, ids=lambda doubt: doubt.name)
def test_a_kernel_that_it_silences_and_one_that_is_reported(doubt: AnyDoubt) -> None:
    row = table()[doubt.name]
    asking = {
        rule.code
        for rule in JUDGED
        if doubt in (*registry.doubts_about(rule.judged), *registry.OF_PLACES)
    }
    found = [each for each in findings(row["fixture"]) if each.rule.code in asking]
    held = [each for each in found if doubt.name in {one.name for one in each.doubts}]
    assert row["silenced"] in {each.kernel for each in held}
    assert {each.certainty for each in held} == {Certainty.POSSIBLE}
    definite = {each.kernel for each in found if each.certainty is Certainty.DEFINITE}
    assert row["reported"] in definite


@pytest.mark.parametrize("doubt", DOUBTS, ids=lambda doubt: doubt.name)
def test_it_says_why_in_one_sentence(doubt: AnyDoubt) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", doubt.name)
    assert re.fullmatch(r"[a-z][^.]*(\.[a-z][^.]*)*", doubt.reason)
    assert len(doubt.reason) <= 100


def test_names_are_unique() -> None:
    assert len({doubt.name for doubt in DOUBTS}) == len(DOUBTS)
    assert len({doubt.reason for doubt in DOUBTS}) == len(DOUBTS)


def test_every_doubt_of_the_folder_is_registered() -> None:
    made = set()
    for path in FOLDER.glob("*/*.py"):
        name = f"warplint.analyzer.analyses.doubts.{path.parent.name}.{path.stem}"
        found = getattr(importlib.import_module(name), "DOUBT", None)
        made |= set() if found is None else {found}
    assert made == set(DOUBTS)


@pytest.mark.parametrize("asked", [registry.OF_A_BLOCK, registry.OF_A_GRID])
def test_benign_doubts_are_asked_first(asked: tuple[AnyDoubt, ...]) -> None:
    effects = [doubt.effect for doubt in asked]
    assert effects == sorted(effects, key=[Effect.BENIGN, Effect.POSSIBLE].index)


@pytest.mark.parametrize("rule", JUDGED, ids=lambda rule: rule.code)
def test_a_rule_is_judged_as_what_it_groups(rule: object) -> None:
    code = getattr(rule, "code", "")
    (path,) = [
        path
        for path in (ROOT / "rules").glob("*/*.py")
        if f'code="{code}"' in path.read_text(encoding="utf-8")
    ]
    grouped = set(re.findall(r"grouped\(facts, RaceKind\.(\w+)\)", path.read_text("utf-8")))
    kinds = {kind.name.lower().replace("_", "-") for kind in RaceKind}
    named = {name for name in getattr(rule, "judged", ()) if name in kinds}
    assert named == {name.lower().replace("_", "-") for name in grouped}


LANES = """__global__ void k(const int *in, int *out) {
    __shared__ int best; int t = threadIdx.x;
    if (t == 0) best = 0;
    __syncthreads();
    if (in[t] > best) atomicMax(&best, in[t]);
    __syncthreads();
    out[t] = best; }"""


def test_what_is_silenced_is_only_looked_at_when_it_is_asked_for() -> None:
    assert facts_of(LANES, (256, 1, 1)).silenced_races == ()
    wanted = facts_of(LANES, (256, 1, 1), doubted=True)
    (race,) = wanted.silenced_races
    assert race.doubts[0].name == "optimistic-read"
    assert race.benign


def test_all_doubts_are_asked_without_a_change_of_the_verdict() -> None:
    text = LANES.replace("__syncthreads();\n    out", "out")
    known = facts_of(text, (256, 1, 1)).races
    wanted = facts_of(text, (256, 1, 1), doubted=True).races
    assert [race.definite for race in wanted] == [race.definite for race in known]
    assert all(race.doubts[:1] == each.doubts for race, each in zip(wanted, known, strict=True))
