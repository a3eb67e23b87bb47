"""Which threads have met between two accesses, against a search through all exchanges."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_evaluation.tile_barriers import TileBarriers, in_one

THREADS = 128
Exchanges = list[tuple[int, set[int]]]


@given(
    st.lists(
        st.tuples(st.sampled_from([8, 16, 32]), st.sets(st.integers(0, THREADS - 1), max_size=3)),
        max_size=8,
    ),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_threads_have_met_when_their_tile_did_in_between(
    exchanges: Exchanges, first: int, second: int
) -> None:
    barriers = TileBarriers()
    for number, (lanes, threads) in enumerate(exchanges):
        barriers.add(lanes, threads, 2 * number + 1)
    met = barriers.between(first, second)
    for one in range(0, THREADS, 5):
        for other in range(0, THREADS, 3):
            assert in_one(met, one, other) == any(
                first < 2 * number + 1 < second
                and one // lanes == other // lanes
                and one // lanes in {thread // lanes for thread in threads}
                for number, (lanes, threads) in enumerate(exchanges)
            )
    barriers.clear()
    assert not barriers.between(first, second)
