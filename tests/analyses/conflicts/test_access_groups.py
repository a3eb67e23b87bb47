"""Places that two threads touch, against trying all threads."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.conflicts.access_groups import Places

VISITS = st.lists(st.integers(0, 4), min_size=1, max_size=6)


def places_of(visit: list[int]) -> Places:
    """Thread i touches place visit[i]."""
    touched = [(place, thread) for thread, place in enumerate(visit)]
    alone = len(set(visit)) == len(visit)
    return Places(dict(reversed(touched)), dict(touched), alone)


@given(VISITS, VISITS)
def test_places_that_two_threads_touch(first: list[int], second: list[int]) -> None:
    ours, theirs = places_of(first), places_of(second)
    assert len(ours) == len(set(first))
    expected = {
        place
        for one, place in enumerate(first)
        for other, there in enumerate(second)
        if one != other and place == there
    }
    assert set(ours.shared_with(theirs)) == expected
    assert ours.shared_with(theirs) == sorted(expected)
