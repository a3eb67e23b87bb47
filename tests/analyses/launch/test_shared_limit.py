"""How much dynamic shared memory a block can be given."""

from __future__ import annotations

import pytest

from warplint.analyzer.analyses.launch.shared_limit import most_dynamic_shared
from warplint.analyzer.cuda.read import read_cuda
from warplint.analyzer.hardware.architectures import architecture
from warplint.analyzer.source.text import SourceText

KERNEL = "__global__ void k(int *p) { extern __shared__ int s[]; s[threadIdx.x] = p[0]; }\n"
LAUNCH = "k<<<1, 64, n>>>(p);"
RAISE = "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);"


@pytest.mark.parametrize(
    ("host", "most"),
    [
        (f"void h(int *p, int n) {{ {LAUNCH} }}", 48 * 1024),
        (f"void h(int *p, int n) {{ {RAISE} {LAUNCH} }}", 227 * 1024),
        (f"void h(int *p, int n) {{ {LAUNCH} }} void once() {{ {RAISE} }}", 227 * 1024),
        ("", 227 * 1024),  # launched elsewhere, perhaps after raising it
    ],
)
def test_a_limit_that_nobody_raises_holds(host: str, most: int) -> None:
    (kernel,) = read_cuda(SourceText("k.cu", KERNEL + host)).kernels
    assert most_dynamic_shared(kernel, architecture(90)) == most
