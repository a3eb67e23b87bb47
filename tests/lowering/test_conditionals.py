"""Places that `?:` names, and references written in any way."""

from __future__ import annotations

import pytest
from lowering.test_calls import body

from warplint.analyzer.ir.operations import AccessKind, MemoryAccess


@pytest.mark.parametrize(
    "statements",
    [
        "int &x(s); x = 3;",
        "int &x{s}; x = 3;",
        "int r; int &x(sizeof(int) == 4 ? s : r); x = 3;",
        "int r; int &x = sizeof(int) == 2 ? r : s; x = 3;",
        "__shared__ int other; int &x = n ? s : other; x = 3;",
    ],
)
def test_a_reference_stores_where_it_leads(statements: str) -> None:
    accesses = [
        each
        for each in body(f"__shared__ int s; {statements}").operations()
        if isinstance(each, MemoryAccess)
    ]
    assert [each.kind for each in accesses] == [AccessKind.STORE]


def test_a_register_is_no_memory() -> None:
    accesses = body("__shared__ int s; int r; int &x(sizeof(int) == 2 ? s : r); x = 3; p[0] = x;")
    (store,) = [each for each in accesses.operations() if isinstance(each, MemoryAccess)]
    assert store.kind is AccessKind.STORE
