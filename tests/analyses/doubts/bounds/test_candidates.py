"""Threads beyond the end of an array: all of them, whatever the size of the block, or some."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.races.out_of_bounds import outside_candidates


@pytest.mark.parametrize(
    ("index", "always"),
    [("64", True), ("threadIdx.x + 1", False)],
)
def test_who_goes_there(index: str, *, always: bool) -> None:
    facts = body_facts(f"__shared__ int s[64]; s[{index}] = n;")
    candidate, *_ = outside_candidates(facts)
    assert candidate.always is always
    assert candidate.facts is facts
    assert candidate.access is facts.accesses[0]


@pytest.mark.parametrize(
    ("index", "elsewhere"),
    [("threadIdx.x + 1", False), ("threadIdx.x + blockIdx.x", True)],
)
def test_in_which_block(index: str, *, elsewhere: bool) -> None:
    facts = body_facts(f"__shared__ int s[64]; s[{index}] = n;")
    candidate, *_ = outside_candidates(facts)
    assert candidate.elsewhere is elsewhere
