"""What the founding documents say of bank conflicts, from source text to degree.

Each case is an access and the degree that the documents state: for the sixteen banks and half-warps
of compute capability 1.x, and for today's 32 banks. Where a measurement on an H200 superseded the
statement, the case says so.
"""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts


def degree(declaration: str, use: str, arch: int) -> float:
    """The highest degree of the loads from shared memory."""
    body = f"__shared__ {declaration}; const int t = threadIdx.x; p[t] = {use};"
    facts = body_facts(body, block=(64, 1, 1), arch=arch)
    loads = facts.shared_accesses
    assert loads
    assert not any(access.reason for access in loads)
    return max(access.degree for access in loads)


@pytest.mark.parametrize(
    ("declaration", "use", "oldest", "today"),
    [
        ("int s[64 * 33]", "s[t]", 1, 1),
        ("int s[64 * 33]", "s[2 * t]", 2, 2),
        ("int s[64 * 33]", "s[3 * t]", 1, 1),
        ("int s[64 * 33]", "s[4 * t]", 4, 4),
        ("int s[64 * 33]", "s[8 * t]", 8, 8),
        ("int s[64 * 33]", "s[32 * t]", 16, 32),
        ("int s[64 * 33]", "s[33 * t]", 1, 1),
        ("int s[64 * 33]", "s[5 * t + 7]", 1, 1),
        ("char s[64]", "s[t]", 4, 1),
        ("short s[64]", "s[t]", 2, 1),
        ("int s[64]", "s[0]", 1, 1),
        ("int s[128]", "s[t] + s[t + blockDim.x]", 1, 1),
        ("struct { int a, b, c; } s[64]", "s[t].b", 1, 1),
        ("struct { int a, b; } s[64]", "s[t].b", 2, 2),
        ("float s[64][16]", "s[t % 16][t / 16]", 16, 8),
        ("double s[64]", "s[t]", 2, 1),
    ],
)
def test_figures_of_the_founding_documents(
    declaration: str, use: str, oldest: int, today: int
) -> None:
    assert degree(declaration, use, 10) == oldest
    assert degree(declaration, use, 90) == today


@pytest.mark.parametrize(
    ("declaration", "use"),
    [
        ("int s[128]", "s[2 * t] + s[2 * t + 1]"),
        ("struct { int a, b; } s[64]", "s[t].a + s[t].b"),
    ],
)
def test_superseded_two_loads_side_by_side_are_merged(declaration: str, use: str) -> None:
    assert degree(declaration, use, 90) == 1
