"""Conditions that hold because the other thread comes."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import block_candidates, kernel

from warplint.analyzer.analyses.doubts.presence.conditions import uncertain

_VOTE = (
    "bool mine = in[t] > 0; unsigned votes = __ballot_sync(0xffffffff, mine);"
    "int lane = t % 32, rank = __popc(votes & ((1u << lane) - 1)), count = __popc(votes);"
    "if (mine) s[t / 32 * 32 + rank] = t; "
)


@pytest.mark.parametrize(
    ("read", "left"),
    [
        ("if (lane < count) out[t] = s[t / 32 * 32 + lane];", 1),
        ("if (count > lane) out[t] = s[t / 32 * 32 + lane];", 1),
        ("for (int k = 0; k < count; ++k) out[t] = s[t / 32 * 32 + k];", 1),
        ("if (lane < count - 1) out[t] = s[t / 32 * 32 + lane];", 2),
        ("if (lane < count && in[lane] > 5) out[t] = s[t / 32 * 32 + lane];", 2),
        ("if (lane >= count) out[t] = s[t / 32 * 32 + lane];", 2),
        ("if (lane < __popc(votes & 7)) out[t] = s[t / 32 * 32 + lane];", 2),
    ],
)
def test_what_counts_the_vote_of_the_other_follows_from_it(read: str, left: int) -> None:
    first, *_ = block_candidates(kernel(_VOTE + read))
    assert len(uncertain(first)) == left


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("__any_sync(0xffffffff, in[t] > 3)", 0),
        ("in[t] > 3", 2),
    ],
)
def test_lanes_of_a_warp_come_together_where_it_decides(condition: str, left: int) -> None:
    body = f"if ({condition}) {{ s[t] = 1; out[t] = s[t ^ 1]; }}"
    first, *_ = block_candidates(kernel(body))
    assert len(uncertain(first)) == left
