"""A pointer that is declared with a star too many, and memory that was meant for pointers."""

from __future__ import annotations

import pytest
from analyses.host.host_facts import host_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.host.copies import Mismatch, wrong_copies

TO = "cudaMemcpyHostToDevice"


def mismatches(body: str) -> list[Mismatch]:
    facts = host_facts(body, "float *h, float **p, int n, int m")
    return [each.mismatch for each in wrong_copies(facts)]


@pytest.mark.parametrize(
    ("made", "copied", "expected"),
    [
        ("n * sizeof(float)", "h, n * sizeof(float)", 0),
        ("n * sizeof(float)", "h, m * sizeof(float)", 0),
        ("n * sizeof(float *)", "h, n * sizeof(float)", 1),
        ("n * sizeof(float)", "p, n * sizeof(float)", 2),
        ("n * sizeof(float *)", "p, n * sizeof(float *)", 0),
        ("n * sizeof(short)", "h, n * sizeof(short)", 2),
    ],
)
def test_copies_to_what_points_to_pointers(made: str, copied: str, expected: int) -> None:
    found = mismatches(f"float **d; cudaMalloc(&d, {made}); cudaMemcpy(d, {copied}, {TO});")
    assert found == [Mismatch.NARROW] * expected


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 64), st.sampled_from(("float", "int", "short")), st.booleans())
def test_sizes_that_agree_are_right_whatever_the_stars(count: int, type: str, fill: bool) -> None:
    size = f"{count} * n * sizeof({type})"
    body = f"{type} *a = ({type} *)malloc({size}), **d; cudaMalloc(&d, {size});"
    body += f" cudaMemset(d, 0, {size});" if fill else ""
    assert mismatches(f"{body} cudaMemcpy(d, a, {size}, {TO});") == []
