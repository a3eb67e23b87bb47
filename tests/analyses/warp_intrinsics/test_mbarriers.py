"""Mbarriers that are used too early, without a fence, or by too few."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of, ptx_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.warp_intrinsics.mbarriers import Misuse, MisuseKind, misuses

INIT = "if (threadIdx.x == 0) init(&bar, {});"
USE = "bar.arrive_and_wait();"


def found(body: str, threads: int = 128) -> list[Misuse]:
    text = f"""#include <cuda/barrier>
    __global__ void k(int *p, int n) {{
        __shared__ cuda::barrier<cuda::thread_scope_block> bar; {body} }}"""
    return list(misuses(facts_of(text, (threads, 1, 1))))


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (f"{INIT.format(128)} {USE}", [MisuseKind.BARRIER]),
        (f"{INIT.format(128)} __syncthreads(); {USE}", []),
        (f"{INIT.format(128)} __syncwarp(); {USE}", [MisuseKind.BARRIER]),
        (f"{INIT.format(128)} if (n) __syncthreads(); {USE}", []),  # on one way there is one
        (f"if (threadIdx.x == 0) {{ init(&bar, 1); {USE} }}", []),  # by its maker alone
        (f"{INIT.format(128)} other(p); {USE}", []),
    ],
)
def test_a_barrier_behind_the_initialisation(body: str, kinds: list[MisuseKind]) -> None:
    assert [each.kind for each in found(body)] == kinds


@settings(max_examples=20)
@given(st.integers(1, 130), st.integers(1, 128), st.integers(1, 128))
def test_arrivals(expected: int, coming: int, threads: int) -> None:
    body = f"{INIT.format(expected)} __syncthreads(); if (threadIdx.x < {coming}) {USE}"
    arriving = min(coming, threads)
    result = found(body, threads)
    if arriving == expected:
        assert result == []
    else:
        (misuse,) = result
        few = arriving < expected
        assert misuse.kind is (MisuseKind.ARRIVALS if few else MisuseKind.CROWD)
        assert (misuse.expected, misuse.arriving) == (expected, arriving)


@pytest.mark.parametrize(
    ("expected", "kinds"), [(64, [MisuseKind.CROWD]), (128, []), (256, [MisuseKind.ARRIVALS])]
)
def test_arrivals_in_a_loop_where_all_who_arrive_wait(
    expected: int, kinds: list[MisuseKind]
) -> None:
    body = f"{INIT.format(expected)} __syncthreads(); for (int i = 0; i < n; i++) {{ {USE} {USE} }}"
    assert [each.kind for each in found(body)] == kinds


@pytest.mark.parametrize(
    "body",
    [
        f"{INIT.format(128)} __syncthreads(); for (int i = 0; i < n; i++) bar.arrive();",
        f"{INIT.format(64)} __syncthreads(); bar.arrive(); bar.arrive();",  # nobody waits
        f"{INIT.format('n')} __syncthreads(); {USE}",
        f"{INIT.format(256)} __syncthreads(); if (p[threadIdx.x]) {USE}",
        f"{INIT.format(256)} __syncthreads(); other(p); {USE}",
    ],
)
def test_arrivals_that_are_not_known(body: str) -> None:
    assert found(body) == []


COPY = """mov.u64 %rd5, tile; cvta.shared.u64 %rd6, %rd5;
    setp.ne.u32 %p1, %r2, 0; @%p1 bra END;
    st.shared.u32 [tile+{at}], 1;
    {fence}
    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 64;
    END:"""


@pytest.mark.parametrize(
    ("at", "fence", "kinds"),
    [
        (0, "", [MisuseKind.PROXY]),
        (60, "", [MisuseKind.PROXY]),
        (64, "", []),  # not what is copied
        (0, "fence.proxy.async;", []),
        (0, "fence.acq_rel.cta;", [MisuseKind.PROXY]),
    ],
)
def test_stores_that_a_bulk_copy_reads(at: int, fence: str, kinds: list[MisuseKind]) -> None:
    facts = ptx_facts(COPY.format(at=at, fence=fence))
    assert [each.kind for each in misuses(facts)] == kinds


def test_a_kernel_without_mbarriers() -> None:
    assert not list(misuses(body_facts("p[0] = 1; __syncthreads();")))
