"""What was of use last is what is kept."""

from __future__ import annotations

from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.server.kept.recent import Recent


@given(st.integers(1, 4), st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 99))))
def test_as_a_list_in_the_order_of_use(most: int, steps: list[tuple[bool, int, int]]) -> None:
    recent, expected = Recent[int, int](most), OrderedDict[int, int]()
    for keeps, key, value in steps:
        if keeps:
            recent.keep(key, value)
            expected[key] = value
            expected.move_to_end(key)
            if len(expected) > most:
                expected.popitem(last=False)
        else:
            assert recent.get(key) == expected.get(key)
            if key in expected:
                expected.move_to_end(key)
