"""Addresses that outlive what lies there."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.pointers.escaping_addresses import escaping_addresses

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
