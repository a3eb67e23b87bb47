"""Packed vectors against their entries."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.per_thread import (
    MOST,
    PerThread,
    as_flags,
    at_least,
    ones,
)

COUNT = 5
numbers = st.integers(-MOST + 1, MOST - 1)
vectors = st.lists(numbers, min_size=COUNT, max_size=COUNT).map(tuple)


@given(vectors)
def test_a_packed_vector_has_the_same_entries(entries: tuple[int, ...]) -> None:
    packed = PerThread(entries).packed
    assert packed == sum(entry << (64 * thread) for thread, entry in enumerate(entries))
    again = PerThread.unpacked(packed, min(entries), max(entries), COUNT)
    assert again.entries == entries
    assert again == PerThread(entries)
    assert hash(again) == hash(PerThread(entries))


@given(vectors, vectors)
def test_comparing_packed_vectors(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    first, second = PerThread(one).packed, PerThread(other).packed
    assert first is not None
    assert second is not None
    flags = as_flags(at_least(first, second, COUNT), COUNT)
    assert list(flags) == [int(a >= b) for a, b in zip(one, other, strict=True)]


def test_what_has_no_packed_view() -> None:
    assert PerThread((1, None)).packed is None
    assert PerThread((1, MOST)).packed is None
    assert PerThread((1, MOST)) == PerThread((1, MOST))
    assert PerThread((1, None)) != PerThread((1, 2))


def test_bounds_are_tightened_to_the_entries() -> None:
    loose = PerThread.unpacked(3 * ones(4), -10, 10, 4)
    loose.tighten()
    assert (loose.low, loose.high) == (3, 3)
    assert loose == PerThread((3, 3, 3, 3))
