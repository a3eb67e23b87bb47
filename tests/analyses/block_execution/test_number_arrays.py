"""Arrays in which a block may find whole numbers that it has put there itself."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

HEAD = (
    "__shared__ int s[64]; __shared__ float f[64]; __shared__ long long w[64]; int t = threadIdx.x;"
)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("s[t] = t; p[s[t ^ 1]] = 1;", ["s"]),
        ("s[t] = t; p[0] = s[t ^ 1];", ["s"]),  # what is stored counts as well
        ("s[t] = t; float x = s[t ^ 1]; f[t] = x;", []),  # decides about nothing
        ("f[t] = t; p[(int)f[t ^ 1]] = 1;", []),  # no whole numbers
        ("s[t] = t; ((short *)s)[t] = 1; p[s[t ^ 1]] = 1;", []),  # of two types
        ("volatile int *v = s; v[t] = t; p[v[t ^ 1]] = 1;", []),
        ("p[s[t]] = 1;", []),  # nothing is stored
        ("s[t] = t; s[t + 1] = 2; p[s[t]] = 1;", ["s", "s"]),
        ("w[t] = t; p[w[t ^ 1]] = 1;", ["w"]),
        ("p[t] = t; p[p[t ^ 1]] = 1;", ["*p", "*p"]),
    ],
)
def test_stores_to_arrays_that_are_read_again(body: str, names: list[str]) -> None:
    arrays = body_facts(f"{HEAD} {body}").plan.number_arrays
    assert [item.name for _, item in arrays.stores] == names
    assert all(store.writes for store, _ in arrays.stores)
