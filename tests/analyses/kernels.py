"""Kernels for tests of the analyses: from text or from `data/`, lowered, verified, with facts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.ir.operations import Branch
from warplint.analyzer.ir.verifier import verify
from warplint.analyzer.ptx.read import read_ptx
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from warplint.analyzer.ir.block import Block
    from warplint.analyzer.ir.kernel import Dimensions, Kernel, Module
    from warplint.analyzer.ir.operations import AccessKind, MemoryAccess, Operation

DATA = Path(__file__).parent / "data"


def cuda_module(text: str, path: str = "test.cu", arch: int = 90) -> Module:
    """The module of a CUDA text; nothing of it may be lost, and the IR is well formed."""
    module = read_cuda(SourceText(path, text), CudaOptions(arch=arch))
    return _checked(module)


def ptx_module(text: str, path: str = "test.ptx") -> Module:
    """The module of a PTX text, as `cuda_module`."""
    return _checked(read_ptx(SourceText(path, text)))


def _checked(module: Module) -> Module:
    assert module.problems == []
    for kernel in module.kernels:
        assert kernel.status == "full", kernel.unread
        assert verify(kernel) == []
    return module


def facts_of(
    text: str,
    block: Dimensions | None = None,
    grid: Dimensions | None = None,
    arch: int = 90,
    *,
    doubted: bool = False,
) -> KernelFacts:
    """The facts of the one kernel of a CUDA text."""
    module = cuda_module(text, arch=arch)
    assert len(module.kernels) == 1, [kernel.label for kernel in module.kernels]
    options = AnalysisOptions(arch, block, grid, doubted=doubted)
    return KernelFacts(module.kernels[0], module, options)


def body_facts(
    body: str, block: Dimensions = (64, 1, 1), parameters: str = "int *p, int n", arch: int = 90
) -> KernelFacts:
    """The facts of a kernel that has this body."""
    return facts_of(f"__global__ void kernel({parameters}) {{\n{body}\n}}", block, arch=arch)


def on_line(kernel: Kernel, mark: str) -> list[Operation]:
    """The operations from the lines of the source that contain `mark`, in program order."""
    text = kernel.span.source.text
    lines = {n for n, line in enumerate(text.splitlines(), 1) if mark in line}
    assert lines, f"no line contains {mark!r}"
    return [operation for operation in kernel.operations() if operation.location.span.line in lines]


def last_of(facts: KernelFacts, kind: AccessKind) -> MemoryAccess:
    """The last access of a kind, in program order."""
    *_, access = (each for each in facts.accesses if each.kind is kind)
    return access


def branching(kernel: Kernel) -> list[Block]:
    """The blocks that end in a branch, in program order."""
    return [block for block in kernel.blocks if isinstance(block.terminator, Branch)]


def ptx_facts(
    body: str, block: Dimensions | None = (64, 1, 1), grid: Dimensions | None = None
) -> KernelFacts:
    """The facts of a PTX kernel that has this body, between a prologue and `ret`.

    %rd1 is the parameter `p`, %rd2 is `q`, %r1 is `n`, %r2 is %tid.x; other registers are free.
    """
    text = f""".version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 p, .param .u64 q, .param .u32 n) {{
    .reg .b16 %rs<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<9>; .reg .pred %p<9>;
    .shared .align 8 .b8 tile[1024];
    ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
{body}
    ret;
}}
"""
    module = ptx_module(text)
    return KernelFacts(module.kernels[0], module, AnalysisOptions(90, block, grid))
