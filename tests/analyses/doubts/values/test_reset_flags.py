"""Flags that every iteration of a loop sets anew."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel
from analyses.kernels import last_of

from warplint.analyzer.analyses.doubts.values.reset_flags import is_reset
from warplint.analyzer.ir.operations import AccessKind

LOOP = "for (int i = 0; i < n; i++) {{ {} __syncthreads(); if (in[t] > i) flag = 1; }}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (LOOP.format("flag = 0;"), True),
        (LOOP.format("flag = 1;"), False),  # the same
        (LOOP.format("flag = n;"), False),  # no constant
        (LOOP.format(""), False),
        ("flag = 0; " + LOOP.format(""), False),  # once, before
        (LOOP.format("flag = 0;").replace("flag", "s[3]"), False),  # an element
        ("flag = 0; __syncthreads(); if (in[t] > n) flag = 1;", False),  # no loop
    ],
)
def test_another_store_of_the_loop(body: str, *, expected: bool) -> None:
    facts = kernel(body)
    store = last_of(facts, AccessKind.STORE)
    assert is_reset(facts, store) is expected
