"""Barriers that can go, and what is known of the places that threads touch around them."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.barriers.redundant_barriers import Gap, redundant_barriers
from warplint.analyzer.analyses.block_execution.thread_residues import ThreadResidues


def _lines(body: str) -> list[tuple[int, Gap]]:
    text = f"__global__ void k(int *p, int n) {{\n__shared__ int s[512];\n{body}\n}}"
    found = redundant_barriers(facts_of(text, (64, 1, 1)))
    return [(each.barrier.location.span.line, each.gap) for each in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[threadIdx.x] = n;\n__syncthreads();", [(4, Gap.AFTER)]),
        ("__syncthreads();\np[threadIdx.x] = n;", [(3, Gap.BEFORE)]),
        ("s[threadIdx.x] = n;\n__syncthreads();\np[threadIdx.x] = s[threadIdx.x];",
         [(4, Gap.APART)]),
        ("s[threadIdx.x] = n;\n__syncthreads();\np[threadIdx.x] = s[63 - threadIdx.x];", []),
        (
            "s[threadIdx.x] = n;\n__syncthreads();\n__syncthreads();\np[0] = s[n & 63];",
            [(5, Gap.BEFORE)],
        ),
        ("if (threadIdx.x == 0) s[0] = n;\n__syncthreads();\nif (threadIdx.x == 0) p[0] = s[0];",
         [(4, Gap.APART)]),
        ("if (threadIdx.x == 0) s[0] = n;\n__syncthreads();\nif (threadIdx.x == 1) p[0] = s[0];",
         []),
        ("for (int i = 0; i < n; i++) {\ns[threadIdx.x] = i;\n__syncthreads();\n"
         "p[i * 64 + threadIdx.x] = s[63 - threadIdx.x];\n__syncthreads();\n}", []),
        ("volatile int *q = p;\nint v = q[0];\n__syncthreads();\ns[threadIdx.x] = v;\n"
         "p[threadIdx.x] = s[threadIdx.x];", []),
    ],
)  # fmt: skip
def test_a_barrier_can_go_where_it_orders_nothing(
    body: str, expected: list[tuple[int, Gap]]
) -> None:
    assert _lines(body) == expected


@pytest.mark.parametrize(
    ("index", "apart"),
    [
        ("threadIdx.x", True),
        ("threadIdx.x + 64 * n", True),
        ("threadIdx.x + 32 * n", False),
        ("(n & 3) * 64 + (threadIdx.x ^ 5)", True),
        ("(p[n] << 6) | threadIdx.x", True),
        ("threadIdx.x / 2", False),
        ("threadIdx.x * 3 % 64", True),
        ("threadIdx.x * 2 % 64", False),
        ("threadIdx.x + n", False),  # another n for each of the two accesses
    ],
)
def test_threads_are_told_apart_by_their_residues(index: str, apart: bool) -> None:
    body = f"__shared__ int s[512]; s[{index}] = 1; p[0] = s[n];"
    text = f"__global__ void k(int *p, int n) {{ {body} }}"
    facts = facts_of(text, (64, 1, 1))
    store = next(each for each in facts.accesses if each.writes)
    assert ThreadResidues(facts.launches[0]).tells_threads_apart(store) is apart


def test_the_counter_of_a_loop_keeps_what_its_step_leaves() -> None:
    body = "for (int i = threadIdx.x; i < n; i += 64) s[i] = i;\n__syncthreads();\n"
    again = "for (int i = threadIdx.x; i < n; i += 64) p[i] = s[i];"
    assert _lines(body + again) == [(4, Gap.APART)]
    assert _lines(body + again.replace("64", "32")) == []
