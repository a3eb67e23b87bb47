"""Divergent barriers: verdicts on small kernels, witnesses replayed, random kernels searched."""

from __future__ import annotations

import pytest
from analyses.comparison import Comparison
from analyses.kernels import body_facts, cuda_module, facts_of
from analyses.random_kernels import random_kernel
from analyses.thread_interpreter import Run

from warplint.analyzer.analyses.barriers.barrier_divergence import (
    DivergentBarrier,
    divergent_barriers,
)
from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts

T = "int t = threadIdx.x; "
SYNC = "__syncthreads();"


def verdicts(body: str, block: tuple[int, int, int] = (64, 1, 1)) -> list[DivergentBarrier]:
    return divergent_barriers(body_facts(T + body, block))


@pytest.mark.parametrize(
    "body",
    [
        SYNC,
        f"if (n > 3) {{ {SYNC} }}",
        f"for (int i = 0; i < n; ++i) {{ {SYNC} }}",
        f"for (int i = 0; i < blockDim.x; i += 32) {{ {SYNC} }}",
        f"if (blockIdx.x == 0) {{ {SYNC} }}",
        f"if (t < 64) {{ {SYNC} }}",
        f"if (t >= 0) {{ {SYNC} }}",
        f"if (__syncthreads_or(t == n)) {{ {SYNC} }}",
        f"__shared__ int s; if (t == 0) s = n; {SYNC} if (s > 3) {{ {SYNC} }}",
        f"if (t < n) p[t] = 1; {SYNC}",
        f"int x = t < 5 ? 1 : 2; p[t] = x; {SYNC}",
        f"while (true) {{ {SYNC} if (p[0]) break; }}",
        f"if (t >= n) return; p[t] = 1; {SYNC}",
        "if (t < 16) __syncwarp();",
    ],
)
def test_a_barrier_that_everybody_reaches(body: str) -> None:
    assert verdicts(body) == []


@pytest.mark.parametrize(
    ("body", "arriving"),
    [
        (f"if (t < 16) {{ {SYNC} }} p[t] = 1;", 16),
        (f"if (t % 4 == 1) {{ {SYNC} }} p[t] = 1;", 16),
        (f"if (t / 32 == 0) {{ {SYNC} }} p[t] = 1;", 32),
        (f"if (t > 3 && t < 8) {{ {SYNC} }} p[t] = 1;", 4),
        (f"if (t == 0) p[0] = 1; else {{ {SYNC} }} p[t] = 1;", 63),
        (f"switch (t & 3) {{ case 1: {SYNC} break; }} p[t] = 1;", 16),
    ],
)
def test_a_barrier_that_some_miss(body: str, arriving: int) -> None:
    (found,) = verdicts(body)
    witness = found.witness
    assert witness is not None
    assert (witness.arriving, witness.threads) == (arriving, 64)
    assert witness.arrives != witness.misses
    assert witness.assumed == ()


def test_a_witness_names_what_it_takes() -> None:
    (found,) = verdicts(f"if (t < n) {{ {SYNC} }} p[t] = 1;")
    assert found.witness is not None
    ((name, number),) = found.witness.assumed
    assert name == "n"
    assert 0 < number < 64
    assert found.witness.arriving == number
    assert found.source is not None


def test_a_witness_names_the_member_of_a_parameter() -> None:
    text = f"struct Size {{ int rows, cols; }};\n__global__ void k(int *p, Size size) {{ {T}"
    text += f"if (t < size.cols) {{ {SYNC} }} p[t] = 1; }}"
    (found,) = divergent_barriers(facts_of(text, (64, 1, 1)))
    assert found.witness is not None
    assert [name for name, _ in found.witness.assumed] == ["size.cols"]


def test_loaded_data_is_only_possible() -> None:
    (found,) = verdicts(f"if (p[t] > 3) {{ {SYNC} }} p[t] = 1;")
    assert found.witness is None
    assert not found.definite


def test_a_barrier_in_both_arms() -> None:
    first, second = verdicts(f"if (t < 16) {{ {SYNC} }} else {{ {SYNC} }} p[t] = 1;")
    assert first.others is not None
    assert second.others is not None


WAIT = f"for (int i = 0; i < n; ++i) {{ {SYNC} }}"
FOUR = f"for (int i = 0; i < 4; ++i) {{ {SYNC} }}"


