"""Reads that the atomic operation behind them makes up for."""

from __future__ import annotations

import pytest
from analyses.doubts.candidates_of import kernel

from warplint.analyzer.analyses.conflicts.optimistic_reads import (
    is_optimistic_read,
    takes_unfinished,
)
from warplint.analyzer.analyses.pointers.memory_model import ATOMIC
from warplint.analyzer.ir.operations import AccessKind


def answers(body: str) -> tuple[bool, bool]:
    facts = kernel(body)
    atomic = next(each for each in facts.accesses if each.kind in ATOMIC)
    item = facts.points_to.object_of(atomic)
    read = next(
        each
        for each in facts.accesses
        if each.kind is AccessKind.LOAD and facts.points_to.object_of(each) is item
    )
    one = is_optimistic_read(facts, read, atomic), takes_unfinished(facts, read, atomic)
    other = is_optimistic_read(facts, atomic, read), takes_unfinished(facts, atomic, read)
    assert one == other
    return one


@pytest.mark.parametrize(
    ("body", "optimistic", "takes"),
    [
        ("if (n < flag) atomicMin(&flag, n);", True, False),
        ("int o = flag; while (atomicCAS(&flag, o, o + n) != o) o = flag;", True, False),
        ("if (flag < n) atomicAdd(&flag, 1);", False, False),
        ("if (flag < n) out[t] = atomicAdd(&flag, 1);", True, False),  # asks again
        ("out[t] = flag; atomicAdd(&flag, 1);", False, True),
        ("out[t] = flag + 1; atomicAdd(&flag, 1);", False, False),  # no copy of it
        ("if (flag == 0) atomicExch(&flag, 1);", True, False),
        ("int l[2]; l[n & 1] = flag; atomicCAS(&flag, l[0], n);", True, False),
    ],
)
def test_what_a_read_is_for(body: str, *, optimistic: bool, takes: bool) -> None:
    assert answers(body) == (optimistic, takes)


def test_what_is_merged_into_the_same_place_again() -> None:
    body = """s[0] = out[0]; __syncthreads(); atomicMin(&s[0], in[t]); __syncthreads();
    if (t == 0) {}(&out[0], s[0]);"""
    facts = kernel(body.replace("{}", "atomicMin"))
    read = next(each for each in facts.accesses if each.name == "out[0]")
    (*_, merge) = (each for each in facts.accesses if each.kind in ATOMIC)
    assert not takes_unfinished(facts, read, merge)
    other = kernel(body.replace("{}", "atomicAdd"))
    read = next(each for each in other.accesses if each.name == "out[0]")
    (*_, merge) = (each for each in other.accesses if each.kind in ATOMIC)
    assert takes_unfinished(other, read, merge)
