"""Stores at the rank of a lane among those that vote."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import conflicts_in

VOTES = "bool mine = in[t] > 0; unsigned votes = __ballot_sync(~0u, mine);"
LANE = "int lane = t % 32; unsigned lower = (1u << lane) - 1;"


@pytest.mark.parametrize(
    ("store", "threads"),
    [
        ("if (mine) s[__popc(votes & lower)] = t; out[t] = s[t];", {31, 0}),
        ("if (mine) s[t - lane + __popc(votes & lower)] = t; out[t] = s[t];", {31, 0}),
        ("s[__popc(votes & lower)] = t; out[t] = s[t];", {31, 0}),
        ("if (mine) s[__popc(votes & lower)] = t; __syncwarp(); out[t] = s[t];", None),
        ("if (mine) s[__popc(votes & lower)] = t;", None),  # each has a place of its own
        ("if (mine) s[__popc(votes & lower)] = t; out[t] = s[t | 32];", None),
        ("if (mine) s[2 * __popc(votes & lower)] = t; out[t] = s[t];", None),  # not without gaps
        ("s[__popc(in[t] & lower)] = t; out[t] = s[t];", None),  # of no vote
        ("if (lane == 0 && mine) s[__popc(votes & lower)] = t; out[t] = s[t];", None),
    ],
)
def test_the_last_lane_alone_votes(store: str, threads: set[int] | None) -> None:
    found = conflicts_in(f"{LANE} {VOTES} {store}", threads=32).found
    pairs = [{each.first.thread, each.second.thread} for each in found.values()]
    assert pairs == ([] if threads is None else [threads])


def test_each_warp_has_ranks_of_its_own() -> None:
    body = f"{LANE} {VOTES} s[t - lane + __popc(votes & lower)] = t; out[t] = s[t];"
    (found,) = conflicts_in(body, threads=64).found.values()
    assert found.same_warp
