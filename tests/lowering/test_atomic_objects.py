"""`cuda::atomic` and `cuda::atomic_ref` become accesses with a scope and an order."""

from __future__ import annotations

import pytest
from lowering.test_calls import body

from warplint.analyzer.ir.operations import AccessKind, Fence, MemoryAccess

_REF = "cuda::atomic_ref<int, cuda::thread_scope_block> r(*p); "


def _first(text: str, before: str = "") -> MemoryAccess:
    accesses = [o for o in body(text, before).operations() if isinstance(o, MemoryAccess)]
    return accesses[0]


@pytest.mark.parametrize(
    ("use", "kind", "atomic", "order"),
    [
        ("r.load(cuda::memory_order_acquire);", AccessKind.LOAD, "", "acquire"),
        ("p[1] = r;", AccessKind.LOAD, "", "seq_cst"),
        ("r.store(1, cuda::std::memory_order::release);", AccessKind.STORE, "", "release"),
        ("r = 3;", AccessKind.STORE, "", "seq_cst"),
        ("r.fetch_add(1, cuda::memory_order_relaxed);", AccessKind.ATOMIC, "add", "relaxed"),
        ("r.fetch_max(n);", AccessKind.ATOMIC, "max", "seq_cst"),
        ("r.exchange(n);", AccessKind.ATOMIC, "exch", "seq_cst"),
        ("r.compare_exchange_weak(n, 2);", AccessKind.ATOMIC, "cas", "seq_cst"),
        ("r++;", AccessKind.ATOMIC, "add", "seq_cst"),
        ("--r;", AccessKind.ATOMIC, "sub", "seq_cst"),
        ("r |= 4;", AccessKind.ATOMIC, "or", "seq_cst"),
    ],
)
def test_operations(use: str, kind: AccessKind, atomic: str, order: str) -> None:
    access = _first(_REF + use)
    assert (access.kind, access.atomic, access.scope) == (kind, atomic, "block")
    assert (access.name.rpartition(".")[2], access.width) == (order, 4)


@pytest.mark.parametrize(
    ("declared", "scope"),
    [
        ("cuda::atomic_ref<int, cuda::thread_scope_device> r{*p}; r++;", "device"),
        ("cuda::atomic_ref<int> r(*p); r++;", "system"),
        ("cuda::atomic_ref r(*p); r++;", "system"),
        ("auto r = cuda::atomic_ref<int, cuda::thread_scope_block>(*p); r++;", "block"),
        ("cuda::atomic_ref<int, cuda::thread_scope_thread>(*p).fetch_add(1);", "block"),
        ("__shared__ cuda::atomic<int, cuda::thread_scope_block> r; r++;", "block"),
        ("counter++;", "device"),
    ],
)
def test_scopes(declared: str, scope: str) -> None:
    before = "__device__ cuda::atomic<int, cuda::thread_scope_device> counter;"
    assert _first(declared, before).scope == scope


def test_references_by_value() -> None:
    before = "template <typename R> __device__ void count(R r) { r.fetch_add(2); }"
    access = _first(_REF + "count(r);", before)
    assert (access.atomic, access.scope) == ("add", "block")


@pytest.mark.parametrize(
    ("call", "scope"),
    [
        ("cuda::atomic_thread_fence(cuda::memory_order_seq_cst);", "system"),
        (
            "cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);",
            "block",
        ),
    ],
)
def test_fences(call: str, scope: str) -> None:
    (fence,) = [o for o in body(call).operations() if isinstance(o, Fence)]
    assert fence.scope == scope
