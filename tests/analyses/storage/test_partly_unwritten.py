"""Variables that some paths leave without a value, and shared memory that is only updated."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.storage.partly_unwritten import (
    only_updated,
    partly_unwritten,
    unwritten_at_first,
)

PARAMETERS = "int *p, const int *a, int n"
HEAD = "int t = threadIdx.x, v = a[t]; int x;"
CHAIN = "if (v > 1) x = 1; else if (v < -1) x = 2;"


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (f"{CHAIN} p[t] = x;", ["x"]),
        ("if (v > 1) x = 1; p[t] = x;", ["x"]),
        ("if (t < 9) x = 1; p[t] = x;", ["x"]),
        ("if (v > 1) x = 1; else x = 2; p[t] = x;", []),
        ("if (v == 1) x = 1; else if (v == 2) x = 2; p[t] = x;", []),  # all cases, perhaps
        ("if (v == 1) x = 1; p[t] = x;", ["x"]),
        ("if (v != 1) x = 1; p[t] = x;", []),  # one value only
        ("if (t == 1) x = 1; p[t] = x;", []),  # what is loaded, not who
        ("bool b; if (v == 1) b = true; p[t] = b ? n : 0;", ["b"]),
        ("if (v > 1) x = 1; p[t] = t > 3 ? x : 0;", []),  # perhaps not chosen
        ("if (n > 1) x = 1; p[t] = x;", []),  # a size of the host
        ("if (v > 1) x = 1; if (v > 1) p[t] = x;", []),  # asked again
        ("for (int i = 0; i < v; i++) x = i; p[t] = x;", []),  # as often as it goes
        (f"{CHAIN} p[t] = x * 2 + 1;", ["x"]),
        (f"{CHAIN} p[t] = 3;", []),  # no use
        (f"{CHAIN} p[t] = x; p[t + 1] = x;", ["x"]),  # once
        (f"int y; {CHAIN} if (t > 3) y = 1; p[t] = x + y;", ["x", "y"]),
        (f"{CHAIN} if (t > 5) p[t] = x;", []),  # perhaps those that have a value
        ("if (v < n) x = 1; if (v >= n && v < 9) x = 2; if (v >= 9) x = 3; p[t] = x;", []),
        ("if (v < n) x = 1; if (v >= n && v < 9) x = 2; if (v > 9) x = 3; p[t] = x;", ["x"]),
    ],
)
def test_a_path_that_leaves_a_variable_unwritten(body: str, names: list[str]) -> None:
    facts = body_facts(f"{HEAD} {body}", parameters=PARAMETERS)
    assert sorted(each.name for each in partly_unwritten(facts)) == names


def test_the_branch_is_the_last_that_decides_for_it() -> None:
    facts = body_facts(f"{HEAD}\nif (v > 1) x = 1;\nelse if (v < -1) x = 2;\np[t] = x;",
                       parameters=PARAMETERS)  # fmt: skip
    (found,) = partly_unwritten(facts)
    assert found.branch.terminator.location.span.line == 4
    assert found.use.location.span.line == 5


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("atomicAdd(&s[v & 63], 1); __syncthreads(); p[t] = s[t];", ["load"]),
        ("p[t] = atomicAdd(&s[v & 63], 1);", ["atomic"]),
        ("s[t] = 0; atomicAdd(&s[v & 63], 1); p[t] = s[t];", []),
        ("p[t] = s[t];", []),  # never updated
        ("fill(s); atomicAdd(&s[v & 63], 1); p[t] = s[t];", []),
    ],
)
def test_arrays_that_begin_with_what_was_there(body: str, kinds: list[str]) -> None:
    before = "__shared__ int s[64]; int t = threadIdx.x, v = a[t];"
    facts = body_facts(f"{before} {body}", parameters=PARAMETERS)
    assert [each.access.kind.value for each in only_updated(facts)] == kinds


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("for (int i = 0; i < n; i++) if (a[i] < x) x = a[i]; p[t] = 1;", ["x"]),
        ("for (int i = 0; i < n; i++) { p[i] = x; x = a[i]; }", ["x"]),
        ("for (int i = 0; i < n; i++) { p[i] = x * 2 + 1; x = a[i]; }", ["x"]),
        ("x = a[0]; for (int i = 1; i < n; i++) if (a[i] < x) x = a[i]; p[t] = x;", []),
        ("for (int i = 0; i < n; i++) if (i == 0 || a[i] < x) x = a[i]; p[t] = 1;", []),
        ("for (int i = 0; i < n; i++) { if (i > 0) p[i] = x; x = a[i]; }", []),
        ("for (int i = 0; i < n; i++) { x = a[i]; p[i] = x; }", []),
        ("while (next(x)) { p[0] = x; x = x + 1; }", []),  # may write it
        ("for (int i = 0; i < n; i++) { if (a[i] > 2) x = i; if (a[i] > 2) p[i] = x; }", []),
    ],
)
def test_the_first_iteration(body: str, names: list[str]) -> None:
    facts = body_facts(f"{HEAD} {body}", parameters=PARAMETERS)
    assert [each.name for each in unwritten_at_first(facts)] == names
