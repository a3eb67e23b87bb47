"""Copies of kernels: the same text, operations of their own, and what stands for something else."""

from __future__ import annotations

from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.ir.copies import copied
from warplint.analyzer.ir.operations import Barrier, MemoryAccess
from warplint.analyzer.ir.printer import print_kernel
from warplint.analyzer.ir.types import INT64
from warplint.analyzer.ir.values import Constant, UnknownSize
from warplint.analyzer.ir.verifier import verify
from warplint.analyzer.source.text import SourceText

TEXT = """
template <typename T>
__global__ void k(const T *in, T *out, int n) {
    __shared__ T tile[64];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        switch (i % 3) {
        case 0: tile[i] = in[i]; break;
        case 1: asm volatile("bar.sync 1, 64;" ::: "memory"); break;
        default: __syncthreads();
        }
        out[i] = i < 8 ? tile[i + 1] : in[n];
    }
}
"""


def test_a_copy_reads_like_the_kernel_and_shares_no_operation() -> None:
    (kernel,) = read_cuda(SourceText("test.cu", TEXT), CudaOptions()).kernels
    before = print_kernel(kernel)
    made, operations = copied(kernel, {}, {})
    assert print_kernel(made) == print_kernel(kernel) == before
    assert verify(made) == []
    assert set(made.operations()).isdisjoint(kernel.operations())
    assert list(operations.values()) == list(made.operations())
    barriers = [each for each in made.operations() if isinstance(each, Barrier)]
    assert len(barriers) == 2
    assert all(each.block in made.blocks for each in barriers)


def test_what_stands_for_a_size_is_taken_everywhere_in_the_copy_alone() -> None:
    (kernel,) = read_cuda(SourceText("test.cu", TEXT), CudaOptions()).kernels
    sizes = {v for each in kernel.operations() for v in each.operands if isinstance(v, UnknownSize)}
    assert len(sizes) == 1
    four = Constant(INT64, 4)
    made, operations = copied(kernel, dict.fromkeys(sizes, four), {})
    assert verify(made) == []
    taken = [v for each in made.operations() for v in each.operands]
    assert four in taken
    assert not sizes & set(taken)
    access = next(each for each in kernel.operations() if isinstance(each, MemoryAccess))
    assert operations[access] is not access
    assert any(sizes & set(each.operands) for each in kernel.operations())


def test_a_pragma_of_a_loop_that_nothing_leads_to_is_dropped_with_the_loop() -> None:
    text = """
    template <typename T> __global__ void k(const T *in, T *out, int n) {
        #pragma unroll 2
        for (int i = 0; i < n; i++) out[i] = in[i];
        return;
        #pragma unroll 4
        for (int i = 0; i < n; i++) out[i] = in[i + 1];
    }
    """
    (kernel,) = read_cuda(SourceText("test.cu", text), CudaOptions()).kernels
    assert list(kernel.unrolling.values()) == [2]
    made, _ = copied(kernel, {}, {})
    assert list(made.unrolling.values()) == [2]
    assert set(made.unrolling) <= set(made.blocks)
