"""What threads do when they come to an access: who, where, how many bytes."""

from __future__ import annotations

import pytest
from analyses.block_execution.watching import events
from analyses.kernels import facts_of, ptx_facts

from warplint.analyzer.analyses.block_execution.thread_vectors import everyone


def test_each_thread_at_its_place() -> None:
    facts = facts_of("__global__ void k(int *p) { p[threadIdx.x * 2] = threadIdx.x; }", (4, 1, 1))
    (event,) = events(facts)
    assert event.access is facts.accesses[0]
    assert (event.must, event.may, event.width, event.iterations) == (everyone(4), 0, 4, ())
    start, *others = event.addresses.entries  # type: ignore[union-attr]
    assert [other - start for other in others] == [8, 16, 24]
    assert event.stored.entries == (0, 1, 2, 3)  # type: ignore[union-attr]


def test_threads_that_may_come() -> None:
    text = "__global__ void k(int *p) { if (p[threadIdx.x]) p[threadIdx.x + 9] = 1; }"
    _, event = events(facts_of(text, (4, 1, 1)))
    assert (event.must, event.may) == (0, everyone(4))


@pytest.mark.parametrize(("bytes", "width"), [("64", 64), ("%r5", None)])
def test_bulk_copies_have_the_size_that_they_are_given(bytes: str, width: int | None) -> None:
    body = f"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], {bytes};"
    (event,) = events(ptx_facts(body, (32, 1, 1)))
    assert event.width == width


def test_iterations_of_the_loops_around() -> None:
    text = """__global__ void k(int *p) {
        for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) p[threadIdx.x] = i; }"""
    found = [event.iterations for event in events(facts_of(text, (4, 1, 1)))]
    assert found == [(i, j) for i in range(2) for j in range(3)]
