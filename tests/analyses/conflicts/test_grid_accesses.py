"""Accesses by which blocks may get in each other's way, and what they may have arranged."""

from __future__ import annotations

import pytest
from analyses.kernels import facts_of

from warplint.analyzer.analyses.conflicts.grid_accesses import GridAccesses

TAKE, GIVE = "while (atomicCAS(lock, 0, 1) != 0) {}", "atomicExch(lock, 0);"


def accesses(body: str) -> GridAccesses:
    text = f"""__global__ void k(const int *in, int *out, int *lock, volatile int *v, int n) {{
        __shared__ int s[64]; int t = threadIdx.x; {body} }}"""
    return GridAccesses(facts_of(text, (64, 1, 1), (8, 1, 1)).launches[0])


def names(body: str) -> list[str]:
    return [each.name for each in accesses(body).order]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("out[t] = in[t];", ["out[t]"]),
        ("out[t] = out[t + 1];", ["out[t + 1]", "out[t]"]),
        ("s[t] = 1; out[t] = s[t];", ["out[t]"]),
        ("if (in[t] > 3) out[t] = 1;", []),  # any block may have set a flag there
        ("if (n > 3) out[t] = 1;", ["out[t]"]),
        ("out[in[t]] = 1;", []),  # a place from memory
        ("while (v[0] == 0) {} out[t] = 1;", []),  # what comes after a wait
        ("out[t] = 1; while (v[0] == 0) {}", ["out[t]"]),
        (f"{TAKE} out[0] = n; {GIVE}", ["out[0]"]),
        ("if (atomicAdd(lock, 1) == 7) out[t] = 1;", []),  # the last block
    ],
)
def test_which_are_compared(body: str, expected: list[str]) -> None:
    assert [name for name in names(body) if name.startswith("out")] == expected


def test_pairs_that_conflict() -> None:
    found = accesses("out[t] = 1; n = out[t + 1]; atomicAdd(&out[2], n);")
    store, load, atomic = found.order
    assert found.conflict(store, store)
    assert found.conflict(store, load)
    assert found.conflict(load, atomic)
    assert found.conflict(store, atomic)
    assert not found.conflict(load, load)
    assert not found.conflict(atomic, atomic)


def test_a_lock_keeps_apart_what_is_done_under_it() -> None:
    found = accesses(f"{TAKE} out[0] = n; {GIVE} out[1] = n;")
    guarded, other = (each for each in found.order if each.name.startswith("out"))
    assert not found.conflict(guarded, guarded)
    assert found.conflict(guarded, other)


def test_volatile_accesses_are_meant_for_others() -> None:
    found = accesses("v[t] = 1; v[t + 1] = 2; atomicAdd((int *)&v[2], 1);")
    first, second, atomic = found.order
    assert not found.conflict(first, second)
    assert found.conflict(first, atomic)  # which loses it


def test_one_pair_of_each_kind_is_enough() -> None:
    found = accesses(" ".join(f"out[t + {i}] = {i};" for i in range(9)))
    pairs = list(found.examples())
    assert 0 < len(pairs) <= 3
    assert all(found.conflict(*pair) for pair in pairs)
    assert len(list(found.examples(lambda each: each))) == 45
    assert found.unit == 4
