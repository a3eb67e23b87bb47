"""What threads find in memory while a block is run."""

from __future__ import annotations

import pytest
from analyses.block_execution.watching import events
from analyses.kernels import facts_of

from warplint.analyzer.analyses.block_execution.thread_vectors import entries


def placed(body: str, threads: int = 8) -> list[object]:
    """Where each thread stores last, counted from thread 0; None where it is not known."""
    text = f"""__global__ void k(int *p, int *out, int n) {{
        __shared__ int s[64]; int t = threadIdx.x; {body} }}"""
    *_, event = events(facts_of(text, (threads, 1, 1)))
    places = list(entries(event.addresses, threads))
    known = [each for each in places if each is not None]
    return [None if each is None else (each - min(known)) // 4 for each in places]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("s[t] = 7 - t; __syncthreads(); out[s[t]] = 1;", list(range(7, -1, -1))),
        ("s[t] = t * 2; __syncthreads(); out[s[t ^ 1]] = 1;", [2, 0, 6, 4, 10, 8, 14, 12]),
        ("out[t + p[n]] = 1;", list(range(8))),  # a number that all agree on
        ("out[p[t]] = 1;", [None] * 8),  # of each its own: not known
        ("s[t] = t; unread(s); out[s[t]] = 1;", [None] * 8),  # code that is not followed
    ],
)
def test_places_from_memory(body: str, expected: list[object]) -> None:
    assert placed(body) == expected


def test_a_counter_hands_out_places() -> None:
    """Who adds nothing finds what the first one after them does; of others nothing is known."""
    found = placed("int at = atomicAdd(&p[0], t < 3 ? 0 : 1); out[at] = t;")
    assert found[:4] == [0, 0, 0, 0]
    assert found[4:] == [None] * 4
    assert placed("int at = atomicAdd(&p[0], 1); out[at] = t;") == [None] * 8


def test_a_pointer_that_the_kernel_leaves_alone() -> None:
    text = """struct T { int *data; };
    __global__ void k(T *table) { table->data[threadIdx.x] = 1; }"""
    *_, event = events(facts_of(text, (4, 1, 1)))
    start, *others = entries(event.addresses, 4)
    assert start is not None
    assert [None if each is None else each - start for each in others] == [4, 8, 12]