@pytest.mark.parametrize(
    ("here", "there", "as_often"),
    [
        (SYNC, SYNC, True),
        (SYNC + SYNC, SYNC, False),
        (WAIT, f"for (int k = 0; k < n; ++k) {{ p[k] = 0; {SYNC} }}", True),
        (WAIT, f"for (int k = 1; k < n; ++k) {{ {SYNC} }}", None),
        (WAIT, SYNC, False),
        (FOUR, SYNC * 4, True),
        (FOUR, f"for (int k = 8; k > 0; k -= 2) {{ {SYNC} }}", True),
        (FOUR, SYNC, False),
        (SYNC, f"if (t < 48) {{ {SYNC} }} else {{ p[t] = 2; {SYNC} }}", True),
        (SYNC, f"if (t < 48) {{ {SYNC} }} else {{ {SYNC * 2} }}", None),
        (SYNC + WAIT, WAIT + SYNC, True),
        (f"do {{ {SYNC} }} while (p[0]);", SYNC, None),
    ],
)
def test_warps_that_wait_elsewhere(here: str, there: str, as_often: bool | None) -> None:
    """Barriers are counted on both sides of the decision between them, loops included."""
    found = verdicts(f"if (t < 32) {{ {here} }} else {{ {there} }} p[t] = 1;")
    first = next(each for each in found if each.edge.branch.index == 0)
    assert first.others is not None
    assert first.others.as_often is as_often
    assert not first.parts_warp


@pytest.mark.parametrize(
    "there", ["p[t] = 2;", f"if (n) {{ {SYNC} }}", f"if (t < 48) {{ {SYNC} }}"]
)
def test_some_wait_nowhere(there: str) -> None:
    found = verdicts(f"if (t < 32) {{ {SYNC} }} else {{ {there} }} p[t] = 1;")
    first = min(found, key=lambda each: each.barrier.location.span.start)
    assert first.others is None


def test_a_loop_that_threads_leave_apart() -> None:
    (found,) = verdicts(f"for (int i = t; i < n; i += 64) {{ {SYNC} }} p[t] = 1;")
    assert found.witness is not None


def test_a_call_that_hides_the_barrier() -> None:
    text = (
        f"__device__ void wait() {{ {SYNC} }}"
        "__global__ void k(int *p) { if (threadIdx.x < 8) wait(); p[0] = 1; }"
    )
    module = cuda_module(text)
    facts = KernelFacts(module.kernels[0], module, AnalysisOptions(90, (64, 1, 1)))
    (found,) = divergent_barriers(facts)
    assert found.witness is not None
    assert found.barrier.location.inlined_at is not None


# ---- random kernels ------------------------------------------------------------------------------

BLOCK = (64, 1, 1)
SEEDS = range(30)


def _run(seed: int, n: int) -> Comparison:
    module = cuda_module(random_kernel(seed, barriers=True))
    return Comparison(module.kernels[0], module, Run(BLOCK, (2, 1, 1), (0, 0, 0), {"n": n}))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_diverges_when_run_is_found(seed: int) -> None:
    """A barrier that some threads of a run miss is reported, at least as possible."""
    for n in (1, 33):
        comparison = _run(seed, n)
        found = {item.barrier for item in divergent_barriers(comparison.facts)}
        for barrier, by_iterations in comparison.trace.barriers.items():
            if any(len(threads) < 64 for threads in by_iterations.values()):
                assert barrier in found, f"line {barrier.location.span.line} with n = {n}"


@pytest.mark.parametrize("seed", SEEDS)
def test_witnesses_replay(seed: int) -> None:
    """With the witness's numbers, one thread is at the barrier in a round and the other is not."""
    for item in divergent_barriers(_run(seed, 0).facts):
        witness = item.witness
        if witness is None or not {name for name, _ in witness.assumed} <= {"n"}:
            continue
        comparison = _run(seed, dict(witness.assumed).get("n", 0))
        iterations = comparison.trace.barriers.get(item.barrier, {})
        if not iterations:
            continue  # a decision further up keeps every thread of this run away
        apart = [threads for threads in iterations.values() if len(threads) < 64]
        assert apart, f"line {item.barrier.location.span.line}: every thread arrives"
