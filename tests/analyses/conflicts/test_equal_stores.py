"""Stores of two threads that write the same value."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import conflicts_in

from warplint.analyzer.analyses.conflicts.equal_stores import (
    come_from_one_place,
    own_store,
    sets_flag,
)


@pytest.mark.parametrize(
    ("body", "equal"),
    [
        ("flag = 1;", True),
        ("flag = n;", True),
        ("flag = n * 3 + blockIdx.x;", True),
        ("flag = t;", False),
        ("flag = t / 256;", True),  # one number
        ("flag = t & 1;", False),
        ("flag = in[0];", True),
        ("flag = in[t];", False),
        ("flag = in[n] + in[n + 1];", True),
        ("s[t & 31] = in[t & 31];", True),  # the place alone decides
        ("s[t & 31] = in[t];", False),
        ("s[t / 2] = t / 2;", True),
        ("flag = 1; flag = 2;", True),  # which everybody stores over
        ("flag = 1; if (in[t] > 3) flag = 2;", False),
        ("if (in[t] > 3) flag = 1;", True),
        ("for (int i = 0; i < 3; i++) { flag = i; out[t] = flag; }", False),  # and reads
    ],
)
def test_known_to_write_the_same(body: str, *, equal: bool) -> None:
    seen = conflicts_in(body)
    assert bool(seen.equal or seen.found)
    assert (not seen.found) is equal


def test_flags_that_a_vote_could_take_the_place_of() -> None:
    for body, flag in (
        ("if (in[t] > 3) flag = 1;", True),
        ("flag = 1;", False),  # for sure
        ("if (in[t] > 3) out[0] = 1;", False),
        ("if (in[t] > 3) flag = n;", False),
    ):
        seen = conflicts_in(body)
        conflicts = [c for c in seen.equal.values() if c.first.access is c.second.access]
        assert [sets_flag(each) for each in conflicts] == [flag], body


def test_the_store_that_another_thread_makes_itself() -> None:
    seen = conflicts_in("s[t / 2] = in[t];")
    (conflict,) = seen.found.values()
    own = own_store(conflict.first, conflict.second, 256)
    assert own is not None
    assert own.thread == conflict.second.thread
    assert own.address == conflict.first.address
    assert not come_from_one_place(conflict.first, conflict.second)


def test_copies_of_one_place() -> None:
    body = "for (int i = 0; i < 2; i++) s[t + i] = in[t + i];"
    seen = conflicts_in(body)
    assert not seen.found
    assert seen.equal
    moved = "for (int i = 0; i < 2; i++) s[t + i] = in[t + 2 * i];"
    assert conflicts_in(moved).found


def test_asynchronous_copies_from_one_place_to_one_place() -> None:
    copy = "for (int i = 0; i < 2; i++) __pipeline_memcpy_async(&s[t + i], &in[t + {} * i], 4);"
    seen = conflicts_in(copy.format(1))
    assert not seen.found
    assert seen.equal
    assert conflicts_in(copy.format(2)).found
    assert conflicts_in(copy.format(1) + " in[t] = 1;").found
