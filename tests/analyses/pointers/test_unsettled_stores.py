"""Stores that other threads may not see yet, against all paths through small programs."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from analyses.kernels import body_facts, last_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.pointers.unsettled_stores import UnsettledStores
from warplint.analyzer.ir.operations import AccessKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warplint.analyzer.analyses.facts import KernelFacts

#: What a thread does; a tuple is a choice of two programs, a list one that is done any time.
Step = str | tuple[list["Step"], list["Step"]]
PLAIN = st.sampled_from(["store a", "store b", "load a", "load b", "block", "warp"])
programs: st.SearchStrategy[list[Step]] = st.recursive(
    st.lists(PLAIN, max_size=5),
    lambda inner: st.lists(PLAIN | st.tuples(inner, inner), max_size=5),
    max_leaves=3,
)
TEXTS = {"block": "__syncthreads();", "warp": "__syncwarp();"}


def stores_of(facts: KernelFacts) -> UnsettledStores:
    return UnsettledStores(facts.kernel, facts.points_to)


def text_of(program: list[Step], numbers: Iterator[int]) -> str:
    text = ""
    for step in program:
        if isinstance(step, tuple):
            first, second = (text_of(each, numbers) for each in step)
            text += f"if (n > {next(numbers)}) {{ {first} }} else {{ {second} }} "
        elif step in TEXTS:
            text += TEXTS[step]
        elif step.startswith("store"):
            text += f"{step[-1]}[t] = n;"
        else:
            text += f"p[{next(numbers)}] = {step[-1]}[t];"
    return text


States = set[tuple[frozenset[str], frozenset[str]]]


def walk(program: list[Step], states: States, found: list[tuple[bool, bool]]) -> States:
    """All states after the program; for each load whether a warp, or the block, may differ."""
    for step in program:
        if isinstance(step, tuple):
            states = walk(step[0], states, found) | walk(step[1], states, found)
        elif step == "block":
            states = {(frozenset(), frozenset())}
        elif step == "warp":
            states = {(stored, frozenset()) for stored, _ in states}
        elif step.startswith("store"):
            states = {(a | {step[-1]}, b | {step[-1]}) for a, b in states}
        else:
            name = step[-1]
            found.append((any(name in b for _, b in states), any(name in a for a, _ in states)))
    return states


@settings(max_examples=60)
@given(programs)
def test_against_every_path(program: list[Step]) -> None:
    body = f"__shared__ int a[64], b[64]; int t = threadIdx.x; {text_of(program, count())}"
    facts = body_facts(body)
    stores = stores_of(facts)
    loads = [each for each in facts.accesses if each.kind is AccessKind.LOAD]
    found = [(stores.unsettled(load), stores.unsettled_in_block(load)) for load in loads]
    expected: list[tuple[bool, bool]] = []
    walk(program, {(frozenset(), frozenset())}, expected)
    assert sorted(found) == sorted(expected)


def last_load(body: str) -> tuple[bool, bool, bool]:
    facts = body_facts(f"__shared__ int a[64]; __shared__ int2 v[8]; int t = threadIdx.x; {body}")
    stores = stores_of(facts)
    load = last_of(facts, AccessKind.LOAD)
    return stores.is_written(load), stores.unsettled(load), stores.unsettled_in_block(load)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[0] = a[t];", (False, False, False)),
        ("p[0] = a[t]; a[t] = 1;", (True, False, False)),
        ("for (int i = 0; i < n; i++) { p[9] = a[t]; a[t] = 1; }", (True, True, True)),
        (
            "for (int i = 0; i < n; i++) { p[9] = a[t]; a[t] = 1; __syncthreads(); }",
            (True, False, False),
        ),
        (
            "for (int i = 0; i < n; i++) { p[9] = a[t]; a[t] = 1; __syncwarp(); }",
            (True, False, True),
        ),
        ("v[t].x = 1; p[0] = v[0].y;", (False, False, False)),  # another member
        ("v[t].y = 1; p[0] = v[0].y;", (True, True, True)),
        ('asm volatile("weird %0;" :: "r"(n)); p[0] = a[t];', (True, True, True)),
    ],
)
def test_single_cases(body: str, expected: tuple[bool, bool, bool]) -> None:
    assert last_load(body) == expected
