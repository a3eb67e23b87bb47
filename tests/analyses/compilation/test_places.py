"""The order of places, and where jumps lead."""

from __future__ import annotations

from analyses.kernels import body_facts

from warplint.analyzer.analyses.compilation.places import Places
from warplint.analyzer.analyses.compilation.unrolling import Copies

BODY = "int s = 0; for (int i = 0; i < n; ++i) s += p[i]; p[0] = s;"


def test_copies_follow_one_another_and_what_is_behind_the_loop_comes_last() -> None:
    facts = body_facts(BODY)
    (loop,) = facts.flow.loops
    places = Places(facts.flow, {loop.header: Copies(2, whole=True)})
    header = loop.header
    (behind,) = (each for each in header.successors if each not in loop.blocks)
    first, second = (header, (0,)), (header, (1,))
    (latch,) = loop.latches
    assert places.behind((latch, (0,)), header) == second
    assert places.behind((latch, (1,)), header) == (header, (2,))
    assert places.behind((latch, (2,)), header) is None
    assert places.behind(second, behind) == (behind, ())
    order = [first, (latch, (0,)), second, (latch, (1,)), (behind, ())]
    assert sorted(order, key=places.order) == order
    assert not places.is_loop(first)


def test_copies_of_a_part_jump_back_to_the_first() -> None:
    facts = body_facts(BODY)
    (loop,) = facts.flow.loops
    places = Places(facts.flow, {loop.header: Copies(2, whole=False)})
    (latch,) = loop.latches
    assert places.behind((latch, (1,)), loop.header) == (loop.header, (0,))
    assert places.is_loop((loop.header, (0,)))
    assert places.is_copied_test((loop.header, (1,)))
    assert not places.is_copied_test((loop.header, (0,)))


def test_iterations_that_are_left_over_have_a_loop_behind() -> None:
    facts = body_facts(BODY)
    (loop,) = facts.flow.loops
    places = Places(facts.flow, {loop.header: Copies(2, whole=False, rest=True)})
    header, (latch,) = loop.header, loop.latches
    (behind,) = (each for each in header.successors if each not in loop.blocks)
    rest = (header, (2,))
    assert places.behind((header, (0,)), behind) == rest
    assert places.is_loop(rest)
    assert places.is_rest(rest)
    assert not places.is_rest((header, (0,)))
    assert places.behind((latch, (2,)), header) == rest
    assert places.behind(rest, behind) == (behind, ())
    assert places.headers((latch, (2,))) == [rest]
    assert places.headers((latch, (1,))) == [(header, (0,))]
    assert [places.copy((latch, (number,))) for number in range(3)] == [0, 1, 0]
    assert places.innermost((latch, (1,))) is header
    assert places.innermost((behind, ())) is None


def test_a_loop_that_is_not_copied_is_one() -> None:
    facts = body_facts(BODY)
    (loop,) = facts.flow.loops
    places = Places(facts.flow, {})
    assert places.is_loop((loop.header, ()))
    assert places.behind((loop.latches[0], ()), loop.header) == (loop.header, ())
