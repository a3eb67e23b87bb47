"""What would help, for every reason that there is."""

from __future__ import annotations

import pytest

from warplint.analyzer.analyses.coverage.judgement import ACCESS
from warplint.analyzer.analyses.coverage.remedies import Remedy, remedy_for
from warplint.analyzer.analyses.warp_evaluation import reasons
from warplint.analyzer.ir import unfollowed

REASONS = {name: value for name, value in vars(reasons).items() if name.isupper()}


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("UNKNOWN_BLOCK", Remedy.BLOCK),
        ("UNFITTING_BLOCK", Remedy.BLOCK),
        ("NOT_EXECUTED", Remedy.BLOCK),
        ("UNKNOWN_WIDTH", Remedy.INSTANCE),
        ("UNREAD_CALL", Remedy.DEFINITION),
        ("UNKNOWN_FUNCTION", Remedy.DEFINITION),
        ("OUT_OF_BUDGET", Remedy.SIZE),
        ("UNKNOWN_STRIDE", Remedy.ARGUMENT),
    ],
)
def test_accesses(name: str, remedy: Remedy) -> None:
    assert remedy_for(ACCESS, REASONS[name]) is remedy


def test_a_stride_is_named_and_helped_all_the_same() -> None:
    assert remedy_for(ACCESS, f"{reasons.UNKNOWN_STRIDE} pitch") is Remedy.ARGUMENT


@pytest.mark.parametrize(
    ("kind", "remedy"),
    [
        ("statement", Remedy.DEFINITION),
        ("call", Remedy.DEFINITION),
        ("kernel", Remedy.SIZE),
        ("instance", Remedy.NONE),
    ],
)
def test_everything_else_is_helped_by_its_kind(kind: str, remedy: Remedy) -> None:
    assert remedy_for(kind, reasons.UNKNOWN_BLOCK) is remedy


@pytest.mark.parametrize("before", ["", "f: ", "ns::f: "])
def test_no_header_helps_where_a_call_is_not_followed_whatever_it_is(before: str) -> None:
    assert {remedy_for("call", before + reason) for reason in unfollowed.FINAL} == {Remedy.CALLS}
    assert {remedy_for("call", before + reason) for reason in unfollowed.LARGE} == {Remedy.SIZE}


def test_only_a_run_knows_the_rest() -> None:
    assert remedy_for(ACCESS, "depends on data") is Remedy.NONE
    assert Remedy.BLOCK.rank == 0
    assert max(Remedy, key=lambda each: each.rank) is Remedy.NONE
