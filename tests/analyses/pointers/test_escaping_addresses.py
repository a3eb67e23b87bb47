"""Addresses that outlive what lies there."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.analyses.pointers.escaping_addresses import (
    dangling_accesses,
    escaping_addresses,
)

PARAMETERS = "int **o, int *p, const int *a, int n"


@pytest.mark.parametrize(
    ("body", "items"),
    [
        ("__shared__ int s[64]; o[n] = &s[3];", ["s"]),
        ("int l[8]; l[n & 7] = 1; o[n] = l;", ["l"]),
        ("__shared__ int s[64]; o[n] = s; int l[8]; l[n & 7] = 1; o[1] = l;", ["s", "l"]),
        ("o[n] = p;", []),
        ("__shared__ int s[64]; o[n] = n ? s : p;", []),  # perhaps not
        ("__shared__ int *s[64]; s[n] = p; o[n] = s[0];", []),
        ("__shared__ int *s[64]; __shared__ int t[4]; s[n] = t;", []),  # kept within the block
        ("__shared__ int s[64]; p[n] = (int)(long long)&s[3];", []),  # a number
        ("__shared__ int s[64]; o[n] = p + s[3];", []),
    ],
)
def test_addresses_in_global_memory(body: str, items: list[str]) -> None:
    found = list(escaping_addresses(body_facts(body, parameters=PARAMETERS)))
    assert [each.item.name for each in found] == items
    assert all(each.store.writes for each in found)


@pytest.mark.parametrize(
    ("function", "use", "returned"),
    [
        ("int *f(int v) { int l[4]; l[v & 3] = v; return l; }", "p[0] = *f(n);", "return l;"),
        ("int *f(int v) { int l[4]; l[v & 3] = v; return l + 1; }", "p[0] = f(n)[v];", "return l"),
        ("int *f(int v) { __shared__ int l[4]; l[v & 3] = v; return l; }", "p[0] = *f(n);", None),
        ("int *f(int *l) { l[1] = 2; return l; }", "int l[4]; p[0] = f(l)[n & 3];", None),
        ("int g(int *l, int v) { return l[v & 1]; }", "", None),
    ],
)
def test_variables_of_functions_that_have_returned(
    function: str, use: str, returned: str | None
) -> None:
    own = "" if use else "__device__ int f(int v) { int l[2]; l[0] = v; return g(l, v); }"
    body = (use or "p[0] = f(n);").replace("[v]", "[n & 3]")
    text = f"__device__ {function}\n{own}\n__global__ void k(int *p, int n) {{ {body} }}"
    found = list(dangling_accesses(facts_of(text, (32, 1, 1))))
    if returned is None:
        assert not found
        return
    (each,) = found
    assert each.item.name == "l"
    assert each.function.name == "f"
    assert each.returned is not None
    assert each.returned.text.startswith(returned)
