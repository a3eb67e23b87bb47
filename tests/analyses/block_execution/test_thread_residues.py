"""What is known of an integer in every thread, against loops and choices that are run."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts
from hypothesis import given, settings
from hypothesis import strategies as st

from warplint.analyzer.analyses.block_execution.thread_residues import (
    ANYTHING,
    Residue,
    ThreadResidues,
)

THREADS = 16


def residue(body: str) -> Residue:
    facts = body_facts(f"int t = threadIdx.x; {body}", (THREADS, 1, 1))
    residues = ThreadResidues(facts.launches[0])
    store = next(each for each in facts.accesses if each.writes)
    return residues.of(store.operands[1])


def holds(found: Residue, thread: int, value: int) -> bool:
    offset = found.offsets if isinstance(found.offsets, int) else found.offsets[thread]
    return value == offset if found.modulus == 0 else (value - offset) % found.modulus == 0


@settings(max_examples=40)
@given(
    st.integers(-5, 5), st.integers(-9, 9), st.integers(0, 12), st.integers(-4, 6), st.booleans()
)
def test_every_value_of_a_loop(
    factor: int, start: int, step: int, other: int, chosen: bool
) -> None:
    """A counter that data moves by one of two steps, any number of times."""
    moved = f"if (p[i]) x += {step}; else x += {other};" if chosen else f"x += {step};"
    body = f"int x = t * {factor} + {start}; for (int i = 0; i < n; i++) {{ {moved} }} p[0] = x;"
    found = residue(body)
    for thread in range(THREADS):
        first = thread * factor + start
        for a in range(4):
            for b in range(4) if chosen else (0,):
                assert holds(found, thread, first + a * step + b * other)
    if not chosen and abs(step) > 1:
        assert found.modulus == abs(step)


@pytest.mark.parametrize(
    ("value", "modulus", "offsets"),
    [
        ("5", 0, 5),
        ("t", 0, tuple(range(THREADS))),
        ("t * 2 + 1", 0, tuple(range(1, 2 * THREADS, 2))),
        ("n", 1, 0),
        ("n * 8 + t", 8, tuple(i % 8 for i in range(THREADS))),
        ("n * 8 + 3", 8, 3),
        ("n << 2", 4, 0),
        ("t < 4", 0, (1,) * 4 + (0,) * 12),
        ("(n * 8 + t) & 7", 0, tuple(i % 8 for i in range(THREADS))),
        ("p[3]", 1, 0),
        ("(int)blockDim.x", 0, THREADS),
        ("(int)blockIdx.x * 16 + t", 16, tuple(range(THREADS))),
        ("t / 4", 0, tuple(i // 4 for i in range(THREADS))),
    ],
)
def test_values(value: str, modulus: int, offsets: int | tuple[int, ...]) -> None:
    assert residue(f"p[0] = {value};") == Residue(modulus, offsets)


def test_what_is_exact() -> None:
    assert Residue(0, 7).exact == 7
    assert Residue(4, 3).exact is None
    assert ANYTHING.exact is None


@pytest.mark.parametrize(
    ("guard", "threads"),
    [
        ("if (t < 5)", set(range(5))),
        ("if (t >= 5)", set(range(5, THREADS))),
        ("if (t < 9) if (t > 3)", set(range(4, 9))),
        ("if (n > 3)", set(range(THREADS))),  # all that may come
        ("if (p[t])", set(range(THREADS))),
        ("", set(range(THREADS))),
        ("if (t > 99)", set()),
    ],
)
def test_threads_that_may_come(guard: str, threads: set[int]) -> None:
    facts = body_facts(f"int t = threadIdx.x; {guard} p[0] = 1;", (THREADS, 1, 1))
    store = next(each for each in facts.accesses if each.writes)
    assert ThreadResidues(facts.launches[0]).threads_at(store.block) == threads
