"""Barriers for a number of threads: which numbers and counts cannot work."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, ptx_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.barriers.named_barriers import (
    CountKind,
    number_of,
    wrong_counts,
)
from warplint.analyzer.ir.operations import Barrier

SKIP = "setp.ge.u32 %p1, %r2, {0}; @%p1 bra ELSE;"


def kinds(body: str, block: tuple[int, int, int] | None = (128, 1, 1)) -> list[CountKind]:
    return [each.kind for each in wrong_counts(ptx_facts(body, block))]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("bar.sync 0;", []),
        ("bar.sync 1, 128;", []),
        ("bar.sync 15, 128;", []),
        ("bar.sync 16, 128;", [CountKind.IDENTIFIER]),
        ("bar.sync 1, 100;", [CountKind.NOT_WARPS]),
        ("bar.sync 1, 0;", [CountKind.NOT_WARPS]),
        ("bar.sync 1, 160;", [CountKind.BLOCK]),
        ("bar.sync 1, 64;", [CountKind.TOO_MANY]),
        ("bar.sync %r1, 128;", []),  # a number that is computed
        ("bar.sync 1, %r1;", []),
        (f"{SKIP.format(64)} bar.sync 1, 64; ELSE:", []),
        (f"{SKIP.format(64)} bar.sync 1, 96; ELSE:", [CountKind.TOO_FEW]),
        (f"{SKIP.format(96)} bar.sync 1, 64; ELSE:", [CountKind.TOO_MANY]),
        (f"{SKIP.format(64)} bar.sync 1, 128; bra END; ELSE: bar.arrive 1, 128; END:", []),
        (
            f"{SKIP.format(64)} bar.sync 1, 64; bra END; ELSE: bar.sync 1, 96; END:",
            [CountKind.DIFFERENT, CountKind.DIFFERENT],
        ),
        (f"{SKIP.format(64)} bar.sync 1, 64; bra END; ELSE: bar.sync 2, 64; END:", []),
        ("bar.sync 1, 128; bar.sync 1, 64;", [CountKind.TOO_MANY]),  # one after the other
    ],
)
def test_numbers_and_counts(body: str, expected: list[CountKind]) -> None:
    assert kinds(body) == expected


def test_without_a_stated_block_only_what_no_block_allows() -> None:
    assert kinds("bar.sync 1, 512;", None) == []
    assert kinds("bar.sync 1, 1056;", None) == [CountKind.BLOCK]


@settings(max_examples=25)
@given(st.integers(1, 4), st.integers(1, 4))
def test_the_warps_that_come_add_up(coming: int, count: int) -> None:
    body = f"{SKIP.format(coming * 32)} bar.sync 1, {count * 32}; ELSE:"
    found = list(wrong_counts(ptx_facts(body, (128, 1, 1))))
    expected = CountKind.TOO_FEW if coming < count else CountKind.TOO_MANY
    if coming == count:
        assert found == []
    else:
        (wrong,) = found
        assert (wrong.kind, wrong.count, wrong.others) == (expected, count * 32, coming * 32)


def test_the_number_of_a_barrier() -> None:
    facts = ptx_facts("bar.sync 3, 64; bar.sync %r1, 64;")
    assert [number_of(each) for each in facts.every(Barrier)] == [3, None]
    (plain,) = body_facts("__syncthreads();").every(Barrier)
    assert number_of(plain) == 0
