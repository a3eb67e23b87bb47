"""What an access costs at least and at most, against random data that leads its lanes."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.memory_traffic.cost_bounds import DATA, CostBounds, bounds_of
from warplint.analyzer.analyses.warp_evaluation.reasons import UNKNOWN_STRIDE
from warplint.analyzer.hardware.architectures import architecture
from warplint.analyzer.hardware.banks import SharedKind, shared_wavefronts
from warplint.analyzer.hardware.sectors import global_sectors

Shape = tuple[int, int, int]

TYPES = {"char": 1, "short": 2, "float": 4, "double": 8}
LANES = range(32)


@cache
def bounds(
    body: str,
    type: str = "float",
    reason: str = "",
    block: tuple[int, int, int] | None = (32, 1, 1),
) -> CostBounds | None:
    """The bounds of the one store of a kernel."""
    text = f"""__global__ void k({type} *p, const int *q, int n, int m) {{
        __shared__ {type} s[1024]; int t = threadIdx.x; {body} }}"""
    facts = facts_of(text, block, (1, 1, 1))
    (store,) = (access for access in facts.accesses if access.writes)
    return bounds_of(facts.launches[0], store, reason)


def known(body: str) -> tuple[int, int, int]:
    """At least, at most, and side by side."""
    found = bounds(body)
    assert found is not None
    return found.least, found.most, found.ideal


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(TYPES)), st.sampled_from([1, 2, 4, 8, 16]), st.integers(0, 9),
    st.integers(1, 32), st.booleans(), st.sampled_from([1, 4, 40, 1000]), st.integers(0, 1 << 30),
)  # fmt: skip
def test_no_data_leads_beyond_the_bounds(
    type: str, size: int, stride: int, active: int, shared: bool, spread: int, seed: int
) -> None:
    array = "s" if shared else "p"
    index = f"q[t / {size}] + t % {size} * {stride}"
    found = bounds(f"if (t < {active}) {array}[{index}] = 1;", type)
    assert found is not None
    assert found.decided_by == DATA
    random, width = Random(seed), TYPES[type]
    data = [random.randrange(spread) for _ in LANES]
    lanes = [(data[t // size] + t % size * stride) * width if t < active else None for t in LANES]
    if shared:
        cost = shared_wavefronts(lanes, width, SharedKind.STORE, architecture(90)).wavefronts
    else:
        cost = global_sectors(lanes, width).sectors
    assert found.least <= cost <= found.most
    assert found.ideal <= found.most


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[q[t]] = 1;", (1, 32, 4)),
        ("p[q[t / 8] + t % 8] = 1;", (1, 8, 4)),  # a row of 32 bytes in one sector or in two
        ("p[q[t / 8] + t % 8 * 8] = 1;", (8, 32, 4)),
        ("p[q[t / 16] + t % 16] = 1;", (2, 6, 4)),
        ("if (t < 5) p[q[t]] = 1;", (1, 5, 1)),
        ("if (t < 16) p[q[t / 16] + t * 8] = 1;", (16, 16, 2)),
        ("s[q[t]] = 1;", (1, 32, 1)),
        ("s[q[t / 8] + t % 8] = 1;", (1, 4, 1)),
        ("s[q[t / 16] + t % 16 * 32] = 1;", (16, 32, 1)),
        ("if (t < 3) s[q[t]] = 1;", (1, 3, 1)),
    ],
)
def test_bounds_that_some_data_reaches(body: str, expected: tuple[int, int, int]) -> None:
    assert known(body) == expected


def test_a_guard_that_is_not_known_may_let_a_single_lane_through() -> None:
    body = "p[q[t / 16] + t % 16 * 8] = 1;"
    assert known(body) == (16, 32, 4)
    assert known(f"if (t < m) {body}") == (1, 32, 4)


@pytest.mark.parametrize("index", ["t / 8 * n + t % 8", "t % 8 + n * (t / 8)"])
def test_sizes_decide(index: str) -> None:
    found = bounds(f"p[{index}] = 1;", reason=f"{UNKNOWN_STRIDE}n")
    assert found is not None
    assert (found.least, found.most, found.decided_by) == (1, 8, "n")


def test_data_decides_even_where_a_size_does_as_well() -> None:
    found = bounds("p[q[t] * n] = 1;", reason=f"{UNKNOWN_STRIDE}n")
    assert found is not None
    assert found.decided_by == DATA


@pytest.mark.parametrize(
    "body",
    [
        "p[other(t)] = 1;",  # code that was not read
        "p[q[other(t)]] = 1;",
        "p[t / 8 * n + t % 8] = 1;",  # no data, and no size is named
        "(n > 3 ? p : s)[q[t]] = 1;",  # in one memory or the other
    ],
)
def test_what_is_not_judged(body: str) -> None:
    assert bounds(body) is None


def test_structs_that_no_thread_moves_at_once() -> None:
    facts = facts_of(
        "struct Three { char a[3]; }; __global__ void k(Three *p, const int *q, Three v)"
        "{ p[q[threadIdx.x]] = v; }",
        (32, 1, 1),
        (1, 1, 1),
    )
    (store,) = (access for access in facts.accesses if access.writes)
    assert bounds_of(facts.launches[0], store, "") is None


def test_every_warp_has_its_say() -> None:
    body = "if (t >= 32) p[q[t]] = 1; "
    assert bounds(body, block=(64, 1, 1)) == bounds("p[q[t]] = 1;")
    assert bounds(body, block=(32, 1, 1)) is None  # nobody comes
    part = bounds("if (t < 40) p[q[t]] = 1;", block=(64, 1, 1))
    assert part == bounds("p[q[t]] = 1;")  # the costlier warp of the two


def test_usual_blocks_where_nobody_states_one() -> None:
    assert bounds("p[q[t]] = 1;", block=None) == bounds("p[q[t]] = 1;")
    rows = "p[q[threadIdx.y] + t] = 1;"
    assert bounds(rows, block=(16, 16, 1)) is not None
    assert bounds(rows, block=(32, 8, 1)) is None  # one row for a warp: its distances are known
    assert bounds(rows, block=None) is None
