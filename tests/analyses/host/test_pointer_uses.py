"""Pointers on the wrong side, pointers used after they were given back, and hasty accesses."""

from __future__ import annotations

import pytest
from analyses.host.host_facts import host_facts

from warplint.analyzer.analyses.host.pointer_uses import (
    Misuse,
    accesses_too_early,
    mixed_up,
    used_after_free,
)

HEAP = "float *h = (float *)malloc(4 * n);"
DEVICE = "float *d; cudaMalloc(&d, 4 * n);"
SHARED = "float *m; cudaMallocManaged(&m, 4 * n);"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{HEAP} k<<<1, 32>>>(h, n);", [(Misuse.TO_KERNEL, "k")]),
        (f"{DEVICE} k<<<1, 32>>>(d, n);", []),
        (f"{SHARED} k<<<1, 32>>>(m, n);", []),
        (f"{DEVICE} d[0] = 1;", [(Misuse.FOLLOWED, "")]),
        (f"{HEAP} h[0] = 1;", []),
        (f"{DEVICE} free(d);", [(Misuse.GIVEN_BACK, "free")]),
        (f"{HEAP} cudaFree(h);", [(Misuse.GIVEN_BACK, "cudaFree")]),
        (f"{HEAP} free(h); {DEVICE} cudaFree(d);", []),
        (f"{DEVICE} memset(d, 0, 4);", [(Misuse.FOLLOWED, "memset")]),
        (f"{DEVICE} cudaMemset(d, 0, 4);", []),
    ],
)
def test_the_wrong_side(body: str, expected: list[tuple[Misuse, str]]) -> None:
    assert [(each.misuse, each.user) for each in mixed_up(host_facts(body))] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{DEVICE} cudaFree(d); k<<<1, 32>>>(d, n);", [("k", False)]),
        (f"{DEVICE} k<<<1, 32>>>(d, n); cudaFree(d);", []),
        (f"{DEVICE} cudaFree(d); cudaFree(d);", [("cudaFree", True)]),
        (f"{DEVICE} cudaFree(d); cudaMalloc(&d, 4); cudaFree(d);", []),
        (f"{SHARED} cudaFree(m); m[0] = 1;", [("", False)]),
        (f"{DEVICE} cudaFree(d); cudaMemset(d, 0, 4);", [("cudaMemset", False)]),
    ],
)
def test_after_it_was_given_back(body: str, expected: list[tuple[str, bool]]) -> None:
    assert [(each.user, each.again) for each in used_after_free(host_facts(body))] == expected


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("cudaFree(d); cudaFree(d);", ("e",)),
        ("cudaFree(d); cudaFree(d); cudaFree(e);", ()),
        ("cudaFree(d); cudaFree(d); cudaFree(another());", ()),  # perhaps that
    ],
)
def test_what_may_be_meant_by_giving_back_twice(body: str, left: tuple[str, ...]) -> None:
    both = f"{DEVICE} float *e; cudaMalloc(&e, 4 * n); {HEAP} {body}"
    (found,) = used_after_free(host_facts(both))
    assert found.left == left


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (f"{SHARED} k<<<1, 32>>>(m, n); m[0] = 1;", 1),
        (f"{SHARED} k<<<1, 32>>>(m, n); m[0] = 1; m[1] = 2;", 1),  # of one launch the first
        (f"{SHARED} k<<<1, 32>>>(m, n); cudaDeviceSynchronize(); m[0] = 1;", 0),
        (f"{SHARED} m[0] = 1; k<<<1, 32>>>(m, n);", 0),
        (f"{DEVICE} k<<<1, 32>>>(d, n); d[0] = 1;", 0),  # wrong for another reason
        (
            f"{SHARED} k<<<1, 32>>>(m, n); m[0] = 1; cudaDeviceSynchronize();"
            "k<<<1, 32>>>(m, n); m[0] = 1;",
            2,
        ),
    ],
)
def test_before_the_work_is_done(body: str, count: int) -> None:
    assert len(list(accesses_too_early(host_facts(body)))) == count
