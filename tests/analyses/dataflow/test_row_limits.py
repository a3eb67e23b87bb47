"""Rows of a constant pitch: the sizes of loops that walk along them, in sums of any depth."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.dataflow.row_limits import row_limits

_ADDED = "".join(f"t = t + {name};" for name in "ab" * 3000)
_DOUBLED = "t = t + t;" * 60


@pytest.mark.parametrize(
    ("before", "index", "expected"),
    [
        ("", "i * 136 + j", 136),
        ("", "i * 136 + j * 2", 68),
        ("", "(i << 7) + j", 128),
        ("", "i * 136 + j + t", 136),
        ("", "i * n + j", None),
        ("", "a * 136 + j", 136),
        ("", "a * 4 + j", None),
        ("", "m * 136 + j", None),
        ("", "j", None),
        ("t = t + a;", "i * 136 + (j + t)", 136),
        (_ADDED, "i * 136 + j + t", 136),
        (_DOUBLED, "i * 136 + j + t", 136),
    ],
)
def test_the_length_of_a_row_limits_what_walks_along_it(
    before: str, index: str, expected: int | None
) -> None:
    facts = facts_of(
        "__global__ void k(float *p, int n, int m, int a, int b) { int t = threadIdx.x; "
        f"{before} for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) p[{index}] = 0; }}",
        (64, 1, 1),
    )
    limits = {each.name: most for each, most in row_limits(facts.kernel, facts.flow).items()}
    assert limits.get("m") == expected


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("i / m * 136 + i % m", 136),
        ("i / m * 136 + (i - i / m * m) * 2", 68),
        ("(i / m << 7) + (i - m * (i / m))", 128),
        ("i / m * n + i % m", None),
        ("i / m * 136 + i % n", None),
        ("i / n * 136 + (i - i / m * n)", None),
        ("i / n * 136 + (n - i / m * m)", None),
        ("i % m", None),
    ],
)
def test_what_places_are_divided_by_is_the_length_of_a_row(
    index: str, expected: int | None
) -> None:
    facts = facts_of(
        f"__global__ void k(float *p, int n, int m, int i) {{ i += threadIdx.x; p[{index}] = 0; }}",
        (64, 1, 1),
    )
    limits = {each.name: most for each, most in row_limits(facts.kernel, facts.flow).items()}
    assert limits.get("m") == expected
