"""Inline PTX is lowered into the kernel around it: what it touches, what it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.ir.memory import Space
from warplint.analyzer.ir.operations import (
    AccessKind,
    Barrier,
    BarrierKind,
    MemoryAccess,
    OpaqueOperation,
    Operation,
)
from warplint.analyzer.ir.values import Special, SpecialRegister
from warplint.analyzer.ir.verifier import verify
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel


def kernel_of(body: str) -> Kernel:
    text = f"__global__ void k(float* g, int n) {{ __shared__ float s[1024];\n{body}\n}}"
    (kernel,) = read_cuda(SourceText("k.cu", text)).kernels
    assert verify(kernel) == []
    return kernel


def accesses(kernel: Kernel) -> list[tuple[AccessKind, Space, int | None]]:
    found = [op for op in kernel.operations() if isinstance(op, MemoryAccess)]
    return [(op.kind, op.space, op.width) for op in found if op.space is not Space.GENERIC]


def opaque(kernel: Kernel) -> list[str]:
    return [op.reason for op in kernel.operations() if isinstance(op, OpaqueOperation)]


def test_loads_and_stores_have_their_space_and_width() -> None:
    kernel = kernel_of(
        """
        float4 v;
        unsigned a = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x * 4]);
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(a));
        asm volatile("st.global.f32 [%0], %1;" :: "l"(g + threadIdx.x), "f"(v.y) : "memory");
        """
    )
    assert accesses(kernel) == [
        (AccessKind.LOAD, Space.SHARED, 16),
        (AccessKind.STORE, Space.GLOBAL, 4),
    ]
    assert opaque(kernel) == []


def test_asynchronous_copies_take_immediate_operands() -> None:
    kernel = kernel_of(
        """
        unsigned a = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x * 4]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" :: "r"(a), "l"(g), "n"(16));
        asm volatile("cp.async.wait_group %0;" :: "n"(0));
        """
    )
    assert accesses(kernel) == [(AccessKind.ASYNC_COPY, Space.SHARED, 16)]
    barriers = [op.kind for op in kernel.operations() if isinstance(op, Barrier)]
    assert barriers == [BarrierKind.ASYNC_WAIT]


@pytest.mark.parametrize(
    ("name", "register"), [("laneid", Special.LANE), ("tid.x", Special.THREAD_X)]
)
def test_special_registers_keep_their_meaning(name: str, register: Special) -> None:
    kernel = kernel_of(f'int t; asm("mov.u32 %0, %%{name};" : "=r"(t)); g[t] = 1.0f;')
    used = {
        operand.register
        for operation in kernel.operations()
        for operand in operation.operands
        if isinstance(operand, SpecialRegister)
    }
    assert register in used


def test_values_that_are_read_and_written() -> None:
    kernel = kernel_of(
        'int t = threadIdx.x; asm("add.s32 %0, %0, %1;" : "+r"(t) : "r"(n)); g[t] = 0;'
    )
    adds = [op for op in kernel.operations() if op.opcode.value == "add"]
    assert any(kernel.parameters[1] in op.operands for op in adds)


def test_predicates_and_labels_stay_inside() -> None:
    kernel = kernel_of(
        """
        asm volatile("{\\n .reg .pred p;\\n setp.ne.s32 p, %0, 0;\\n"
                     "@p bra done;\\n bar.sync 0;\\n done:\\n}" :: "r"(n));
        asm volatile("{\\n .reg .pred p;\\n setp.ne.s32 p, %0, 1;\\n"
                     "@p bra done;\\n bar.sync 0;\\n done:\\n}" :: "r"(n));
        """
    )
    barriers = [op for op in kernel.operations() if isinstance(op, Barrier)]
    assert len(barriers) == 2
    assert all(barrier.location.span.text.startswith("asm") for barrier in barriers)


@pytest.mark.parametrize("text", ["this is not ptx", "ld.shared.f32 %0, [%1", "{ { {"])
def test_what_cannot_be_read_is_opaque(text: str) -> None:
    kernel = kernel_of(f'float v; asm volatile("{text}" : "=f"(v) : "r"(n)); g[0] = v;')
    assert opaque(kernel) == ["inline PTX that could not be parsed"]
    last: Operation = list(kernel.operations())[-1]
    assert last.opcode.value == "return"


def test_names_with_a_number_of_their_own() -> None:
    kernel = kernel_of(
        """
        asm volatile(R"ptx(
            .reg .b32 v%=;
            mov.b32 v%=, 3;
            add.u32 v%=, v%=, %1;
            st.global.b32 [%0], v%=;
        )ptx" :: "l"(g), "r"(n) : "memory");
        asm volatile("{ .reg .b128 w%=; mov.b128 w%=, {%1, %1};"
                     " st.global.b128 [%0], w%=; }" :: "l"(g), "l"(7ll) : "memory");
        """
    )
    assert opaque(kernel) == []
    assert accesses(kernel) == [
        (AccessKind.STORE, Space.GLOBAL, 4),
        (AccessKind.STORE, Space.GLOBAL, 16),
    ]


def test_every_store_has_a_value() -> None:
    kernel = kernel_of(
        """
        unsigned barrier = (unsigned)__cvta_generic_to_shared(s);
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(n));
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" :: "r"(barrier));
        g[threadIdx.x] = s[0];
        """
    )
    stores = [op for op in kernel.operations() if isinstance(op, MemoryAccess)]
    stored = [len(op.operands) for op in stores if op.kind is AccessKind.STORE]
    assert stored == [2, 2, 2]


def test_assembly_without_instructions_keeps_what_it_reads_and_writes() -> None:
    kernel = kernel_of('int i = n; asm volatile("" : "+r"(i) :: "memory"); g[i] = 1;')
    assert opaque(kernel) == []
    (store,) = (op for op in kernel.operations() if isinstance(op, MemoryAccess))
    assert "unknown" not in repr(store.address)
