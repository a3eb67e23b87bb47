"""Branches with much work on both sides that lanes of one warp take differently."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.barriers.heavy_branches import HeavyBranch, heavy_branches

WORK = "for (int i = 0; i < n; i++) {{ x = sqrtf(x + {0}); x = sinf(x * {0}); }}"
LIGHT = "x += 1;"
PARAMETERS = "float *p, const int *a, int n"


def branches(condition: str, then: str, otherwise: str) -> list[HeavyBranch]:
    body = f"""float x = p[threadIdx.x];
    if ({condition}) {{ {then} }} else {{ {otherwise} }}
    p[threadIdx.x] = x;"""
    return list(heavy_branches(body_facts(body, parameters=PARAMETERS)))


@settings(max_examples=20)
@given(st.integers(0, 33))
def test_lanes_on_either_side(count: int) -> None:
    found = branches(f"threadIdx.x % 32 < {count}", WORK.format(1), WORK.format(2))
    if 8 <= count <= 24:
        (branch,) = found
        assert branch.lanes == (count, 32 - count)
        assert min(branch.work) >= 64
    else:
        assert found == []


@pytest.mark.parametrize(
    ("condition", "then", "otherwise", "count"),
    [
        ("threadIdx.x & 1", WORK.format(1), WORK.format(2), 1),
        ("threadIdx.x & 1", WORK.format(1), LIGHT, 0),
        ("threadIdx.x & 1", "", WORK.format(2), 0),
        ("threadIdx.x < 32", WORK.format(1), WORK.format(2), 0),  # whole warps
        ("n > 3", WORK.format(1), WORK.format(2), 0),
        ("a[threadIdx.x] > 3", WORK.format(1), WORK.format(2), 0),  # data
    ],
)
def test_which_are_told(condition: str, then: str, otherwise: str, count: int) -> None:
    assert len(branches(condition, then, otherwise)) == count


def test_branches_in_loops_are_left_out() -> None:
    inner = f"if (threadIdx.x & 1) {{ {WORK.format(1)} }} else {{ {WORK.format(2)} }}"
    body = (
        f"float x = p[threadIdx.x]; for (int k = 0; k < n; k++) {{ {inner} }} p[threadIdx.x] = x;"
    )
    assert not list(heavy_branches(body_facts(body, parameters=PARAMETERS)))


def test_work_grows_with_loops_inside_of_each_other() -> None:
    nested = f"for (int k = 0; k < n; k++) {{ {WORK.format(1)} }}"
    (plain,) = branches("threadIdx.x & 1", WORK.format(1), WORK.format(2))
    (deep,) = branches("threadIdx.x & 1", nested, WORK.format(2))
    assert deep.work[0] > 4 * plain.work[0]
    assert deep.work[1] == plain.work[1]


@pytest.mark.parametrize(("threads", "count"), [(32, 1), (64, 1), (512, 0)])
def test_what_the_first_of_many_warps_does_alone(threads: int, count: int) -> None:
    body = f"""float x = p[threadIdx.x];
    if (threadIdx.x < 16) {{ {WORK.format(1)} }} else {{ {WORK.format(2)} }}
    p[threadIdx.x] = x;"""
    found = heavy_branches(body_facts(body, (threads, 1, 1), PARAMETERS))
    assert len([*found]) == count
