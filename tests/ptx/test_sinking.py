"""Where operations sink to: the nearest block above all that read them, found in few steps."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.ptx.estimate.sinking import _Sinking


def sinking(above: list[int]) -> _Sinking:
    """Of blocks that each come from one before them."""
    successors: list[list[int]] = [[] for _ in above]
    for block, parent in enumerate(above[1:], start=1):
        successors[parent].append(block)
    return _Sinking([[] for _ in above], successors, [])


def path(above: list[int], block: int) -> list[int]:
    """A block and all above it."""
    found = [block]
    while found[-1]:
        found.append(above[found[-1]])
    return found


@given(st.integers(0, 2**32), st.integers(2, 60))
def test_the_nearest_block_above_both(seed: int, count: int) -> None:
    above = [0, *(max(0, i - 1 - (seed >> i % 32 & 3)) for i in range(1, count))]
    found = sinking(above)
    for first, second in pairwise([*range(count), *range(0, count, 3)]):
        nearest = next(each for each in path(above, first) if each in path(above, second))
        assert found._above_both(first, second) == nearest


class Counted(list[int]):
    """Counts the times that it is asked."""

    asked = 0

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        self.asked += 1
        return super().__getitem__(index)


def test_a_deep_chain_is_left_in_few_steps() -> None:
    depth = 4_000
    above = [*range(-1, depth - 1), 1]
    above[0] = 0
    found = sinking(above)
    found._above_both(depth - 1, depth)
    found._above = counted = Counted(found._above)
    for block in range(2, depth):
        assert found._above_both(block, depth) == 1
    assert counted.asked < 40 * depth
