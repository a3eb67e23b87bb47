"""Stores whose value depends on nothing but their place."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, last_of

from warplint.analyzer.analyses.conflicts.address_determined_stores import determined_by_address
from warplint.analyzer.analyses.conflicts.tracked_accesses import Tracked
from warplint.analyzer.ir.operations import AccessKind
from warplint.analyzer.ir.values import Special

PARAMETERS = "int *out, const int *in, int n, float *f"
HEAD = "int x = threadIdx.x, y = threadIdx.y, i = x % 8 + y; __shared__ int s[256];"


def told(store: str, *shared: Special, calls: bool = False) -> bool:
    facts = body_facts(f"{HEAD} {store}", (16, 16, 1), PARAMETERS)
    access = last_of(facts, AccessKind.STORE)
    tracked = Tracked(facts.launches[0])
    return determined_by_address(tracked, access, frozenset(shared), calls=calls)


@pytest.mark.parametrize(
    ("store", "perhaps"),
    [
        ("out[i] = unread(i);", True),
        ("out[i] = unread(in[i], n) + 1;", True),
        ("out[i] = unread(x);", False),
        ("out[i] = unread();", False),  # it may count
    ],
)
def test_functions_that_were_not_read(store: str, perhaps: bool) -> None:
    assert not told(store)
    assert told(store, calls=True) is perhaps


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        ("out[i] = in[i];", True),
        ("out[i] = i * 2 + n;", True),
        ("out[i] = n;", True),
        ("out[2 * i] = in[i];", True),
        ("out[i + 5] = in[i];", True),
        ("out[i] = in[i] + in[i + 1];", True),
        ("out[i] = x;", False),  # several threads come to one place
        ("out[i] = in[x];", False),
        ("out[i * n] = in[i];", False),  # n may be zero
        ("out[i * blockDim.x] = in[i];", True),
        ("out[i / 2] = in[i];", False),  # two numbers at one place
        ("out[i & 3] = in[i];", False),
        ("s[i] = 1; out[i] = s[i];", False),  # which another thread may have changed
        ("out[i] = i > 3 ? in[i] : 7;", True),
        ("out[i] = x > 3 ? in[i] : 7;", False),
        ("out[i] = atomicAdd(&s[0], 1);", False),
        ("int l[4]; l[n & 3] = x; out[i] = l[i & 3];", False),
    ],
)
def test_what_the_place_tells(store: str, *, expected: bool) -> None:
    assert told(store) is expected


def test_indices_that_the_threads_share_tell_as_well() -> None:
    store = "int h = x / 2; out[y * 16 + h] = in[y] + h;"
    assert not told(store)
    assert told(store, Special.THREAD_Y)
    assert not told("out[y * 16 + x / 2] = in[x];", Special.THREAD_Y)
