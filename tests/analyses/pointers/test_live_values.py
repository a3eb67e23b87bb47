"""What is live in a thread, for each load of a kernel."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.pointers.live_values import LiveValues
from warplint.analyzer.ir.operations import AccessKind, Branch

HEAD = """__device__ void add(int *to, int more) { *to += more; }
__global__ void k(const int *in, int *out, int n) { int t = threadIdx.x; int v = in[t];
"""


@pytest.mark.parametrize(
    ("body", "live"),
    [
        ("out[t] = v;", True),
        ("int w = 0; if (v > 0) w = v; if (t == 0) out[0] = w;", True),
        ("int w = 0; if (v > 0) w = 1; out[t] = w;", True),  # decides which
        ("if (v > 0) out[t] = 1;", True),
        ("if (v > 0) __syncthreads();", True),
        ("if (v > 0) return; out[t] = 1;", True),
        ("if (v > 0) return;", False),
        ("if (v > 0) __trap();", True),
        ("while (v > 0) v -= n;", True),  # how long the thread waits
        ("for (int i = 0; i < n; ++i) { if (v == i) break; }", True),
        ("__shfl_sync(~0u, v, 0);", True),
        (
            "__shared__ cub::BlockScan<int, 64>::TempStorage all;"
            " cub::BlockScan<int, 64>(all).InclusiveSum(v, v);",
            True,
        ),  # others take it
        ("int w = 1; add(&w, v); out[t] = w;", True),
        ("int w = 1; for (int i = 0; i < n; ++i) { if (i) out[t] = w; add(&w, v); }", True),
        ("int *w = n ? out : &v; *w = v;", True),
    ],
)
def test_a_load(body: str, *, live: bool) -> None:
    facts = facts_of(f"{HEAD}{body} }}", (64, 1, 1))
    load = next(each for each in facts.accesses if each.kind is AccessKind.LOAD)
    assert (load in LiveValues(facts).without(frozenset()).values) is live


@pytest.mark.parametrize(
    ("body", "live"),
    [
        ("if (t == 0) out[0] = v;", False),
        ("int w = 0; if (t == 0) w = v; out[t] = w;", False),  # a way to a phi
        ("if (t == 0) out[0] = v; out[t] = v;", True),
        ("int w = v; add(&w, n); if (t == 0) out[0] = w;", False),
        ("int w = n; add(&w, v); if (t == 0) out[0] = w; else out[t] = w;", True),
    ],
)
def test_a_load_where_a_way_is_not_taken(body: str, *, live: bool) -> None:
    facts = facts_of(f"{HEAD}{body} }}", (64, 1, 1))
    load = next(each for each in facts.accesses if each.kind is AccessKind.LOAD)
    lasts = (block.terminator for block in facts.kernel.blocks)
    last = next(each for each in lasts if isinstance(each, Branch))
    part = LiveValues(facts).without(frozenset({(last.block, last.then)}))
    assert (load in part.values) is live
    assert last.then not in part.blocks
