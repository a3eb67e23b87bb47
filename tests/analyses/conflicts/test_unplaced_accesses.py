"""How far an access may go whose index is not known, against trying numbers."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import conflicts_in, kernel
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.conflicts.unplaced_accesses import reach_of


@settings(max_examples=30)
@given(
    st.integers(1, 40), st.sampled_from([-3, -2, -1, 1, 2, 3]), st.integers(-5, 60), st.booleans()
)
def test_from_where_to_where(cut: int, factor: int, start: int, masked: bool) -> None:
    piece = f"(in[t] & {cut})" if masked else f"(int)((unsigned)in[t] % {cut}u)"
    facts = kernel(f"s[{piece} * ({factor}) + {start}] = 1;")
    store = next(each for each in facts.accesses if each.name[0] == "s")
    numbers = {x & cut if masked else x % cut for x in range(128)}
    places = [number * factor + start for number in numbers]
    assert reach_of(store) == (min(places) * 4, max(places) * 4 + 4)


@pytest.mark.parametrize("index", ["in[t]", "in[t] % 7", "t", "in[t] / 4", "(in[t] & n)"])
def test_what_nothing_bounds(index: str) -> None:
    facts = kernel(f"s[{index}] = 1;")
    store = next(each for each in facts.accesses if each.name[0] == "s")
    assert reach_of(store) is None


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("s[t] = in[t]; out[t] = s[in[n] & 255];", 1),
        ("s[t] = in[t]; __syncthreads(); out[t] = s[in[n] & 255];", 0),
        ("if (t < 128) s[t + 128] = in[t]; out[t] = s[in[n] & 127];", 0),  # another part
        ("out[t] = s[in[n] & 255]; out[t + 1] = s[in[n + 1] & 255];", 0),  # nobody writes
        ("if (t < 32) { s[t] = in[t]; out[t] = s[in[t] & 31]; }", 1),  # lanes of one warp
        ("if (t < 32) { s[t] = in[t]; __syncwarp(); out[t] = s[in[t] & 31]; }", 0),
        ("if (t < 32) { s[t] = in[t]; out[t] = s[in[t] & 31]; __syncwarp(); }", 1),  # too late
        ("s[in[t] & 255] = t; out[t] = s[in[t] & 255];", 1),  # computed alike: itself alone
    ],
)
def test_threads_that_may_be_led_to_one_element(body: str, count: int) -> None:
    seen = conflicts_in(body)
    pairs = [pair for pair in seen.found if all(each.name[0] == "s" for each in pair)]
    assert len(pairs) == count


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
