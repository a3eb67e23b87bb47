"""Strong accesses, loads in disguise, and stores that an atomic operation does not keep."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, ptx_facts

from warplint.analyzer.analyses.pointers.memory_model import (
    ATOMIC,
    copied_from,
    is_lost_store,
    is_of_block,
    is_part,
    is_strong,
    only_reads,
    reaches_blocks,
)
from warplint.analyzer.ir.operations import AccessKind, MemoryAccess

PARAMETERS = "int *p, const int4 *v, int n, unsigned *u"


def accesses(body: str) -> tuple[MemoryAccess, ...]:
    return body_facts(body, parameters=PARAMETERS).accesses


def ptx_access(line: str) -> MemoryAccess:
    return ptx_facts(line).accesses[-1]


@pytest.mark.parametrize(
    ("line", "strong", "of_block"),
    [
        ("ld.global.u32 %r3, [%rd1];", False, False),
        ("ld.volatile.global.u32 %r3, [%rd1];", False, False),
        ("ld.relaxed.gpu.global.u32 %r3, [%rd1];", True, False),
        ("ld.acquire.cta.global.u32 %r3, [%rd1];", True, True),
        ("st.release.sys.global.u32 [%rd1], 1;", True, False),
        ("atom.global.add.u32 %r3, [%rd1], 1;", True, False),
        ("atom.cta.global.add.u32 %r3, [%rd1], 1;", True, True),
        ("red.global.add.u32 [%rd1], 1;", True, False),
    ],
)
def test_strong_accesses_and_their_scope(line: str, *, strong: bool, of_block: bool) -> None:
    access = ptx_access(line)
    assert is_strong(access) is strong
    assert is_of_block(access) is of_block
    assert reaches_blocks(access) is (strong and not of_block)


@pytest.mark.parametrize(
    ("operation", "reads"),
    [
        ("atomicAdd(p, 0)", True),
        ("atomicSub(p, 0)", True),
        ("atomicOr(p, 0)", True),
        ("atomicXor(p, 0)", True),
        ("atomicAdd(p, 1)", False),
        ("atomicAdd(p, n)", False),
        ("atomicAnd(p, 0)", False),
        ("atomicMax(p, 0)", False),
        ("atomicExch(p, 0)", False),
        ("atomicCAS(p, 3, 3)", True),
        ("atomicCAS(p, 0, 1)", False),
        ("atomicCAS(p, n, n)", False),
    ],
)
def test_atomic_operations_that_only_load(operation: str, *, reads: bool) -> None:
    atomic = next(each for each in accesses(f"p[3] = {operation};") if each.kind in ATOMIC)
    assert only_reads(atomic) is reads


@pytest.mark.parametrize(
    ("body", "copies"),
    [
        ("p[0] = p[1];", True),
        ("p[0] = (int)u[1];", True),
        ("p[0] = v[n].y;", True),
        ("p[0] = p[1] + 1;", False),
        ("p[0] = n;", False),
        ("p[0] = atomicAdd(p + 1, 0);", False),
    ],
)
def test_the_load_of_what_is_stored(body: str, *, copies: bool) -> None:
    *loads, store = accesses(body)
    assert store.kind is AccessKind.STORE
    assert copied_from(store) is (loads[0] if copies else None)
    assert copied_from(loads[0] if loads else store) is None


def test_members_of_a_value_are_parts() -> None:
    facts = body_facts("int4 w = v[n]; p[0] = w.z;", parameters=PARAMETERS)
    assert [each.name for each in facts.kernel.operations() if is_part(each)] == ["z"]


@pytest.mark.parametrize(
    ("store", "atomic", "lost"),
    [
        ("p[0] = 1;", "atomicAdd(p, 1);", True),
        ("p[0] = 1;", "atomicExch(p, 1);", False),  # the same
        ("p[0] = 1;", "atomicExch(p, 2);", True),
        ("p[0] = n;", "atomicExch(p, 2);", False),  # perhaps the same
        ("p[0] = 1;", "p[0] = 2;", False),  # no atomic operation
        ("atomicAdd(p, 2);", "atomicAdd(p, 1);", False),  # no store
    ],
)
def test_stores_that_an_atomic_operation_may_lose(store: str, atomic: str, *, lost: bool) -> None:
    first, second = accesses(store + atomic)
    assert is_lost_store(first, second) is lost
    assert is_lost_store(second, first) is lost
