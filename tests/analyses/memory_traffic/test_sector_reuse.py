"""Sectors that neighbours and later iterations use as well."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.memory_traffic.sector_reuse import (
    ITERATIONS,
    MERGED,
    NEIGHBOURS,
    Reuse,
    SectorReuse,
)

HEAD = """struct Four { float a, b, c, d; };
__global__ void k(float *p, const float *q, const Four *f, const float4 *v, int n) {
int t = threadIdx.x;
"""


def reuse(body: str) -> list[Reuse]:
    facts = facts_of(f"{HEAD}{body}\n}}", (32, 1, 1))
    return [
        SectorReuse(facts).of(each) for each in facts.global_accesses if each.access.name[0] != "p"
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[t] = q[t];", [(32, "")]),
        ("p[t] = q[t * 8];", [(4, "")]),
        ("p[t] = q[t * 8] + q[t * 8 + 1];", [(8, NEIGHBOURS)] * 2),
        ("p[t] = f[t].a;", [(8, "")]),
        ("p[t] = f[t].a + f[t].b + f[t].c + f[t].d;", [(32, NEIGHBOURS)] * 4),
        ("p[t] = v[t].x;", [(8, "")]),
        ("for (int i = 0; i < n; i++) p[t] += q[t * 64 + i];", [(32, ITERATIONS)]),
        ("for (int i = 0; i < n; i += 4) p[t] += q[t * 64 + i];", [(8, ITERATIONS)]),
        ("for (int i = 0; i < n; i += 8) p[t] += q[t * 64 + i];", [(4, "")]),  # the next sector
        # Either arm of an `if`, not both; one loop, not another.
        ("if (n) p[t] = q[t * 8]; else p[t] = q[t * 8 + 1];", [(4, "")] * 2),
        ("if (n) p[t] = q[t * 8]; p[1] = q[t * 8 + 1];", [(8, NEIGHBOURS)] * 2),
        ("p[t] = q[t * 8]; for (int i = 0; i < n; i++) p[t] += q[t * 8 + 1];", [(4, "")] * 2),
    ],
)
def test_bytes_of_each_sector_that_are_used(body: str, expected: list[tuple[int, str]]) -> None:
    assert [(each.bytes_per_sector, each.by) for each in reuse(body)] == expected


def test_members_of_an_aligned_vector_are_loaded_at_once() -> None:
    body = "const float4 &w = v[t]; p[t] = w.x + w.y + w.z + w.w;"
    assert [(each.bytes_per_sector, each.by) for each in reuse(body)] == [(32, MERGED)] * 4
