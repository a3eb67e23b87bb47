"""The ways past barriers, and the runs that go them."""

from __future__ import annotations

import operator

import pytest
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.conflicts.block_runs import BlockRuns

RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, "==": operator.eq}


def runs_of(body: str, launch: str = "k<<<1, 64>>>(in, out, n, flag)") -> BlockRuns:
    """A kernel that writes elements, does something, and reads those of others."""
    facts = facts_of(f"""
        __global__ void k(const int *in, int *out, int n, bool flag) {{
            __shared__ int s[64]; int t = threadIdx.x; s[t] = in[t];
            {body}
            out[t] = s[63 - t]; }}
        void host(const int *in, int *out, int n, bool flag) {{ {launch}; }}""")
    return BlockRuns(facts.launches[0])


def conflict(runs: BlockRuns) -> bool:
    """Whether some run shows two threads at one element of the array."""
    return any(pair[0].name[0] == "s" for run in runs.all for pair in run.seen.found)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(RELATIONS)), st.integers(-3, 300), st.integers(1, 9))
def test_a_number_leads_past_a_barrier_where_there_is_one(
    relation: str, bound: int, factor: int
) -> None:
    runs = runs_of(f"if (n * {factor} {relation} {bound}) __syncthreads();")
    assert conflict(runs)  # no such condition holds for all numbers
    chosen = [number for run in runs.solved for number in run.numbers.used.values()]
    assert any(not RELATIONS[relation](each * factor, bound) for each in chosen) or not chosen


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("if (flag) __syncthreads();", True),
        ("if (in[64 + blockIdx.x] > 3) __syncthreads();", True),
        ("if (n > 3) { if (in[64] == 5) __syncthreads(); else out[0] = 1; }", True),
        ("if (n > 3) __syncthreads(); else { __syncthreads(); out[64] = 1; }", False),
        ("if (blockDim.x > 32) __syncthreads();", False),
        ("if (n > 3) { __syncthreads(); } else return;", False),
        ("if (n == n) __syncthreads();", False),
    ],
)
def test_which_barriers_can_be_passed_by(body: str, *, shown: bool) -> None:
    assert conflict(runs_of(body)) is shown


def test_a_number_that_the_launch_passes_leads_nowhere_else() -> None:
    body = "if (n > 3) __syncthreads();"
    assert not conflict(runs_of(body, "k<<<1, 64>>>(in, out, 100, flag)"))
    assert conflict(runs_of(body, "k<<<1, 64>>>(in, out, 2, flag)"))


def test_a_parameter_may_be_the_size_of_a_block_that_nobody_states() -> None:
    assert not runs_of("if (n > 32) __syncthreads();", "").solved
