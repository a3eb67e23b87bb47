"""Elements of local arrays that are read and never written."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.storage.unwritten_elements import unwritten_elements

HEAD = "int t = threadIdx.x; float s[4];"
ALL = "for (int j = 0; j < 4; j++) "
THREE = "for (int j = 0; j < 3; j++) "


@pytest.mark.parametrize(
    ("body", "indices"),
    [
        (f"{THREE} s[j] = a[j]; {ALL} p[t * 4 + j] = s[j];", [3]),
        (f"{THREE} s[j] = 0; for (int i = 0; i < n; i++) {ALL} s[j] += a[i]; {ALL} p[j] = s[j];",
         [3]),
        (f"for (int i = 0; i < n; i++) {ALL} s[j] += a[i]; {ALL} p[j] = s[j];", [0]),
        (f"s[0] = s[1] = s[3] = 0; {ALL} p[j] = s[j];", [2]),
        (f"{ALL} s[j] = a[j]; {ALL} p[j] = s[j];", []),
        (f"{THREE} s[j] = a[j]; {ALL} if (j < 3) p[j] = s[j];", []),  # not that one
        (f"{THREE} s[j] = a[j]; {THREE} p[j] = s[j];", []),
        (f"{THREE} s[j] = a[j]; s[n] = 1; {ALL} p[j] = s[j];", []),  # anywhere
        (f"{THREE} s[j] = a[j]; if (n) s[3] = 1; {ALL} p[j] = s[j];", []),  # perhaps
        (f"{THREE} s[j] = a[j]; fill(s); {ALL} p[j] = s[j];", []),
        (f"float u[4] = {{1}}; {ALL} p[j] = u[j];", []),
        ("*(float4 *)s = *(float4 *)a; p[t] = s[3];", []),
        ("*(float2 *)s = *(float2 *)a; p[t] = s[3];", [3]),
    ],
)  # fmt: skip
def test_elements_without_a_value(body: str, indices: list[int]) -> None:
    facts = body_facts(f"{HEAD} {body}", parameters="float *p, const float *a, int n")
    assert [each.index for each in unwritten_elements(facts)] == indices
