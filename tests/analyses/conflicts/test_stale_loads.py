"""Loads by the read-only path of what the kernel writes."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.conflicts.stale_loads import stale_loads

PARAMETERS = "int *p, int *q, const int *a, int n"
OWN = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
LOOP = "for (int j = 0; j < n; ++j)"


@pytest.mark.parametrize(
    ("body", "items"),
    [
        ("p[n] = 1; p[0] = __ldg(&p[3]);", ["*p"]),
        ("p[n] = __ldg(&p[3]); p[n] = __ldg(&p[4]);", ["*p"]),  # once
        ("p[0] = __ldg(&p[3]); p[1] = __ldg(&p[4]);", []),
        ("p[2 * n] = __ldg(&p[2 * n + 1]);", []),
        ("p[a[n]] = __ldg(&p[a[n + 1]]);", []),  # data tells entries of a list apart
        ("p[a[n]] = __ldg(&p[q[n]]);", ["*p"]),
        ("p[0] = __ldg(&a[3]);", []),
        ("p[0] = p[3];", []),
        ("atomicAdd(p, 1); q[0] = __ldg(p);", ["*p"]),
        (OWN + "p[i] = __ldg(&p[i]) + 1;", []),
        (OWN + "p[i] = 1; q[i] = __ldg(&p[i]);", ["*p"]),
        (OWN + "p[i] = 1; p[i] = __ldg(&p[i]);", ["*p"]),
        (OWN + "p[i] = __ldg(&p[i + n]);", ["*p"]),
        (OWN + "p[i] = __ldg(&p[a[i]]);", ["*p"]),
        (OWN + "p[a[i]] = __ldg(&p[a[i]]) + 1;", []),
        (OWN + "q[i] = __ldg(&p[i]); atomicAdd(&p[i], 1);", ["*p"]),
        ("int x = __ldg(p); if (threadIdx.x == 0) p[0] = x + 1;", ["*p"]),
        ("if (threadIdx.x == 0) { int x = __ldg(p); p[0] = x + 1; }", []),
        (OWN + "int x = __ldg(&p[2 * i]); p[2 * i] = x; p[2 * i + 1] = __ldg(&p[2 * i + 1]);", []),
        (OWN + "p[i] = 1; __syncthreads(); q = p + n - i; q[0] = __ldg(q);", ["*p"]),
    ],
)
def test_loads_of_what_the_kernel_writes(body: str, items: list[str]) -> None:
    found = list(stale_loads(body_facts(body, parameters=PARAMETERS)))
    assert list(dict.fromkeys(each.item.name for each in found)) == items
    assert all(each.write.writes and not each.load.writes for each in found)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"{LOOP} p[i + 32 * j] = __ldg(&p[i + 32 * j]);", False),
        (f"{LOOP} p[i] = __ldg(&p[i]);", True),
        (f"{LOOP} {{ int *at = p + a[j]; *at = __ldg(at) + i; }}", False),
        (f"{LOOP} {{ int *at = p + a[n]; *at = __ldg(at) + i; }}", True),
        (f"int x[4]; {LOOP} x[j] = __ldg(&p[i + 8 * j]); {LOOP} p[i + 8 * j] = x[j];", False),
        (f"int x[4]; {LOOP} x[j] = __ldg(&p[i + 8 * j]); {LOOP} p[i + 8 * j + 8] = 1;", True),
        (f"int s = 0; {LOOP} s += __ldg(p + i + j); {LOOP} p[i + 2 * j] = s;", True),
        (f"{LOOP} {{ int s = 0; for (int k = 0; k < n; ++k) s += __ldg(p + k); p[j] = s; }}", True),
    ],
)
def test_loops_come_to_another_element_or_not(body: str, found: bool) -> None:
    facts = body_facts(OWN + body, parameters=PARAMETERS)
    assert bool(list(stale_loads(facts))) is found
