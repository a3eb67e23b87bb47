"""What pointers in memory lead to: what was stored, what the host put there, what is not known."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st
from ir.graphs import WHERE

from warplint.analyzer.analyses.pointers.pointer_contents import (
    NOTHING,
    SOMETHING,
    PointerContents,
    displacement,
    few,
)
from warplint.analyzer.ir.memory import MemoryObject, Space
from warplint.analyzer.ir.operations import AccessKind, Opcode, Operation
from warplint.analyzer.ir.types import INT32, UNKNOWN

BASE = 0x7F00


def item(name: str, space: Space) -> MemoryObject:
    return MemoryObject(name, space, UNKNOWN, None, span=WHERE.span)


GLOBAL, SHARED = item("g", Space.GLOBAL), item("s", Space.SHARED)
LOCAL, OTHER = item("l", Space.LOCAL), item("t", Space.SHARED)


def reader() -> Operation:
    load, _ = body_facts("p[0] = p[1];").accesses
    return load


def test_what_is_stored_is_held() -> None:
    contents = PointerContents()
    contents.store(frozenset({SHARED}), frozenset({GLOBAL}))
    assert contents.held(reader(), frozenset({SHARED})) == {GLOBAL}
    assert contents.held(reader(), frozenset({OTHER})) == NOTHING


def test_the_host_puts_pointers_to_global_memory_into_it() -> None:
    contents, read = PointerContents(), reader()
    (behind,) = contents.held(read, frozenset({GLOBAL}))
    assert behind is not None
    assert behind.space is Space.GLOBAL
    assert behind.name == "*(g[4])"
    assert contents.held(read, frozenset({GLOBAL})) == {behind}
    assert contents.held(read, frozenset({LOCAL})) == NOTHING
    # Pointers behind pointers are told apart for a while.
    last: MemoryObject | None = behind
    for _ in range(9):
        assert last is not None
        (last,) = contents.held(read, frozenset({last}))
    assert contents.held(read, frozenset({last})) == {last}


def test_who_has_looked_is_asked_again() -> None:
    contents, read = PointerContents(), reader()
    contents.held(read, frozenset({SHARED}))
    assert contents.again == set()
    contents.store(frozenset({OTHER}), frozenset({GLOBAL}))
    assert contents.again == set()
    contents.store(frozenset({SHARED}), frozenset({GLOBAL}))
    assert contents.again == {read}
    contents.again.clear()
    contents.store(frozenset({SHARED}), frozenset({GLOBAL}))
    assert contents.again == set()  # nothing new


def test_a_store_to_an_unknown_place_may_meet_what_is_within_reach() -> None:
    contents, read = PointerContents(), reader()
    contents.store(SOMETHING, frozenset({OTHER}))
    assert contents.held(read, frozenset({SHARED})) == NOTHING  # nobody has its address
    contents.expose(frozenset({SHARED}))
    assert contents.held(read, frozenset({SHARED})) == {OTHER}
    assert contents.held(read, frozenset({OTHER})) == {OTHER}  # its address was stored


def test_code_that_is_not_followed_writes_what_it_was_given_and_what_lies_behind() -> None:
    contents, read = PointerContents(), reader()
    contents.store(frozenset({SHARED}), frozenset({LOCAL}))
    contents.forget(Operation(Opcode.NEG, INT32, [], WHERE), frozenset({SHARED}))
    for place in (SHARED, LOCAL):
        assert None in contents.held(read, frozenset({place}))
    assert contents.held(read, frozenset({OTHER})) == NOTHING


def test_a_pointer_that_nothing_stores_is_not_known_in_the_end() -> None:
    contents, read = PointerContents(), reader()
    assert contents.settle(read, NOTHING) == NOTHING
    assert contents.empty == {read}
    contents.settled = True
    assert contents.settle(read, NOTHING) == SOMETHING
    assert contents.settle(read, frozenset({LOCAL})) == {LOCAL}
    assert contents.empty == set()


def test_of_too_many_targets_nothing_is_told() -> None:
    many = frozenset(item(f"o{i}", Space.GLOBAL) for i in range(65))
    assert few(many) == SOMETHING
    assert few(frozenset(list(many)[:64])) == frozenset(list(many)[:64])
    contents, read = PointerContents(), reader()
    contents.store(frozenset({SHARED}), many)
    contents.store(frozenset({SHARED}), frozenset({GLOBAL}))
    assert contents.held(read, frozenset({SHARED})) == SOMETHING


MOVES = st.one_of(
    st.tuples(st.just("+"), st.integers(0, 70)),
    st.tuples(st.just("-"), st.integers(0, 70)),
    st.tuples(st.just("&"), st.sampled_from([~0, ~1, ~15, ~127, ~255])),
)


@settings(max_examples=60)
@given(st.lists(MOVES, max_size=5))
def test_the_distance_from_an_aligned_base(moves: list[tuple[str, int]]) -> None:
    body = "long long a = (long long)p;"
    expected = BASE
    for operator, number in moves:
        body += f"a = a {operator} {number}ll;"
        results = {"+": expected + number, "-": expected - number, "&": expected & number}
        expected = results[operator]
    (access,) = body_facts(f"{body} *(char *)a = 1;").accesses
    assert displacement(access.address) == expected - BASE


@pytest.mark.parametrize(
    "address",
    ["p + n", "(int *)((long long)p & ~511ll)", "(int *)((long long)p & 7)"],
)  # fmt: skip
def test_distances_that_vary_are_none(address: str) -> None:
    (access,) = body_facts(f"*({address}) = 1;").accesses
    assert displacement(access.address) is None


def test_a_pointer_from_memory_is_a_base() -> None:
    *_, store = body_facts("*(p[3] + 2) = 1;", parameters="int **p").accesses
    assert store.kind is AccessKind.STORE
    assert displacement(store.address) == 8
