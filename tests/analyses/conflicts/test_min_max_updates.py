"""The least or the greatest, kept by a comparison and a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from analyses.doubts.candidates_of import kernel
from analyses.kernels import last_of

from warplint.analyzer.analyses.conflicts.min_max_updates import (
    is_only_compared,
    is_only_store,
    keeps_best,
    leads_many,
)
from warplint.analyzer.ir.operations import AccessKind

if TYPE_CHECKING:
    from warplint.analyzer.analyses.facts import KernelFacts
    from warplint.analyzer.ir.operations import MemoryAccess

FIND = "int b = in[t]; "


def last_store(body: str) -> tuple[KernelFacts, MemoryAccess]:
    facts = kernel(body)
    return facts, last_of(facts, AccessKind.STORE)


@pytest.mark.parametrize(
    ("body", "many"),
    [
        ("out[in[t]] = t;", False),  # a list may name each place once
        ("out[in[in[t]]] = t;", True),  # an entry of a list that belongs to something
        ("out[in[t]] = out[t] + 1;", True),  # the distance of the other end
        ("out[t] = out[t] + 1;", False),
        ("out[t] = in[t];", False),
        (f"{FIND} out[b] = out[b - 1];", False),  # its neighbour, as in a row of its own
        (f"{FIND} out[b] = out[2 * b];", True),
    ],
)
def test_whether_data_leads_several_to_one_place(body: str, *, many: bool) -> None:
    assert leads_many(last_store(body)[1]) is many


@pytest.mark.parametrize(
    ("body", "best"),
    [
        (f"{FIND} if (t < out[b]) out[b] = t;", True),
        (f"{FIND} out[b] = min(out[b], t);", True),
        (f"{FIND} out[b] = out[b] + t;", False),
        (f"{FIND} out[b] = t;", False),
    ],
)
def test_whether_the_best_is_kept(body: str, *, best: bool) -> None:
    facts, store = last_store(body)
    assert keeps_best(store, facts.updates.get(store, frozenset())) is best


@pytest.mark.parametrize(
    ("body", "compared"),
    [
        (f"{FIND} if (t < out[b]) out[b] = t;", True),
        (f"{FIND} int o = out[b]; if (t < o) out[b] = t; s[t] = o;", False),
        (f"{FIND} if (t < out[b]) out[b] = t; s[t] = out[b];", False),
        (f"{FIND} int o = out[b]; if (t < o) o = t; if (o < out[b]) out[b] = o;", True),
        (f"{FIND} out[b] = 7; if (t < out[b]) out[b] = t;", False),  # set otherwise
    ],
)
def test_whether_what_was_there_serves_the_comparison_alone(body: str, *, compared: bool) -> None:
    facts = kernel(body)
    (store,) = facts.updates
    assert is_only_compared(facts, store, facts.updates[store]) is compared
    assert is_only_store(facts, store) is ("= 7" not in body)
