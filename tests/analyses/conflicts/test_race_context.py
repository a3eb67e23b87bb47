"""What the numbers that were assumed have a part in."""

from __future__ import annotations

import pytest
from analyses.block_execution.watching import events
from analyses.doubts.candidates_of import kernel
from analyses.kernels import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.access_events import ThreadAccess
from warplint.analyzer.analyses.conflicts.race_context import RaceContext
from warplint.analyzer.ir.asynchronous import SizedAccess
from warplint.analyzer.ir.operations import MemoryAccess
from warplint.analyzer.ir.values import Special


def last(body: str) -> tuple[RaceContext, MemoryAccess]:
    facts = kernel(body)
    (*_, access) = (each for each in facts.accesses if each.name[0] == "s")
    return RaceContext(facts.launches[0]), access


@pytest.mark.parametrize(
    ("body", "numbers", "leaves", "peculiar"),
    [
        ("s[t] = 1;", False, False, False),
        ("s[t + n] = 1;", True, True, False),
        ("if (t < n) s[t] = 1;", True, True, False),
        ("for (int i = 0; i < n; i++) s[t] = 1;", True, False, False),  # how often
        ("for (int i = 0; i < n; i++) s[t + i] = 1;", True, True, False),
        ("s[t & n] = 1;", True, True, True),  # only some numbers are masks
        ("s[(t + n) & 3] = 1;", True, True, False),  # a remainder
        ("s[(t + n) & (blockDim.x - 1)] = 1;", True, True, False),
        ("s[(t + n) & (n - 1)] = 1;", True, True, True),
        ("s[t << n] = 1;", True, True, True),
        ("s[t << 2] = 1;", False, False, False),
    ],
)
def test_an_access(body: str, *, numbers: bool, leaves: bool, peculiar: bool) -> None:
    context, access = last(body)
    assert context.depends_on_numbers(access) is numbers
    assert context.leaves_by_example(access) is leaves
    assert context.is_peculiarly_placed(access) is peculiar


def test_the_bytes_that_are_filled_are_an_example_where_their_number_is() -> None:
    facts = kernel("memset(s + 1, 0, n);")
    (access,) = (each for each in facts.accesses if isinstance(each, SizedAccess))
    context = RaceContext(facts.launches[0])
    assert not context.depends_on_numbers(access)  # where it begins
    assert context.leaves_by_example(access)  # where it ends


def test_what_decides_with_and_without_loops() -> None:
    context, access = last("if (t < n) for (int i = 0; i < in[0]; i++) s[t] = 1;")
    every, but_loops = (context.decides(access, loops=loops) for loops in (True, False))
    assert but_loops < every
    assert any(isinstance(each, MemoryAccess) for each in every - but_loops)


def test_a_block_that_nobody_states() -> None:
    text = "__global__ {} void k(int *p) {{ p[threadIdx.x + blockDim.x] = 1; p[threadIdx.x] = 2; }}"
    for bounds, expected in (("__launch_bounds__(64)", [True, False]), ("", [True, False])):
        facts = facts_of(text.format(bounds))
        context = RaceContext(facts.launches[0])
        assert [context.depends_on_block(each) for each in facts.accesses] == expected
    stated = facts_of(text.format(""), (64, 1, 1))
    context = RaceContext(stated.launches[0])
    assert not any(context.depends_on_block(each) for each in stated.accesses)


@settings(max_examples=20)
@given(st.tuples(st.integers(1, 8), st.integers(1, 8), st.integers(1, 4)), st.data())
def test_what_tells_a_thread_from_the_others(
    block: tuple[int, int, int], data: st.DataObject
) -> None:
    facts = facts_of("__global__ void k(int *p) { p[threadIdx.x] = 1; }", block)
    context = RaceContext(facts.launches[0])
    x, y, z = block
    thread = data.draw(st.integers(0, x * y * z - 1))
    (event,) = events(facts)
    index = context.index_of(ThreadAccess(event, thread, True))
    place = [index[each] for each in (Special.THREAD_X, Special.THREAD_Y, Special.THREAD_Z)]
    assert all(0 <= at < size for at, size in zip(place, block, strict=True))
    assert place[0] + x * (place[1] + y * place[2]) == thread
    assert index[Special.WARP] * 32 + index[Special.LANE] == thread


def test_what_is_run_aside_leaves_nothing_unfinished() -> None:
    context, _ = last("s[t] = 1;")
    with context.aside():
        context.launch.facts.unfinished.add("a loop")
    assert context.launch.facts.unfinished == set()
