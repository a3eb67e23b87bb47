"""Kernels for tests of the analyses: from text or from `data/`, lowered, verified, with facts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warplint.analyzer.analyses.facts import AnalysisOptions, KernelFacts
from warplint.analyzer.cuda.read import CudaOptions, read_cuda
from warplint.analyzer.ir.verifier import verify
from warplint.analyzer.ptx.read import read_ptx
from warplint.analyzer.source.text import SourceText

if TYPE_CHECKING:
    from warplint.analyzer.ir.kernel import Kernel, Module
    from warplint.analyzer.ir.operations import Operation

DATA = Path(__file__).parent / "data"
Dimensions = tuple[int, int, int]


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
