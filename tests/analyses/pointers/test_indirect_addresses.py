"""Addresses that data makes: any thread may be led anywhere."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, last_of

from warplint.analyzer.analyses.pointers.indirect_addresses import is_found_in_memory
from warplint.analyzer.ir.operations import AccessKind

PARAMETERS = "int *o, const int *a, int n, cudaTextureObject_t x"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("o[a[n]] = 1;", True),
        ("o[a[t]] = 1;", True),  # whatever its element holds
        ("int x = a[blockIdx.x]; o[x & 7] = 1;", True),
        ("o[a[n] + t] = 1;", False),
        ("o[n] = 1;", False),  # nothing is loaded
        ("o[(int)tex1D<float>(x, t)] = 1;", True),  # a texture's texel is
        ("o[(int)tex1D<float>(x, n) + t] = 1;", False),
        ("o[a[a[n]]] = 1;", True),
        ("o[atomicAdd(o, 1)] = 1;", False),
        ("o[__shfl_sync(~0u, a[n], 0)] = 1;", False),
        ("__shared__ int s[8]; o[s[n]] = 1;", True),
        ("int l[4]; l[n & 3] = a[n]; l[1] = 7; o[l[n & 1]] = 1;", True),
        ("int l[4]; l[n & 3] = t; l[1] = a[n]; o[l[n & 1]] = 1;", False),
        ("int l[4]; l[n & 3] = 3; l[1] = 5; o[l[n & 1]] = 1;", False),
    ],
)
def test_places_from_memory(body: str, *, found: bool) -> None:
    facts = body_facts(f"int t = threadIdx.x; {body}", parameters=PARAMETERS)
    store = last_of(facts, AccessKind.STORE)
    assert is_found_in_memory(facts, store.address) is found
