"""Updates that change one bit of a word which several members of a set share."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, last_of

from warplint.analyzer.analyses.dataflow.bit_sets import sets_bits
from warplint.analyzer.ir.operations import AccessKind


def of_update(body: str) -> bool:
    """Whether the last store of the body sets bits, given the loads of its own place."""
    facts = body_facts(body, parameters="unsigned *s, const int *v, int n")
    store = last_of(facts, AccessKind.STORE)
    loads = (each for each in facts.accesses if each.kind is AccessKind.LOAD)
    own = frozenset(each for each in loads if each.address is store.address)
    return sets_bits(store, own)


HEAD = "int x = v[threadIdx.x];"


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ("s[x >> 5] |= 1u << (x & 31);", True),
        ("s[x / 32] |= 1u << (x % 32);", True),
        ("s[x >> 5] &= ~(1u << (x & 31));", True),
        ("s[x >> 5] ^= 1u << (x & 31);", True),
        ("s[x >> 5] += 1u << (x & 31);", False),  # a sum: not a set
        ("s[x] |= 1u << (x & 31);", False),  # a word for each
        ("s[x >> 5] |= 1u << (n & 31);", False),  # the same bit for all
        ("s[x >> 5] |= n << (x & 31);", False),  # more than one bit, perhaps
        ("s[x >> 5] |= x & 31;", False),
        ("s[x >> 5] = 1u << (x & 31);", False),  # no update at all
        ("s[threadIdx.x >> 5] |= 1u << (threadIdx.x & 31);", False),  # not found by data
        ("s[v[1] >> 5] |= 1u << (x & 31);", False),  # other data
    ],
)
def test_word_and_bit_are_found_by_the_same_data(update: str, expected: bool) -> None:
    assert of_update(f"{HEAD} {update}") is expected
