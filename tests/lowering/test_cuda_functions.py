"""CUDA's functions by name, and functions of the file that have such a name."""

from __future__ import annotations

import pytest
from analyses.kernels import body_facts, facts_of

from warplint.analyzer.cuda.lowering.library import intrinsics
from warplint.analyzer.cuda.names.cuda_functions import is_arithmetic, is_own
from warplint.analyzer.ir.operation_kinds import Function, MemoryOrder, WarpKind
from warplint.analyzer.ir.operations import AccessKind, Call, MemoryAccess, Pure, WarpOperation


def test_every_function_that_is_lowered_by_its_name_is_cudas_own() -> None:
    assert [name for name in intrinsics._EXACT if not is_own(name)] == []


@pytest.mark.parametrize(
    "name", ["atomicAdd", "atomicCAS_block", "__shfl_sync", "__reduce_xor_sync"]
)
def test_names_of_cuda(name: str) -> None:
    assert is_own(name)


@pytest.mark.parametrize("name", ["atomicCount", "atomicAddNow", "__shfl_all_sync", "ready", "fma"])
def test_names_that_only_look_like_it(name: str) -> None:
    assert not is_own(name)


def test_lgamma_is_mathematics_and_no_product_of_matrices() -> None:
    facts = body_facts("x[0] = lgammaf(x[1]) + fmaf(x[2], x[3], x[4]);", parameters="float *x")
    found = {each.name: each.function for each in facts.every(Pure)}
    assert found == {"lgammaf": Function.OTHER, "fmaf": Function.MULTIPLY_ADD}
    assert is_arithmetic("lgammaf")


@pytest.mark.parametrize("name", ["rnorm3df", "norm4d", "rhypotf", "asinhf", "rcbrt"])
def test_mathematics_of_cuda(name: str) -> None:
    assert is_arithmetic(name)


@pytest.mark.parametrize(
    "call",
    [
        "__funnelshift_rc(x[1], x[2], 3)",
        "__urhadd(x[1], x[2])",
        "__umul64hi(x[1], x[2])",
        "__viaddmax_s32_relu(x[1], x[2], 3)",
        "__vimin3_u16x2(x[1], x[2], x[3])",
        "__fns(x[1], 0, 2)",
        "__tanhf(x[1])",
    ],
)
def test_intrinsics_that_only_compute_are_no_calls(call: str) -> None:
    facts = body_facts(f"x[0] = {call};", parameters="unsigned *x")
    assert len(facts.every(Pure)) == 1
    assert facts.every(Call) == []


def test_a_function_of_the_file_is_itself() -> None:
    own = "__device__ float atomicMax(float *p, float v) { float old = *p; *p = v; return old; }\n"
    use = "__global__ void k(float *x, int *n) { atomicMax(x, 1.0f); atomicMax(n, 1); }"
    facts = facts_of(own + use, (32, 1, 1))
    kinds = [access.kind for access in facts.accesses]
    assert kinds == [AccessKind.STORE, AccessKind.ATOMIC]  # what `old` holds is not used


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("", MemoryOrder.SEQUENTIAL),
        (", cuda::memory_order_release", MemoryOrder.RELEASE),
        (", cuda::std::memory_order_relaxed", MemoryOrder.RELAXED),
        (", std::memory_order::release", MemoryOrder.RELEASE),
        (", weakest", MemoryOrder.RELAXED),
    ],
)
def test_the_order_of_an_atomic_store_is_that_of_its_argument(
    order: str, expected: MemoryOrder
) -> None:
    text = f"""
    constexpr auto weakest = cuda::memory_order_relaxed;
    __global__ void k(cuda::atomic<int> *seq_cst) {{ seq_cst->store(1{order}); }}
    """
    (store,) = facts_of(text, (32, 1, 1)).every(MemoryAccess)
    assert store.order is expected


def test_warp_operations_are_of_a_kind() -> None:
    facts = body_facts("p[0] = __shfl_xor_sync(~0u, p[0], 1) + __any_sync(~0u, p[0]);")
    kinds = {each.kind for each in facts.every(WarpOperation)}
    assert kinds == {WarpKind.SHUFFLE_XOR, WarpKind.VOTE_ANY}


def test_inline_assembly_is_known_by_its_statement() -> None:
    assembly = 'asm volatile("st.global.s32 [%0], 1;" :: "l"(p));'
    facts = body_facts(f"int asm_of = p[1]; {assembly} p[2] = asm_of;")
    assert [each.from_inline_asm for each in facts.accesses] == [False, True, False]


@pytest.mark.parametrize(
    ("call", "whole"),
    [
        ("__match_any_sync(x[0])", False),  # the mask is missing: it does not compile
        ("__match_any_sync(~0u, x[0])", True),
        ("__shfl_down_sync(~0u, x[0])", False),
        ("__shfl_down_sync(~0u, x[0], 1)", True),
        ("__ballot_sync(x[0])", False),
        ("__ballot_sync(~0u, x[0])", True),
    ],
)
def test_a_call_that_lacks_an_argument_is_of_an_unknown_function(call: str, whole: bool) -> None:
    facts = body_facts(f"x[1] = {call};", parameters="int *x")
    assert bool(facts.every(WarpOperation)) is whole
    assert bool(facts.every(Call)) is not whole
