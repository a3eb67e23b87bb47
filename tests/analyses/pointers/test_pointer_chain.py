"""The pointers that an address was moved from, back to its object."""

from __future__ import annotations

import itertools

import pytest
from analyses.kernels import body_facts

from warplint.analyzer.analyses.pointers.pointer_chain import pointers_of
from warplint.analyzer.ir.values import ObjectAddress


@pytest.mark.parametrize(
    "place", ["s[n]", "(s + 16)[n]", "(s + n)[4]", "(s + 16 + n)[threadIdx.x]", "*s"]
)
def test_a_chain_leads_to_the_object(place: str) -> None:
    facts = body_facts(f"extern __shared__ int s[]; {place} = 1;")
    (store,) = facts.accesses
    chain = list(pointers_of(store.address, facts.points_to))
    assert chain[0] is store.address
    assert isinstance(chain[-1], ObjectAddress)
    assert all(after in before.operands for before, after in itertools.pairwise(chain))


def test_what_is_no_pointer_ends_a_chain() -> None:
    facts = body_facts("p[n] = n + 1;")
    (store,) = facts.accesses
    assert list(pointers_of(store.operands[1], facts.points_to)) == [store.operands[1]]
